// SPDX-License-Identifier: Apache-2.0 OR MIT
// The scalar steps that several definitions share. Inlined everywhere, so that no object exports them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tensor/half.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

[[gnu::always_inline]] inline float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}

[[gnu::always_inline]] inline bool is_finite(float x) {
  return (tensor::float_to_bits(x) & 0x7fffffffu) < 0x7f800000u;
}

/// p[0] + ... + p[15] by the tree 8, 4, 2, 1.
[[gnu::always_inline]] inline float tree_sum(float* p) {
  for (size_t half = 8; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) p[i] = p[i] + p[i + half];
  }
  return p[0];
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
