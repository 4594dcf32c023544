// SPDX-License-Identifier: Apache-2.0 OR MIT
// exp of 8 floats: the fma sequence of ref/exp.h, lane by lane. Shared by exp, gate and attention of this folder.
#pragma once

#include <immintrin.h>

namespace nxs::kernels::avx2 {

/// For arguments up to 88, NaN included: what lies below -64 becomes +0. Attention needs no more, as its arguments are
/// s - max.
[[gnu::always_inline]] static inline __m256 exp_below_88(__m256 x) {
  const __m256 magic = _mm256_set1_ps(0x1.8p23f);
  const __m256 z = _mm256_fmadd_ps(x, _mm256_set1_ps(0x1.715476p+0f), magic);
  const __m256 n = _mm256_sub_ps(z, magic);
  __m256 r = _mm256_fmadd_ps(n, _mm256_set1_ps(-0x1.62e4p-1f), x);
  r = _mm256_fmadd_ps(n, _mm256_set1_ps(-0x1.7f7d1cp-20f), r);
  __m256 p = _mm256_fmadd_ps(_mm256_set1_ps(0x1.6a4d14p-10f), r, _mm256_set1_ps(0x1.12398ap-7f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.5558bp-5f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.555492p-3f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.fffffcp-2f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f));
  // z ends in the integer n: shifted to the exponent's place it scales p by 2^n. A NaN's z shifts to 0 and leaves p
  // alone.
  const __m256i scale = _mm256_slli_epi32(_mm256_castps_si256(z), 23);
  const __m256 y = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), scale));
  return _mm256_and_ps(y, _mm256_cmp_ps(x, _mm256_set1_ps(-64.0f), _CMP_NLT_UQ));
}

/// Any argument: +inf above 88, a NaN stays itself.
[[gnu::always_inline]] static inline __m256 exp8(__m256 x) {
  const __m256 huge = _mm256_cmp_ps(x, _mm256_set1_ps(88.0f), _CMP_GT_OQ);
  const __m256 nan = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
  const __m256 y = _mm256_blendv_ps(exp_below_88(x), _mm256_set1_ps(__builtin_inff()), huge);
  return _mm256_blendv_ps(y, x, nan);
}

}  // namespace nxs::kernels::avx2
