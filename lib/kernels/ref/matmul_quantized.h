// SPDX-License-Identifier: Apache-2.0 OR MIT
// The quantised dot product that the formats with blocks of 32 share: exact integer sums, then one or two fma per
// block.
#pragma once

#include "kernels/ref/ref.h"
#include "kernels/ref/scalar.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

inline constexpr size_t kLanes = tensor::kGroupRows;

/// One row of activations against one group. A format gives the bytes of a block's quants per row, by how much they
/// exceed the values (kOffset), whether it has a second scale, which multiplies the sum of the activations (kMinimum),
/// and the exact integer sums of quants times activations over one block of the 16 rows.
template <typename Format>
static void dot_group(float* dot, const uint8_t* group, const int8_t* q, const float* d, const int32_t* sum,
                      size_t blocks) {
  constexpr size_t kScales = Format::kMinimum ? 2 : 1;
  const uint8_t* quants = group;
  const uint16_t* scales = reinterpret_cast<const uint16_t*>(group + blocks * Format::kBlockBytes * kLanes);
  for (size_t r = 0; r < kLanes; ++r) dot[r] = 0.0f;
  for (size_t b = 0; b < blocks; ++b, quants += Format::kBlockBytes * kLanes, scales += kScales * kLanes) {
    int32_t isum[kLanes];
    for (size_t r = 0; r < kLanes; ++r) isum[r] = -Format::kOffset * sum[b];
    Format::add_products(isum, quants, q + b * tensor::kBlock);
    for (size_t r = 0; r < kLanes; ++r) {
      dot[r] = fma(tensor::half_to_float(scales[r]) * d[b], static_cast<float>(isum[r]), dot[r]);
    }
    if constexpr (Format::kMinimum) {
      const float activations = d[b] * static_cast<float>(sum[b]);
      for (size_t r = 0; r < kLanes; ++r) {
        dot[r] = fma(tensor::half_to_float(scales[kLanes + r]), activations, dot[r]);
      }
    }
  }
}

template <typename Format>
static void matmul_quantized(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0,
                             size_t g1, bool add) {
  const size_t blocks = x.k / tensor::kBlock;
  for (size_t g = g0; g < g1; ++g) {
    for (size_t row = 0; row < x.m; ++row) {
      float dot[kLanes];
      dot_group<Format>(dot, w.group(g), x.q + row * x.k, x.d + row * blocks, x.sum + row * blocks, blocks);
      float* out = y + row * ldy + g * kLanes;
      for (size_t r = 0; r < kLanes; ++r) out[r] = add ? out[r] + dot[r] : dot[r];
    }
  }
}

/// isum[r] += sum of nibble * x over 32 elements: 4v + i in the low nibbles of quad v, 16 + 4v + i in the high ones.
static inline void add_nibbles(int32_t* isum, const uint8_t* quads, const int8_t* x) {
  for (size_t v = 0; v < 4; ++v) {
    for (size_t i = 0; i < 4; ++i) {
      const int32_t low = x[4 * v + i];
      const int32_t high = x[16 + 4 * v + i];
      for (size_t r = 0; r < kLanes; ++r) {
        const uint8_t pair = quads[(v * kLanes + r) * 4 + i];
        isum[r] += (pair & 15) * low + (pair >> 4) * high;
      }
    }
  }
}

/// isum[r] += 16 * sum of fifth bit * x over 32 elements: 4v + i in bit 4 + v of byte i, 16 + 4v + i in bit v.
static inline void add_fifth_bits(int32_t* isum, const uint8_t* bits, const int8_t* x) {
  for (size_t v = 0; v < 4; ++v) {
    for (size_t i = 0; i < 4; ++i) {
      const int32_t low = 16 * x[4 * v + i];
      const int32_t high = 16 * x[16 + 4 * v + i];
      for (size_t r = 0; r < kLanes; ++r) {
        const uint8_t byte = bits[r * 4 + i];
        isum[r] += (byte >> (4 + v) & 1) * low + (byte >> v & 1) * high;
      }
    }
  }
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
