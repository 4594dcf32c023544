// SPDX-License-Identifier: Apache-2.0 OR MIT
// What both sizes of quantisation blocks share.
#pragma once

#include "kernels/ref/ref.h"
#include "kernels/ref/scalar.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

/// d and q of one block of kSize values, all zeros where it is tiny or not finite; false where it is not finite.
template <size_t kSize>
static bool quantize_block(int8_t* q, float* d, const float* x) {
  uint32_t amax_bits = 0;
  for (size_t i = 0; i < kSize; ++i) {
    const uint32_t bits = tensor::float_to_bits(x[i]) & 0x7fffffffu;
    amax_bits = bits > amax_bits ? bits : amax_bits;
  }
  const float amax = tensor::bits_to_float(amax_bits);
  const bool zero = !is_finite(amax) || amax < 0x1p-100f;  // 127 / amax would overflow far below
  const float scale = zero ? 0.0f : 127.0f / amax;
  *d = zero ? 0.0f : amax / 127.0f;
  for (size_t i = 0; i < kSize; ++i) {
    q[i] = zero ? int8_t{0} : static_cast<int8_t>(__builtin_rintf(x[i] * scale));
  }
  return is_finite(amax);
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
