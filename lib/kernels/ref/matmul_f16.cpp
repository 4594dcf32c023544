// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/matmul_float.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {
namespace {

float widen(uint16_t w) {
  return tensor::half_to_float(w);
}

}  // namespace

void matmul_f16(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                bool add) {
  matmul_float<uint16_t, widen>(y, ldy, w, x, g0, g1, add);
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
