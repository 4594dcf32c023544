// SPDX-License-Identifier: Apache-2.0 OR MIT
// exp of 16 floats: the fma sequence of ref/exp.h, lane by lane. Shared by exp, gate and attention of this folder.
#pragma once

#include <immintrin.h>

namespace nxs::kernels::avx512 {

/// For arguments up to 88, NaN included: what lies below -64 becomes +0. Attention needs no more, as its arguments are
/// s - max.
[[gnu::always_inline]] static inline __m512 exp_below_88(__m512 x) {
  const __m512 magic = _mm512_set1_ps(0x1.8p23f);
  const __m512 z = _mm512_fmadd_ps(x, _mm512_set1_ps(0x1.715476p+0f), magic);
  const __m512 n = _mm512_sub_ps(z, magic);
  __m512 r = _mm512_fmadd_ps(n, _mm512_set1_ps(-0x1.62e4p-1f), x);
  r = _mm512_fmadd_ps(n, _mm512_set1_ps(-0x1.7f7d1cp-20f), r);
  __m512 p = _mm512_fmadd_ps(_mm512_set1_ps(0x1.6a4d14p-10f), r, _mm512_set1_ps(0x1.12398ap-7f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.5558bp-5f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.555492p-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.fffffcp-2f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
  // z ends in the integer n: shifted to the exponent's place it scales p by 2^n. A NaN's z shifts to 0 and leaves p
  // alone.
  const __m512i scale = _mm512_slli_epi32(_mm512_castps_si512(z), 23);
  const __mmask16 not_tiny = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-64.0f), _CMP_NLT_UQ);
  return _mm512_castsi512_ps(_mm512_maskz_add_epi32(not_tiny, _mm512_castps_si512(p), scale));
}

/// Any argument: +inf above 88, a NaN stays itself.
[[gnu::always_inline]] static inline __m512 exp16(__m512 x) {
  const __mmask16 huge = _mm512_cmp_ps_mask(x, _mm512_set1_ps(88.0f), _CMP_GT_OQ);
  const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  const __m512 y = _mm512_mask_mov_ps(exp_below_88(x), huge, _mm512_set1_ps(__builtin_inff()));
  return _mm512_mask_mov_ps(y, nan, x);
}

/// exp of one float by the same sequence.
[[gnu::always_inline]] static inline float exp1(float x) {
  return _mm512_cvtss_f32(exp16(_mm512_set1_ps(x)));
}

}  // namespace nxs::kernels::avx512
