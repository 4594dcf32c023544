// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx2/functions.h"
#include "kernels/avx2/lanes.h"

namespace nxs::kernels::avx2 {

void rms_norm(float* y, const float* x, const float* w, size_t n, float eps) {
  // The 16 partial sums are the lanes of two registers: n / 16 dependent fmas, which is what the definition costs.
  __m256 lo = _mm256_setzero_ps();
  __m256 hi = _mm256_setzero_ps();
  for (size_t i = 0; i < n; i += 16) {
    const __m256 a = _mm256_loadu_ps(x + i);
    const __m256 b = _mm256_loadu_ps(x + i + 8);
    lo = _mm256_fmadd_ps(a, a, lo);
    hi = _mm256_fmadd_ps(b, b, hi);
  }
  const __m128 mean = _mm_set_ss(tree_sum(lo, hi) / static_cast<float>(n) + eps);
  const float r = 1.0f / _mm_cvtss_f32(_mm_sqrt_ss(mean));
  const __m256 scale = _mm256_set1_ps(r);
  for (size_t i = 0; i < n; i += 8) {
    const __m256 v = _mm256_mul_ps(_mm256_loadu_ps(x + i), scale);
    _mm256_storeu_ps(y + i, _mm256_mul_ps(v, _mm256_loadu_ps(w + i)));
  }
}

}  // namespace nxs::kernels::avx2
