// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <immintrin.h>

#include "kernels/avx512/functions.h"
#include "kernels/quantize_blocks.h"

namespace nxs::kernels::avx512 {
namespace {

constexpr int32_t kInfinityBits = 0x7f800000;
constexpr int32_t kTinyBits = (127 - 100) << 23;  // 2^-100

/// Four lanes: the maximum over block b's 32 magnitudes in lane b.
[[gnu::always_inline]] inline __m128i block_maxima(const float* x) {
  const __m512i magnitude = _mm512_set1_epi32(INT32_MAX);
  __m128i m[4];
  for (size_t b = 0; b < 4; ++b) {
    const __m512i lo = _mm512_and_si512(_mm512_loadu_si512(x + 32 * b), magnitude);
    const __m512i hi = _mm512_and_si512(_mm512_loadu_si512(x + 32 * b + 16), magnitude);
    const __m512i both = _mm512_max_epu32(lo, hi);
    const __m256i half = _mm256_max_epu32(_mm512_castsi512_si256(both), _mm512_extracti64x4_epi64(both, 1));
    m[b] = _mm_max_epu32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  }
  const __m128i m01 = _mm_max_epu32(_mm_unpacklo_epi32(m[0], m[1]), _mm_unpackhi_epi32(m[0], m[1]));
  const __m128i m23 = _mm_max_epu32(_mm_unpacklo_epi32(m[2], m[3]), _mm_unpackhi_epi32(m[2], m[3]));
  return _mm_max_epu32(_mm_unpacklo_epi64(m01, m23), _mm_unpackhi_epi64(m01, m23));
}

/// q of one block and, in four lanes, parts of its sum.
[[gnu::always_inline]] inline __m128i quantize_block(int8_t* q, const float* x, float inverse, bool live) {
  // A dead block (all tiny, or not finite) has q = 0 whatever the product is.
  const __mmask16 keep = live ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>(0);
  const __m512 scale = _mm512_set1_ps(inverse);
  const __m512i lo = _mm512_maskz_cvtps_epi32(keep, _mm512_mul_ps(_mm512_loadu_ps(x), scale));
  const __m512i hi = _mm512_maskz_cvtps_epi32(keep, _mm512_mul_ps(_mm512_loadu_ps(x + 16), scale));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(q), _mm512_cvtepi32_epi8(lo));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(q + 16), _mm512_cvtepi32_epi8(hi));
  const __m512i both = _mm512_add_epi32(lo, hi);
  const __m256i half = _mm256_add_epi32(_mm512_castsi512_si256(both), _mm512_extracti64x4_epi64(both, 1));
  return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

struct Lanes {
  /// Four blocks at once, so that the divisions and horizontal steps are shared. Returns lanes whose block is not
  /// finite.
  [[gnu::always_inline]] static uint32_t quantize4(int8_t* q, float* d, int32_t* sum, const float* x) {
    const __m128i amax = block_maxima(x);
    const __mmask8 bad = _mm_cmpge_epu32_mask(amax, _mm_set1_epi32(kInfinityBits));
    const __mmask8 live = _mm_mask_cmpge_epu32_mask(static_cast<__mmask8>(~bad & 15), amax, _mm_set1_epi32(kTinyBits));
    const __m128 largest = _mm_castsi128_ps(amax);
    const __m128 c127 = _mm_set1_ps(127.0f);
    _mm_storeu_ps(d, _mm_maskz_div_ps(live, largest, c127));
    alignas(16) float inverse[4];
    _mm_store_ps(inverse, _mm_maskz_div_ps(live, c127, largest));
    __m128i s[4];
    for (size_t b = 0; b < 4; ++b) s[b] = quantize_block(q + 32 * b, x + 32 * b, inverse[b], (live >> b & 1) != 0);
    const __m128i s01 = _mm_add_epi32(_mm_unpacklo_epi32(s[0], s[1]), _mm_unpackhi_epi32(s[0], s[1]));
    const __m128i s23 = _mm_add_epi32(_mm_unpacklo_epi32(s[2], s[3]), _mm_unpackhi_epi32(s[2], s[3]));
    const __m128i total = _mm_add_epi32(_mm_unpacklo_epi64(s01, s23), _mm_unpackhi_epi64(s01, s23));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(sum), total);
    return bad;
  }
};

}  // namespace

bool quantize(int8_t* q, float* d, int32_t* sum, const float* x, size_t n) {
  return quantize_blocks<Lanes>(q, d, sum, x, n);
}

}  // namespace nxs::kernels::avx512
