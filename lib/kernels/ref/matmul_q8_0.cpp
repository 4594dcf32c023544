// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/matmul_quantized.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {
namespace {

struct Format {
  static constexpr size_t kBlockBytes = 32;
  static constexpr bool kMinimum = false;
  static constexpr int32_t kOffset = 128;
  static void add_products(int32_t* isum, const uint8_t* quads, const int8_t* x) {
    for (size_t v = 0; v < 8; ++v) {
      for (size_t i = 0; i < 4; ++i) {
        for (size_t r = 0; r < kLanes; ++r) isum[r] += quads[(v * kLanes + r) * 4 + i] * x[4 * v + i];
      }
    }
  }
};

}  // namespace

void matmul_q8_0(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                 bool add) {
  matmul_quantized<Format>(y, ldy, w, x, g0, g1, add);
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
