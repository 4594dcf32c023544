// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/ref.h"
#include "kernels/ref/scalar.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

void rms_norm(float* y, const float* x, const float* w, size_t n, float eps) {
  float p[16] = {};
  for (size_t i = 0; i < n; i += 16) {
    for (size_t j = 0; j < 16; ++j) p[j] = fma(x[i + j], x[i + j], p[j]);
  }
  const float r = 1.0f / __builtin_sqrtf(tree_sum(p) / static_cast<float>(n) + eps);
  for (size_t i = 0; i < n; ++i) y[i] = (x[i] * r) * w[i];
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
