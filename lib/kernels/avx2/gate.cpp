// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx2/exp.h"
#include "kernels/avx2/functions.h"

namespace nxs::kernels::avx2 {

void gate(float* g, const float* u, size_t n) {
  const __m256 one = _mm256_set1_ps(1.0f);
  const __m256 sign = _mm256_set1_ps(-0.0f);
  for (size_t i = 0; i < n; i += 8) {
    const __m256 x = _mm256_loadu_ps(g + i);
    const __m256 y = _mm256_div_ps(x, _mm256_add_ps(one, exp8(_mm256_xor_ps(x, sign))));
    _mm256_storeu_ps(g + i, _mm256_mul_ps(y, _mm256_loadu_ps(u + i)));
  }
}

}  // namespace nxs::kernels::avx2
