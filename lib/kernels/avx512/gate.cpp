// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx512/exp.h"
#include "kernels/avx512/functions.h"

namespace nxs::kernels::avx512 {

void gate(float* g, const float* u, size_t n) {
  const __m512 one = _mm512_set1_ps(1.0f);
  const __m512i sign = _mm512_set1_epi32(INT32_MIN);
  for (size_t i = 0; i < n; i += 16) {
    const __m512 x = _mm512_loadu_ps(g + i);
    const __m512 minus_x = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(x), sign));
    const __m512 y = _mm512_div_ps(x, _mm512_add_ps(one, exp16(minus_x)));
    _mm512_storeu_ps(g + i, _mm512_mul_ps(y, _mm512_loadu_ps(u + i)));
  }
}

}  // namespace nxs::kernels::avx512
