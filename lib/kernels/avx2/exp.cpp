// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx2/exp.h"

#include "kernels/avx2/functions.h"
#include "kernels/avx2/lanes.h"

namespace nxs::kernels::avx2 {

void exp(float* y, const float* x, size_t n) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(y + i, exp8(_mm256_loadu_ps(x + i)));
  if (i == n) return;
  const __m256i rest = first_lanes(n - i);
  _mm256_maskstore_ps(y + i, rest, exp8(_mm256_maskload_ps(x + i, rest)));
}

}  // namespace nxs::kernels::avx2
