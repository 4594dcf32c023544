// SPDX-License-Identifier: Apache-2.0 OR MIT
// 16 lanes as a pair of registers (lanes 0-7 and 8-15), and the tree 8, 4, 2, 1 over them that the definitions name.
// Used by rms_norm and attention of this folder.
#pragma once

#include <immintrin.h>
#include <stddef.h>

namespace nxs::kernels::avx2 {

/// p[i] = p[i] + p[i + 8] for i < 8, then + 4, + 2, + 1.
[[gnu::always_inline]] static inline float tree_sum(__m256 lo, __m256 hi) {
  const __m256 p8 = _mm256_add_ps(lo, hi);
  const __m128 p4 = _mm_add_ps(_mm256_castps256_ps128(p8), _mm256_extractf128_ps(p8, 1));
  const __m128 p2 = _mm_add_ps(p4, _mm_movehl_ps(p4, p4));
  return _mm_cvtss_f32(_mm_add_ss(p2, _mm_movehdup_ps(p2)));
}

/// The largest lane of numbers among which -0 and +0 do not both occur; then any order gives the same bits.
[[gnu::always_inline]] static inline float max_lane(__m256 p8) {
  const __m128 p4 = _mm_max_ps(_mm256_castps256_ps128(p8), _mm256_extractf128_ps(p8, 1));
  const __m128 p2 = _mm_max_ps(p4, _mm_movehl_ps(p4, p4));
  return _mm_cvtss_f32(_mm_max_ss(p2, _mm_movehdup_ps(p2)));
}

/// All ones in the lanes below n, n <= 8, zeros above: for masked loads and stores.
[[gnu::always_inline]] static inline __m256i first_lanes(size_t n) {
  const __m256i lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lane);
}

}  // namespace nxs::kernels::avx2
