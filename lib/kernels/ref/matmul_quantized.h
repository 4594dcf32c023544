// SPDX-License-Identifier: Apache-2.0 OR MIT
// The quantised dot product that the formats with blocks of 32 share: exact integer sums, then one or two fma per
// block.
#pragma once

#include "kernels/ref/scalar.h"
#include "kernels/ref/ref.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

/// A format gives the sizes of a packed group's parts and the exact integer sum of one block of one row.
/// `Format::kMinimum`: a second scale, which multiplies the sum of the activations.
template <typename Format>
static void dot_group(float* dot, const uint8_t* group, const int8_t* q, const float* d, const int32_t* sum,
                      size_t blocks) {
  const uint8_t* quants = group;
  const uint16_t* scales = reinterpret_cast<const uint16_t*>(group + blocks * Format::kBlockBytes * tensor::kGroupRows);
  for (size_t r = 0; r < tensor::kGroupRows; ++r) dot[r] = 0.0f;
  for (size_t b = 0; b < blocks; ++b) {
    for (size_t r = 0; r < tensor::kGroupRows; ++r) {
      const int32_t isum = Format::integer_sum(quants + r * 4, q + b * tensor::kBlock);
      dot[r] = fma(tensor::half_to_float(scales[r]) * d[b], static_cast<float>(isum), dot[r]);
      if constexpr (Format::kMinimum) {
        const float minimum = tensor::half_to_float(scales[tensor::kGroupRows + r]);
        dot[r] = fma(minimum, d[b] * static_cast<float>(sum[b]), dot[r]);
      }
    }
    quants += Format::kBlockBytes * tensor::kGroupRows;
    scales += (Format::kMinimum ? 2 : 1) * tensor::kGroupRows;
  }
}

template <typename Format>
static void matmul_quantized(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0,
                             size_t g1, bool add) {
  const size_t blocks = x.k / tensor::kBlock;
  for (size_t g = g0; g < g1; ++g) {
    for (size_t row = 0; row < x.m; ++row) {
      float dot[tensor::kGroupRows];
      dot_group<Format>(dot, w.group(g), x.q + row * x.k, x.d + row * blocks, x.sum + row * blocks, blocks);
      float* out = y + row * ldy + g * tensor::kGroupRows;
      for (size_t r = 0; r < tensor::kGroupRows; ++r) out[r] = add ? out[r] + dot[r] : dot[r];
    }
  }
}

/// Sum of nibble * x over a block of Q4_0 or Q4_1: quad v of a row lies 64 bytes after quad v - 1.
[[gnu::always_inline]] inline int32_t nibble_sum(const uint8_t* quads, const int8_t* x) {
  int32_t isum = 0;
  for (size_t i = 0; i < tensor::kBlock / 2; ++i) {
    const uint8_t pair = quads[i / 4 * 64 + i % 4];
    isum += (pair & 15) * x[i] + (pair >> 4) * x[i + tensor::kBlock / 2];
  }
  return isum;
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
