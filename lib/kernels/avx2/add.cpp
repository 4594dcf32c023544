// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <immintrin.h>

#include "kernels/avx2/functions.h"

namespace nxs::kernels::avx2 {

void add(float* x, const float* y, size_t n) {
  for (size_t i = 0; i < n; i += 8) {
    _mm256_storeu_ps(x + i, _mm256_add_ps(_mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i)));
  }
}

}  // namespace nxs::kernels::avx2
