// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/numeric.h"

#include "base/status.h"

namespace nxs::decode {

void fail_bad_row(const model::Engine& engine, int64_t position, int32_t layer) {
  const auto at = static_cast<long long>(position);
  if (static_cast<size_t>(layer) < engine.model().config.n_layers) {
    fail(Status::kNumeric, "position %lld: a value in layer %d is not finite", at, layer);
  }
  fail(Status::kNumeric, "position %lld: a logit (after layer %d) is not finite", at, layer - 1);
}

void check_rows(const model::Engine& engine, std::span<const model::Row> rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (const int32_t layer = engine.bad_layer(i); layer >= 0) fail_bad_row(engine, rows[i].position, layer);
  }
}

}  // namespace nxs::decode
