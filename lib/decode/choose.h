// SPDX-License-Identifier: Apache-2.0 OR MIT
// The one place where a row of logits becomes a token, for plain and speculative decoding alike. Greedy; sampling comes
// in here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/engine.h"

namespace nxs::decode {

/// The token for `position` (the index in its sequence that it will have) from the last forward's wanted row `row`, a
/// good one.
int32_t choose(const model::Engine& engine, size_t row, int64_t position);

}  // namespace nxs::decode
