// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/exp.h"

#include "kernels/ref/ref.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

void exp(float* y, const float* x, size_t n) {
  for (size_t i = 0; i < n; ++i) y[i] = exp_one(x[i]);
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
