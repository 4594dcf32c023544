// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/ref.h"
#include "kernels/ref/scalar.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

bool argmax(size_t* index, float* value, const float* x, size_t n) {
  *index = 0;
  *value = x[0];
  bool finite = true;
  for (size_t i = 0; i < n; ++i) {
    finite = finite && is_finite(x[i]);
    if (x[i] > *value) {  // strictly: the first of equals stays, and +0 equals -0
      *index = i;
      *value = x[i];
    }
  }
  if (finite) return true;
  *index = 0;
  *value = 0.0f;
  return false;
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
