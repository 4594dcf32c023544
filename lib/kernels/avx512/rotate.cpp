// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx512/functions.h"
#include "kernels/avx512/lanes.h"

namespace nxs::kernels::avx512 {

void rotate(float* x, const float* c, const float* s, size_t n_heads, size_t head_dim, float scale) {
  const __m512i twice = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
  const __m512 factor = _mm512_set1_ps(scale);
  for (size_t i = 0; i < head_dim; i += 16) {  // 8 pairs of each head
    const size_t n = head_dim - i < 16 ? head_dim - i : 16;
    const __mmask16 lanes = first_lanes(n);
    const __m512 c8 = _mm512_maskz_loadu_ps(first_lanes(n / 2), c + i / 2);
    const __m512 s8 = _mm512_maskz_loadu_ps(first_lanes(n / 2), s + i / 2);
    // Even lanes hold c, odd ones s; and the other way round.
    const __m512 cs = _mm512_mask_permutexvar_ps(_mm512_permutexvar_ps(twice, c8), 0xaaaa, twice, s8);
    const __m512 sc = _mm512_permute_ps(cs, 0xb1);
    for (size_t h = 0; h < n_heads; ++h) {
      float* p = x + h * head_dim + i;
      const __m512 v = _mm512_maskz_loadu_ps(lanes, p);
      // Even: fma(x, c, -(y * s)). Odd: fma(x, s, y * c).
      const __m512 product = _mm512_mul_ps(_mm512_movehdup_ps(v), sc);
      const __m512 turned = _mm512_fmaddsub_ps(_mm512_moveldup_ps(v), cs, product);
      _mm512_mask_storeu_ps(p, lanes, _mm512_mul_ps(turned, factor));
    }
  }
}

}  // namespace nxs::kernels::avx512
