// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx2/functions.h"
#include "kernels/avx2/lanes.h"
#include "kernels/store_kv_rows.h"

namespace nxs::kernels::avx2 {
namespace {

constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

[[gnu::always_inline]] inline __m256 load_up_to_8(const float* x, size_t n) {
  return n >= 8 ? _mm256_loadu_ps(x) : _mm256_maskload_ps(x, first_lanes(n));
}

struct Lanes {
  /// Rounds n <= kMaxHeadDim floats to F16. False when one of them becomes infinite or is NaN.
  [[gnu::always_inline]] static bool round_row(uint16_t* out, const float* x, size_t n) {
    const __m128i exponent = _mm_set1_epi16(0x7c00);
    __m128i bad = _mm_setzero_si128();
    for (size_t i = 0; i < n; i += 8) {
      const __m128i h = _mm256_cvtps_ph(load_up_to_8(x + i, n - i), kNearest);
      bad = _mm_or_si128(bad, _mm_cmpeq_epi16(_mm_and_si128(h, exponent), exponent));
      _mm_store_si128(reinterpret_cast<__m128i*>(out + i), h);
    }
    return _mm_movemask_epi8(bad) == 0;
  }

  [[gnu::always_inline]] static bool all_finite(const float* x, size_t n) {
    const __m256i exponent = _mm256_set1_epi32(0x7f800000);
    __m256i bad = _mm256_setzero_si256();
    for (size_t i = 0; i < n; i += 8) {
      const __m256i v = _mm256_castps_si256(load_up_to_8(x + i, n - i));
      bad = _mm256_or_si256(bad, _mm256_cmpeq_epi32(_mm256_and_si256(v, exponent), exponent));
    }
    return _mm256_movemask_epi8(bad) == 0;
  }
};

}  // namespace

bool store_kv(void* k_tile, size_t lane, size_t lanes, void* v_row, const float* k, const float* v, size_t head_dim,
              bool f32, bool zero) {
  return store_kv_rows<Lanes>(k_tile, lane, lanes, v_row, k, v, head_dim, f32, zero);
}

}  // namespace nxs::kernels::avx2
