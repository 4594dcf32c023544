// SPDX-License-Identifier: Apache-2.0 OR MIT
// The quantised dot product of the formats with blocks of 256: exact integer sums of sub-blocks, multiplied by their
// integer scales and added up exactly, then one or two fma per block.
#pragma once

#include "kernels/ref/matmul_quantized.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

/// One row of activations against one group. A format gives the bytes of a packed block but for scales that stand
/// elsewhere (kBlockBytes), the length of its sub-blocks (kSub), by how much quants exceed the values (kOffset),
/// whether it has minima (kMinimum), the exact sums of products of one sub-block, its scale and its minimum.
template <typename Format>
static void dot_group_k(float* dot, const uint8_t* group, const int8_t* q, const float* d, const int16_t* sum,
                        size_t blocks) {
  constexpr size_t kSubs = tensor::kBlockK / Format::kSub;
  for (size_t r = 0; r < kLanes; ++r) dot[r] = 0.0f;
  for (size_t b = 0; b < blocks; ++b, q += tensor::kBlockK, sum += tensor::kBlockK / 16) {
    const uint8_t* block = group + b * Format::kBlockBytes;
    int32_t isum[kLanes] = {}, imin[kLanes] = {};
    for (size_t s = 0; s < kSubs; ++s) {
      const int32_t total = Format::kSub == 16 ? sum[s] : sum[2 * s] + sum[2 * s + 1];
      int32_t products[kLanes];
      for (size_t r = 0; r < kLanes; ++r) products[r] = -Format::kOffset * total;
      Format::add_products(products, block, s, q + s * Format::kSub);
      for (size_t r = 0; r < kLanes; ++r) {
        isum[r] += Format::scale(block, s, r) * products[r];
        if constexpr (Format::kMinimum) imin[r] += Format::minimum(block, s, r) * total;
      }
    }
    const uint16_t* scales = Format::scales(group, b, blocks);
    for (size_t r = 0; r < kLanes; ++r) {
      dot[r] = fma(tensor::half_to_float(scales[r]) * d[b], static_cast<float>(isum[r]), dot[r]);
      if constexpr (Format::kMinimum) {
        const float minimum = tensor::half_to_float(scales[kLanes + r]) * d[b];
        dot[r] = fma(-minimum, static_cast<float>(imin[r]), dot[r]);
      }
    }
  }
}

template <typename Format>
static void matmul_k(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                     bool add) {
  const size_t blocks = x.k / tensor::kBlockK;
  for (size_t g = g0; g < g1; ++g) {
    for (size_t row = 0; row < x.m; ++row) {
      float dot[kLanes];
      dot_group_k<Format>(dot, w.group(g), x.kq + row * x.k, x.kd + row * blocks, x.ksum + row * blocks * 16, blocks);
      float* out = y + row * ldy + g * kLanes;
      for (size_t r = 0; r < kLanes; ++r) out[r] = add ? out[r] + dot[r] : dot[r];
    }
  }
}

namespace {

/// What Q4_K and Q5_K share: sub-blocks of 32, 6-bit scales and minima, then d and dmin, at the end of each block.
template <size_t kQuantBytes>
struct SixBitFormat {
  static constexpr size_t kSub = 32;
  static constexpr int32_t kOffset = 0;
  static constexpr bool kMinimum = true;
  static constexpr size_t kScalesAt = 8 * kQuantBytes;
  static constexpr size_t kBlockBytes = kScalesAt + 3 * 64 + 64;

  static tensor::SixBits six(const uint8_t* block, size_t s, size_t r) {
    uint8_t bytes[12];
    for (size_t i = 0; i < 12; ++i) bytes[i] = block[kScalesAt + (i / 4 * kLanes + r) * 4 + i % 4];
    return tensor::six_bits(bytes, s);
  }
  static int32_t scale(const uint8_t* block, size_t s, size_t r) { return six(block, s, r).scale; }
  static int32_t minimum(const uint8_t* block, size_t s, size_t r) { return six(block, s, r).minimum; }
  static const uint16_t* scales(const uint8_t* group, size_t b, size_t) {
    return reinterpret_cast<const uint16_t*>(group + (b + 1) * kBlockBytes - 64);
  }
};

}  // namespace

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
