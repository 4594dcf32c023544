// SPDX-License-Identifier: Apache-2.0 OR MIT
// quantize_k for instruction sets with registers: the walk over blocks, written over a type `L`. Included by one
// quantize_k.cpp per ISA folder, which gives L; everything here is in an unnamed namespace, so that no ISA's code can
// be linked in place of another's.
//
// L has: maximum (of the magnitudes of 256 values, as bits) and quantize (q of 256 values and the sums of each 16,
// given 127 / amax).
#pragma once

#include "kernels/kernels.h"

namespace nxs::kernels {
namespace {

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
