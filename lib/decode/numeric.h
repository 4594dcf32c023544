// SPDX-License-Identifier: Apache-2.0 OR MIT
// How a bad row (one that met a value that is not finite) is reported.
#pragma once

#include <cstdint>
#include <span>

#include "model/engine.h"

namespace nxs::decode {

/// Throws kNumeric with the token's position and the layer (as model::Engine::bad_layer gives it).
[[noreturn]] void fail_bad_row(const model::Engine& engine, int64_t position, int32_t layer);
/// The same for the first bad one of the last forward's rows, if any.
void check_rows(const model::Engine& engine, std::span<const model::Row> rows);

}  // namespace nxs::decode
