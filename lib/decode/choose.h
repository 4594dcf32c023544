// SPDX-License-Identifier: Apache-2.0 OR MIT
// The one place where a row of logits becomes a token: for plain and speculative decoding and for votes alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "decode/params.h"
#include "decode/sampler.h"
#include "model/engine.h"

namespace nxs::decode {

/// The token that follows `before` (all tokens of its sequence, so before.size() is the index that it will have), from
/// the last forward's wanted row `row`, a good one. `sampler` lends its memory.
int32_t choose(const model::Engine& engine, size_t row, std::span<const int32_t> before, const Sampling& sampling,
               Sampler& sampler);

}  // namespace nxs::decode
