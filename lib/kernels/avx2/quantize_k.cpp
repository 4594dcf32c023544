// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <immintrin.h>

#include "kernels/avx2/functions.h"
#include "kernels/quantize_blocks.h"

namespace nxs::kernels::avx2 {
namespace {

/// The largest of 256 magnitudes.
[[gnu::always_inline]] inline uint32_t block_maximum(const float* x) {
  const __m256i magnitude = _mm256_set1_epi32(INT32_MAX);
  __m256i most = _mm256_setzero_si256();
  for (size_t i = 0; i < 256; i += 8) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
    most = _mm256_max_epu32(most, _mm256_and_si256(bits, magnitude));
  }
  const __m128i m4 = _mm_max_epu32(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
  const __m128i m2 = _mm_max_epu32(m4, _mm_shuffle_epi32(m4, 0x4e));
  return static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_max_epu32(m2, _mm_shuffle_epi32(m2, 0xb1))));
}

/// q of 32 values; returns the sums of each 4 of them.
[[gnu::always_inline]] inline __m256i quantize_32(int8_t* q, const float* x, __m256 scale) {
  __m256i v[4];
  for (size_t i = 0; i < 4; ++i) v[i] = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + 8 * i), scale));
  // The packs work within halves; the permutation puts the eight quads back in order.
  const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(v[0], v[1]), _mm256_packs_epi32(v[2], v[3]));
  const __m256i ordered = _mm256_permutevar8x32_epi32(bytes, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(q), ordered);
  return _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_set1_epi8(1), ordered), _mm256_set1_epi16(1));
}

/// q of 128 values, and the sums of each 16.
[[gnu::always_inline]] inline void quantize_128(int8_t* q, int16_t* sum, const float* x, __m256 scale) {
  __m256i s[4];
  for (size_t i = 0; i < 4; ++i) s[i] = quantize_32(q + 32 * i, x + 32 * i, scale);
  // Dword i of half h: the sum of sixteen number 2i + h.
  const __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(s[0], s[1]), _mm256_hadd_epi32(s[2], s[3]));
  const __m128i even = _mm256_castsi256_si128(all), odd = _mm256_extracti128_si256(all, 1);
  const __m128i words = _mm_packs_epi32(_mm_unpacklo_epi32(even, odd), _mm_unpackhi_epi32(even, odd));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(sum), words);
}

struct Blocks {
  [[gnu::always_inline]] static uint32_t maximum(const float* x) { return block_maximum(x); }
  [[gnu::always_inline]] static void quantize(int8_t* q, int16_t* sum, const float* x, float inverse) {
    const __m256 scale = _mm256_set1_ps(inverse);
    quantize_128(q, sum, x, scale);
    quantize_128(q + 128, sum + 8, x + 128, scale);
  }
};

}  // namespace

bool quantize_k(int8_t* q, float* d, int16_t* sum, const float* x, size_t n) {
  return quantize_k_blocks<Blocks>(q, d, sum, x, n);
}

}  // namespace nxs::kernels::avx2
