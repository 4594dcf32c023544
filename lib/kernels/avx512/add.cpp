// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <immintrin.h>

#include "kernels/avx512/functions.h"

namespace nxs::kernels::avx512 {

void add(float* x, const float* y, size_t n) {
  for (size_t i = 0; i < n; i += 16) {
    _mm512_storeu_ps(x + i, _mm512_add_ps(_mm512_loadu_ps(x + i), _mm512_loadu_ps(y + i)));
  }
}

}  // namespace nxs::kernels::avx512
