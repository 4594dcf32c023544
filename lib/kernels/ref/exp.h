// SPDX-License-Identifier: Apache-2.0 OR MIT
// exp: reduction to r in [-ln 2 / 2, ln 2 / 2] by multiples of ln 2 in two parts, then a polynomial of degree 6. At
// most 0.89 ulp from the true value; exp(0) = 1. Below -64 the result is +0: no float sum shows the difference, 1 +
// exp(-g) becomes exactly 1, and products with F16 values are never denormal. Above 88 it is infinity.
#pragma once

#include "kernels/ref/scalar.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

[[gnu::always_inline]] inline float exp_one(float x) {
  if (x < -64.0f) return 0.0f;
  if (x > 88.0f) return tensor::bits_to_float(0x7f800000u);
  if (x != x) return x;
  const float z = fma(x, 0x1.715476p+0f, 0x1.8p23f);  // the integer nearest to x / ln 2 lies in the low bits of z
  const float n = z - 0x1.8p23f;
  float r = fma(n, -0x1.62e4p-1f, x);
  r = fma(n, -0x1.7f7d1cp-20f, r);
  float p = 0x1.6a4d14p-10f;
  p = fma(p, r, 0x1.12398ap-7f);
  p = fma(p, r, 0x1.5558bp-5f);
  p = fma(p, r, 0x1.555492p-3f);
  p = fma(p, r, 0x1.fffffcp-2f);
  p = fma(p, r, 1.0f);
  p = fma(p, r, 1.0f);
  return tensor::bits_to_float(tensor::float_to_bits(p) + (tensor::float_to_bits(z) << 23));  // p * 2^n
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
