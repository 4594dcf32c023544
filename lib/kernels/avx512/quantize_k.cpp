// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <immintrin.h>

#include "kernels/avx512/functions.h"
#include "kernels/quantize_blocks.h"

namespace nxs::kernels::avx512 {
namespace {

/// The largest of 256 magnitudes.
[[gnu::always_inline]] inline uint32_t block_maximum(const float* x) {
  const __m512i magnitude = _mm512_set1_epi32(INT32_MAX);
  __m512i most = _mm512_setzero_si512();
  for (size_t i = 0; i < 256; i += 16) {
    most = _mm512_max_epu32(most, _mm512_and_si512(_mm512_loadu_si512(x + i), magnitude));
  }
  const __m256i m8 = _mm256_max_epu32(_mm512_castsi512_si256(most), _mm512_extracti64x4_epi64(most, 1));
  const __m128i m4 = _mm_max_epu32(_mm256_castsi256_si128(m8), _mm256_extracti128_si256(m8, 1));
  const __m128i m2 = _mm_max_epu32(m4, _mm_shuffle_epi32(m4, 0x4e));
  return static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_max_epu32(m2, _mm_shuffle_epi32(m2, 0xb1))));
}

/// Each dword of a 128-bit lane: the sum of the lane's 16 bytes.
[[gnu::always_inline]] inline __m512i sums_of_16(__m512i q) {
  const __m512i by_4 = _mm512_dpbusd_epi32(_mm512_setzero_si512(), _mm512_set1_epi8(1), q);
  const __m512i by_8 = _mm512_add_epi32(by_4, _mm512_shuffle_epi32(by_4, _MM_PERM_CDAB));
  return _mm512_add_epi32(by_8, _mm512_shuffle_epi32(by_8, _MM_PERM_BADC));
}

/// q of one block, and the sums of each 16.
[[gnu::always_inline]] inline void quantize_block(int8_t* q, int16_t* sum, const float* x, float inverse) {
  const __m512 scale = _mm512_set1_ps(inverse);
  __m512i all = _mm512_setzero_si512();  // dword v of lane i: the sum of sixteen number 4v + i
  for (size_t v = 0; v < 4; ++v) {
    for (size_t i = 0; i < 64; i += 16) {
      const __m512i rounded = _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x + v * 64 + i), scale));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(q + v * 64 + i), _mm512_cvtepi32_epi8(rounded));
    }
    const auto dword = static_cast<__mmask16>(0x1111u << v);
    all = _mm512_mask_mov_epi32(all, dword, sums_of_16(_mm512_loadu_si512(q + v * 64)));
  }
  const __m512i order = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(sum), _mm512_cvtepi32_epi16(_mm512_permutexvar_epi32(order, all)));
}

struct Blocks {
  [[gnu::always_inline]] static uint32_t maximum(const float* x) { return block_maximum(x); }
  [[gnu::always_inline]] static void quantize(int8_t* q, int16_t* sum, const float* x, float inverse) {
    quantize_block(q, sum, x, inverse);
  }
};

}  // namespace

bool quantize_k(int8_t* q, float* d, int16_t* sum, const float* x, size_t n) {
  return quantize_k_blocks<Blocks>(q, d, sum, x, n);
}

}  // namespace nxs::kernels::avx512
