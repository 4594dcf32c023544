// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx2/matmul.h"
#include "kernels/avx2/quant_tile.h"

namespace nxs::kernels::avx2 {

void matmul_q8_0(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                 bool add) {
  quant_matmul<QuantForm::kQ8_0>(y, ldy, w, x, g0, g1, add);
}

}  // namespace nxs::kernels::avx2
