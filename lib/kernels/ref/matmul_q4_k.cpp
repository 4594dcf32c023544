// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/matmul_k.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {
namespace {

struct Format : SixBitFormat<256> {
  static void add_products(int32_t* products, const uint8_t* block, size_t s, const int8_t* x) {
    add_nibbles(products, block + s * 256, x);
  }
};

}  // namespace

void matmul_q4_k(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                 bool add) {
  matmul_k<Format>(y, ldy, w, x, g0, g1, add);
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
