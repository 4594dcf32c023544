// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/matmul_quantized.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {
namespace {

struct Format {
  static constexpr size_t kBlockBytes = 32;
  static constexpr bool kMinimum = false;
  static int32_t integer_sum(const uint8_t* quads, const int8_t* x) {
    int32_t isum = 0;
    for (size_t i = 0; i < tensor::kBlock; ++i) isum += (quads[i / 4 * 64 + i % 4] - 128) * x[i];
    return isum;
  }
};

}  // namespace

void matmul_q8_0(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                 bool add) {
  matmul_quantized<Format>(y, ldy, w, x, g0, g1, add);
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
