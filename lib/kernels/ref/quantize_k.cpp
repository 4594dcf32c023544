// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/quantize_block.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {

bool quantize_k(int8_t* q, float* d, int16_t* sum, const float* x, size_t n) {
  bool finite = true;
  for (size_t b = 0; b < n / tensor::kBlockK; ++b, x += tensor::kBlockK, q += tensor::kBlockK) {
    finite = quantize_block<tensor::kBlockK>(q, d + b, x) && finite;
    for (size_t s = 0; s < tensor::kBlockK / 16; ++s, ++sum) {
      int32_t total = 0;
      for (size_t i = 0; i < 16; ++i) total += q[s * 16 + i];
      *sum = static_cast<int16_t>(total);
    }
  }
  return finite;
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
