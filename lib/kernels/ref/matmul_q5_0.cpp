// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/matmul_quantized.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {
namespace {

struct Format {
  static constexpr size_t kBlockBytes = 20;
  static constexpr bool kMinimum = false;
  static constexpr int32_t kOffset = 16;
  static void add_products(int32_t* isum, const uint8_t* quads, const int8_t* x) {
    add_nibbles(isum, quads, x);
    add_fifth_bits(isum, quads + 16 * kLanes, x);
  }
};

}  // namespace

void matmul_q5_0(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                 bool add) {
  matmul_quantized<Format>(y, ldy, w, x, g0, g1, add);
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
