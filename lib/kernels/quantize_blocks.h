// SPDX-License-Identifier: Apache-2.0 OR MIT
// quantize and quantize_k for instruction sets with registers: the walks over blocks, written over a type `L`. Included
// by one quantize.cpp and one quantize_k.cpp per ISA folder, which give L; everything here is in an unnamed namespace,
// so that no ISA's code can be linked in place of another's.
//
// L has, for blocks of 32: quantize4 (q, d and sum of four blocks; not zero when one of them is not finite); for blocks
// of 256: maximum (of the magnitudes of 256 values, as bits) and quantize (q of 256 values and the sums of each 16,
// given 127 / amax).
#pragma once

#include "kernels/kernels.h"

namespace nxs::kernels {
namespace {

/// Blocks of 32, four at a time.
template <class L>
[[gnu::always_inline]] inline bool quantize_blocks(int8_t* q, float* d, int32_t* sum, const float* x, size_t n) {
  const size_t n_blocks = n / 32;
  uint32_t bad = 0;
  size_t b = 0;
  for (; b + 4 <= n_blocks; b += 4) bad |= L::quantize4(q + 32 * b, d + b, sum + b, x + 32 * b);
  if (b == n_blocks) return bad == 0;

  // The last one to three blocks go through copies of four; the blocks made up are zeros.
  const size_t rest = n_blocks - b;
  alignas(64) float x4[128] = {};
  alignas(64) int8_t q4[128];
  float d4[4];
  int32_t sum4[4];
  __builtin_memcpy(x4, x + 32 * b, rest * 32 * sizeof(float));
  bad |= L::quantize4(q4, d4, sum4, x4);
  __builtin_memcpy(q + 32 * b, q4, rest * 32);
  __builtin_memcpy(d + b, d4, rest * sizeof(float));
  __builtin_memcpy(sum + b, sum4, rest * sizeof(int32_t));
  return bad == 0;
}

/// Blocks of 256.
template <class L>
[[gnu::always_inline]] inline bool quantize_k_blocks(int8_t* q, float* d, int16_t* sum, const float* x, size_t n) {
  constexpr uint32_t kInfinityBits = 0x7f800000;
  constexpr uint32_t kTinyBits = (127 - 100) << 23;  // 2^-100
  bool finite = true;
  for (size_t b = 0; b < n / tensor::kBlockK; ++b, q += tensor::kBlockK, sum += 16, x += tensor::kBlockK) {
    const uint32_t bits = L::maximum(x);
    const bool good = bits < kInfinityBits;
    finite = finite && good;
    if (!good || bits < kTinyBits) {
      d[b] = 0.0f;
      __builtin_memset(q, 0, tensor::kBlockK);
      __builtin_memset(sum, 0, 16 * sizeof *sum);
      continue;
    }
    float amax;
    __builtin_memcpy(&amax, &bits, sizeof amax);
    d[b] = amax / 127.0f;
    L::quantize(q, sum, x, 127.0f / amax);
  }
  return finite;
}

}  // namespace
}  // namespace nxs::kernels
