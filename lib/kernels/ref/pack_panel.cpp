// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/ref.h"
#include "kernels/ref/scalar.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

uint32_t pack_panel(float* panel, const float* x, size_t ldx, size_t rows, size_t k) {
  uint32_t bad = 0;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t i = 0; i < k; ++i) {
      panel[i * rows + r] = x[r * ldx + i];
      if (!is_finite(x[r * ldx + i])) bad |= 1u << r;
    }
  }
  return bad;
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
