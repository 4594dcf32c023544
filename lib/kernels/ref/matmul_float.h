// SPDX-License-Identifier: Apache-2.0 OR MIT
// The float dot product of every weight format that is not quantised: chains of fma over 256 terms, whose results are
// added up.
#pragma once

#include "kernels/ref/ref.h"
#include "kernels/ref/scalar.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

/// One row of activations against one group; x[k * step] is its value k. T is the stored element, kWiden its exact
/// conversion.
template <typename T, float (*kWiden)(T)>
static void dot_group(float* dot, const T* w, const float* x, size_t step, size_t n) {
  for (size_t r = 0; r < tensor::kGroupRows; ++r) dot[r] = 0.0f;
  for (size_t begin = 0; begin < n; begin += kChunk) {
    const size_t end = begin + kChunk < n ? begin + kChunk : n;
    float a[tensor::kGroupRows] = {};
    for (size_t k = begin; k < end; ++k) {
      for (size_t r = 0; r < tensor::kGroupRows; ++r)
        a[r] = fma(kWiden(w[k * tensor::kGroupRows + r]), x[k * step], a[r]);
    }
    for (size_t r = 0; r < tensor::kGroupRows; ++r) dot[r] = dot[r] + a[r];
  }
}

template <typename T, float (*kWiden)(T)>
static void matmul_float(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                         bool add) {
  for (size_t g = g0; g < g1; ++g) {
    const T* group = reinterpret_cast<const T*>(w.group(g));
    for (size_t row = 0; row < x.m; ++row) {
      const size_t panel = row / kPanel * kPanel;  // its first row
      const size_t rows = x.m - panel < kPanel ? x.m - panel : kPanel;
      float dot[tensor::kGroupRows];
      dot_group<T, kWiden>(dot, group, x.x + panel * x.k + (row - panel), rows, x.k);
      float* out = y + row * ldy + g * tensor::kGroupRows;
      for (size_t r = 0; r < tensor::kGroupRows; ++r) out[r] = add ? out[r] + dot[r] : dot[r];
    }
  }
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
