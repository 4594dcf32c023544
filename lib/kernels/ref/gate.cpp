// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/exp.h"
#include "kernels/ref/ref.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

void gate(float* g, const float* u, size_t n) {
  for (size_t i = 0; i < n; ++i) g[i] = (g[i] / (1.0f + exp_one(-g[i]))) * u[i];
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
