// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/matmul_quantized.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {
namespace {

struct Format {
  static constexpr size_t kBlockBytes = 16;
  static constexpr bool kMinimum = false;
  static constexpr int32_t kOffset = 8;
  static void add_products(int32_t* isum, const uint8_t* quads, const int8_t* x) { add_nibbles(isum, quads, x); }
};

}  // namespace

void matmul_q4_0(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                 bool add) {
  matmul_quantized<Format>(y, ldy, w, x, g0, g1, add);
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
