// SPDX-License-Identifier: Apache-2.0 OR MIT
// From rows of floats to what matrices multiply: normed, then quantised or laid side by side, as the weights' formats
// want it.
#pragma once

#include <initializer_list>

#include "model/forward.h"

namespace nxs::model {

/// Which forms the matrices of one input want; q, k and v of a layer may differ in format.
struct Forms {
  explicit Forms(std::initializer_list<const tensor::PackedMatrix*> matrices);
  bool quantized = false, quantized_k = false, floats = false;
};

/// Rows of an input, [n][k] at stride k.
struct Input {
  const float* x;
  size_t n, k;
  const float* norm;  ///< weights of an RMSNorm that comes first, or NULL
  const uint32_t*
      pick;       ///< row i is x row pick[i] and is row pick[i] of the forward; NULL: all rows (only with a norm)
  int32_t layer;  ///< recorded where a row is found bad
};

kernels::Activations prepare(Forward& f, const Input& input, Forms forms);

/// body(first, last) for ranges of rows, in parallel where there is work enough; ranges start at multiples of
/// kernels::kPanel when `panels`.
template <typename F>
void for_rows(Forward& f, size_t n, size_t work, bool panels, F&& body) {
  // Below this many floats a region costs more than it brings.
  constexpr size_t kRegionFloats = 4096;
  const size_t step = panels || n > 64 ? kernels::kPanel : 1;
  if (f.workers.size() == 1 || n <= step || n * work < kRegionFloats) return body(size_t{0}, n);
  f.workers.run(static_cast<uint32_t>((n + step - 1) / step), [&](uint32_t unit, unsigned) {
    const size_t first = unit * step;
    body(first, first + step < n ? first + step : n);
  });
}

inline void mark_bad(Forward& f, size_t row, int32_t layer) {
  if (f.results.bad_layer[row] < 0) f.results.bad_layer[row] = layer;
}

}  // namespace nxs::model
