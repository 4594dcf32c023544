// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <immintrin.h>

#include "kernels/avx2/functions.h"
#include "kernels/quantize_blocks.h"

namespace nxs::kernels::avx2 {
namespace {

constexpr int32_t kLargestBits = 0x7f7fffff;      // the largest finite number
constexpr int32_t kTinyBits = (127 - 100) << 23;  // 2^-100

[[gnu::always_inline]] inline __m256i load_bits(const float* x) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
}

/// Four lanes: the maximum over block b's 32 magnitudes in lane b.
[[gnu::always_inline]] inline __m128i block_maxima(const float* x) {
  const __m256i magnitude = _mm256_set1_epi32(INT32_MAX);
  __m128i m[4];
  for (size_t b = 0; b < 4; ++b) {
    __m256i most = _mm256_and_si256(load_bits(x + 32 * b), magnitude);
    for (size_t i = 8; i < 32; i += 8) {
      most = _mm256_max_epu32(most, _mm256_and_si256(load_bits(x + 32 * b + i), magnitude));
    }
    m[b] = _mm_max_epu32(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
  }
  const __m128i m01 = _mm_max_epu32(_mm_unpacklo_epi32(m[0], m[1]), _mm_unpackhi_epi32(m[0], m[1]));
  const __m128i m23 = _mm_max_epu32(_mm_unpacklo_epi32(m[2], m[3]), _mm_unpackhi_epi32(m[2], m[3]));
  return _mm_max_epu32(_mm_unpacklo_epi64(m01, m23), _mm_unpackhi_epi64(m01, m23));
}

/// q of one block and, in four lanes, parts of its sum. keep: all ones, or zeros for a block that is all tiny or not
/// finite.
[[gnu::always_inline]] inline __m128i quantize_block(int8_t* q, const float* x, float inverse, int32_t keep) {
  const __m256 scale = _mm256_set1_ps(inverse);
  const __m256i mask = _mm256_set1_epi32(keep);
  __m256i v[4];
  for (size_t i = 0; i < 4; ++i) {
    const __m256i rounded = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + 8 * i), scale));
    v[i] = _mm256_and_si256(rounded, mask);
  }
  // The packs work within halves; the permutation puts the eight quads back in order.
  const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(v[0], v[1]), _mm256_packs_epi32(v[2], v[3]));
  const __m256i ordered = _mm256_permutevar8x32_epi32(bytes, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(q), ordered);
  const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(v[0], v[1]), _mm256_add_epi32(v[2], v[3]));
  return _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
}

struct Lanes {
  /// Four blocks at once, so that the divisions and horizontal steps are shared. Returns non-zero when one is not
  /// finite.
  [[gnu::always_inline]] static uint32_t quantize4(int8_t* q, float* d, int32_t* sum, const float* x) {
    const __m128i amax = block_maxima(x);
    const __m128i bad = _mm_cmpgt_epi32(amax, _mm_set1_epi32(kLargestBits));
    const __m128i live = _mm_andnot_si128(bad, _mm_cmpgt_epi32(amax, _mm_set1_epi32(kTinyBits - 1)));
    const __m128 mask = _mm_castsi128_ps(live);
    const __m128 largest = _mm_castsi128_ps(amax);
    const __m128 c127 = _mm_set1_ps(127.0f);
    _mm_storeu_ps(d, _mm_and_ps(_mm_div_ps(largest, c127), mask));
    alignas(16) float inverse[4];
    alignas(16) int32_t keep[4];
    _mm_store_ps(inverse, _mm_and_ps(_mm_div_ps(c127, largest), mask));
    _mm_store_si128(reinterpret_cast<__m128i*>(keep), live);
    __m128i s[4];
    for (size_t b = 0; b < 4; ++b) s[b] = quantize_block(q + 32 * b, x + 32 * b, inverse[b], keep[b]);
    const __m128i s01 = _mm_add_epi32(_mm_unpacklo_epi32(s[0], s[1]), _mm_unpackhi_epi32(s[0], s[1]));
    const __m128i s23 = _mm_add_epi32(_mm_unpacklo_epi32(s[2], s[3]), _mm_unpackhi_epi32(s[2], s[3]));
    const __m128i total = _mm_add_epi32(_mm_unpacklo_epi64(s01, s23), _mm_unpackhi_epi64(s01, s23));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(sum), total);
    return static_cast<uint32_t>(_mm_movemask_epi8(bad));
  }
};

}  // namespace

bool quantize(int8_t* q, float* d, int32_t* sum, const float* x, size_t n) {
  return quantize_blocks<Lanes>(q, d, sum, x, n);
}

}  // namespace nxs::kernels::avx2
