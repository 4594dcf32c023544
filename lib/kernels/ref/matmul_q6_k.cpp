// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/ref/matmul_k.h"

namespace nxs::kernels::NXS_REF_NAMESPACE {
namespace {

struct Format {
  static constexpr size_t kSub = 16;
  static constexpr int32_t kOffset = 32;
  static constexpr bool kMinimum = false;
  static constexpr size_t kBlockBytes = tensor::kQ6KBytes;

  /// Sub-block s is number s % 4 of 64 elements: the low or high nibbles of four quads and two bits of four more.
  static void add_products(int32_t* products, const uint8_t* block, size_t s, const int8_t* x) {
    const uint8_t* nibbles = block + s / 4 * 768 + s % 4 / 2 * 256;
    const uint8_t* bits = block + s / 4 * 768 + 512;
    const size_t shift = s % 2 * 4, high_shift = (s % 4 + 2) % 4 * 2;
    for (size_t i = 0; i < 16; ++i) {
      for (size_t r = 0; r < kLanes; ++r) {
        const size_t at = (i / 4 * kLanes + r) * 4 + i % 4;
        const int32_t quant = (nibbles[at] >> shift & 15) | (bits[at] >> high_shift & 3) << 4;
        products[r] += quant * x[i];
      }
    }
  }
  static int32_t scale(const uint8_t* block, size_t s, size_t r) {
    return static_cast<int8_t>(block[kBlockBytes - 256 + (s / 4 * kLanes + r) * 4 + s % 4]);
  }
  static const uint16_t* scales(const uint8_t* group, size_t b, size_t blocks) {
    return reinterpret_cast<const uint16_t*>(group + blocks * kBlockBytes) + b * kLanes;
  }
};

}  // namespace

void matmul_q6_k(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                 bool add) {
  matmul_k<Format>(y, ldy, w, x, g0, g1, add);
}

}  // namespace nxs::kernels::NXS_REF_NAMESPACE
