// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/ref.h"
#include "kernels/ref/scalar.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

bool quantize_k(int8_t* q, float* d, int16_t* sum, const float* x, size_t n) {
  bool finite = true;
  for (size_t b = 0; b < n / tensor::kBlockK; ++b, x += tensor::kBlockK, q += tensor::kBlockK) {
    uint32_t amax_bits = 0;
    for (size_t i = 0; i < tensor::kBlockK; ++i) {
      const uint32_t bits = tensor::float_to_bits(x[i]) & 0x7fffffffu;
      amax_bits = bits > amax_bits ? bits : amax_bits;
    }
    const float amax = tensor::bits_to_float(amax_bits);
    finite = finite && is_finite(amax);
    const bool zero = !is_finite(amax) || amax < 0x1p-100f;  // 127 / amax would overflow far below
    const float scale = zero ? 0.0f : 127.0f / amax;
    d[b] = zero ? 0.0f : amax / 127.0f;
    for (size_t i = 0; i < tensor::kBlockK; ++i) {
      q[i] = zero ? int8_t{0} : static_cast<int8_t>(__builtin_rintf(x[i] * scale));
    }
    for (size_t s = 0; s < tensor::kBlockK / 16; ++s, ++sum) {
      int32_t total = 0;
      for (size_t i = 0; i < 16; ++i) total += q[s * 16 + i];
      *sum = static_cast<int16_t>(total);
    }
  }
  return finite;
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
