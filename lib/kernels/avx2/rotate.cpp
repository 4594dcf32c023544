// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <immintrin.h>

#include "kernels/avx2/functions.h"

namespace nxs::kernels::avx2 {
namespace {

/// The pairs that do not fill a register.
void rotate_pair(float* p, float c, float s, float scale) {
  const float x = p[0];
  const float y = p[1];
  p[0] = __builtin_fmaf(x, c, -(y * s)) * scale;
  p[1] = __builtin_fmaf(x, s, y * c) * scale;
}

}  // namespace

void rotate(float* x, const float* c, const float* s, size_t n_heads, size_t head_dim, float scale) {
  const __m256 factor = _mm256_set1_ps(scale);
  size_t i = 0;
  for (; i + 8 <= head_dim; i += 8) {  // 4 pairs of each head
    const __m128 c4 = _mm_loadu_ps(c + i / 2);
    const __m128 s4 = _mm_loadu_ps(s + i / 2);
    // Even lanes hold c, odd ones s; and the other way round.
    const __m256 cs = _mm256_set_m128(_mm_unpackhi_ps(c4, s4), _mm_unpacklo_ps(c4, s4));
    const __m256 sc = _mm256_permute_ps(cs, 0xb1);
    for (size_t h = 0; h < n_heads; ++h) {
      float* p = x + h * head_dim + i;
      const __m256 v = _mm256_loadu_ps(p);
      // Even: fma(x, c, -(y * s)). Odd: fma(x, s, y * c).
      const __m256 product = _mm256_mul_ps(_mm256_movehdup_ps(v), sc);
      const __m256 turned = _mm256_fmaddsub_ps(_mm256_moveldup_ps(v), cs, product);
      _mm256_storeu_ps(p, _mm256_mul_ps(turned, factor));
    }
  }
  for (; i < head_dim; i += 2) {
    for (size_t h = 0; h < n_heads; ++h) rotate_pair(x + h * head_dim + i, c[i / 2], s[i / 2], scale);
  }
}

}  // namespace nxs::kernels::avx2
