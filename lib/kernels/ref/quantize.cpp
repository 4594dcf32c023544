// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/quantize_block.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

bool quantize(int8_t* q, float* d, int32_t* sum, const float* x, size_t n) {
  bool finite = true;
  for (size_t b = 0; b < n / tensor::kBlock; ++b, x += tensor::kBlock, q += tensor::kBlock) {
    finite = quantize_block<tensor::kBlock>(q, d + b, x) && finite;
    sum[b] = 0;
    for (size_t i = 0; i < tensor::kBlock; ++i) sum[b] += q[i];
  }
  return finite;
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
