// SPDX-License-Identifier: Apache-2.0 OR MIT
// Sums and maxima over the 16 lanes of a register, and masks for ends of rows. Used by the other files of this folder.
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

namespace nxs::kernels::avx512 {

/// p[i] = p[i] + p[i + 8] for i < 8, then + 4, + 2, + 1. Never _mm512_reduce_add_ps, whose order is the compiler's.
[[gnu::always_inline]] static inline float tree_sum(__m512 p) {
  const __m256 high = _mm512_extractf32x8_ps(p, 1);
  const __m256 p8 = _mm256_add_ps(_mm512_castps512_ps256(p), high);
  const __m128 p4 = _mm_add_ps(_mm256_castps256_ps128(p8), _mm256_extractf128_ps(p8, 1));
  const __m128 p2 = _mm_add_ps(p4, _mm_movehl_ps(p4, p4));
  return _mm_cvtss_f32(_mm_add_ss(p2, _mm_movehdup_ps(p2)));
}

/// The largest lane of numbers among which -0 and +0 do not both occur; then any order gives the same bits.
[[gnu::always_inline]] static inline float max_lane(__m512 p) {
  const __m256 p8 = _mm256_max_ps(_mm512_castps512_ps256(p), _mm512_extractf32x8_ps(p, 1));
  const __m128 p4 = _mm_max_ps(_mm256_castps256_ps128(p8), _mm256_extractf128_ps(p8, 1));
  const __m128 p2 = _mm_max_ps(p4, _mm_movehl_ps(p4, p4));
  return _mm_cvtss_f32(_mm_max_ss(p2, _mm_movehdup_ps(p2)));
}

/// Lanes 0..n-1, n <= 16.
[[gnu::always_inline]] static inline __mmask16 first_lanes(size_t n) {
  return static_cast<__mmask16>((uint32_t{1} << n) - 1);
}

}  // namespace nxs::kernels::avx512
