// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/ref.h"
#include "kernels/ref/scalar.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

void rotate(float* x, const float* c, const float* s, size_t n_heads, size_t head_dim, float scale) {
  for (size_t h = 0; h < n_heads; ++h, x += head_dim) {
    for (size_t i = 0; i < head_dim / 2; ++i) {
      const float a = x[2 * i];
      const float b = x[2 * i + 1];
      x[2 * i] = fma(a, c[i], -(b * s[i])) * scale;
      x[2 * i + 1] = fma(a, s[i], b * c[i]) * scale;
    }
  }
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
