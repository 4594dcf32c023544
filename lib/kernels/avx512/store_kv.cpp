// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx512/functions.h"
#include "kernels/avx512/lanes.h"
#include "kernels/store_kv_rows.h"

namespace nxs::kernels::avx512 {
namespace {

constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

struct Lanes {
  /// Rounds n <= kMaxHeadDim floats to F16. False when one of them becomes infinite or is NaN.
  [[gnu::always_inline]] static bool round_row(uint16_t* out, const float* x, size_t n) {
    const __m256i exponent = _mm256_set1_epi16(0x7c00);
    __mmask16 bad = 0;
    for (size_t i = 0; i < n; i += 16) {
      const __mmask16 lanes = n - i < 16 ? first_lanes(n - i) : static_cast<__mmask16>(0xffff);
      const __m256i h = _mm512_cvtps_ph(_mm512_maskz_loadu_ps(lanes, x + i), kNearest);
      const __mmask16 special = _mm256_cmpeq_epi16_mask(_mm256_and_si256(h, exponent), exponent);
      bad = static_cast<__mmask16>(bad | special);
      _mm256_store_si256(reinterpret_cast<__m256i*>(out + i), h);
    }
    return bad == 0;
  }

  [[gnu::always_inline]] static bool all_finite(const float* x, size_t n) {
    const __m512i exponent = _mm512_set1_epi32(0x7f800000);
    uint32_t bad = 0;
    for (size_t i = 0; i < n; i += 16) {
      const __mmask16 lanes = n - i < 16 ? first_lanes(n - i) : static_cast<__mmask16>(0xffff);
      const __m512i v = _mm512_and_si512(_mm512_castps_si512(_mm512_maskz_loadu_ps(lanes, x + i)), exponent);
      bad |= _mm512_cmpeq_epi32_mask(v, exponent);
    }
    return bad == 0;
  }
};

}  // namespace

bool store_kv(void* k_tile, size_t lane, size_t lanes, void* v_row, const float* k, const float* v, size_t head_dim,
              bool f32, bool zero) {
  return store_kv_rows<Lanes>(k_tile, lane, lanes, v_row, k, v, head_dim, f32, zero);
}

}  // namespace nxs::kernels::avx512
