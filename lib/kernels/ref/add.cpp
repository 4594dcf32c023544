// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/ref.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

void add(float* x, const float* y, size_t n) {
  for (size_t i = 0; i < n; ++i) x[i] = x[i] + y[i];
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
