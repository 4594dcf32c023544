// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/matmul_float.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {
namespace {

float widen(float w) {
  return w;
}

}  // namespace

void matmul_f32(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                bool add) {
  matmul_float<float, widen>(y, ldy, w, x, g0, g1, add);
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
