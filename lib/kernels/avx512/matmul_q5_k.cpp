// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx512/k_tile.h"
#include "kernels/avx512/matmul.h"

namespace nxs::kernels::avx512 {

void matmul_q5_k(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                 bool add) {
  k_matmul<KForm::kQ5_K>(y, ldy, w, x, g0, g1, add);
}

}  // namespace nxs::kernels::avx512
