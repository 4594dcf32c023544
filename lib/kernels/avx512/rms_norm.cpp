// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx512/functions.h"
#include "kernels/avx512/lanes.h"

namespace nxs::kernels::avx512 {

void rms_norm(float* y, const float* x, const float* w, size_t n, float eps) {
  // The 16 partial sums are the lanes of one register: n / 16 dependent fmas, which is what the definition costs.
  __m512 p = _mm512_setzero_ps();
  for (size_t i = 0; i < n; i += 16) {
    const __m512 v = _mm512_loadu_ps(x + i);
    p = _mm512_fmadd_ps(v, v, p);
  }
  const __m128 mean = _mm_set_ss(tree_sum(p) / static_cast<float>(n) + eps);
  const float r = 1.0f / _mm_cvtss_f32(_mm_sqrt_ss(mean));
  const __m512 scale = _mm512_set1_ps(r);
  for (size_t i = 0; i < n; i += 16) {
    const __m512 v = _mm512_mul_ps(_mm512_loadu_ps(x + i), scale);
    _mm512_storeu_ps(y + i, _mm512_mul_ps(v, _mm512_loadu_ps(w + i)));
  }
}

}  // namespace nxs::kernels::avx512
