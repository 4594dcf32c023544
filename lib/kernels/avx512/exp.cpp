// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx512/exp.h"
#include "kernels/avx512/functions.h"
#include "kernels/avx512/lanes.h"

namespace nxs::kernels::avx512 {

void exp(float* y, const float* x, size_t n) {
  size_t i = 0;
  for (; i + 16 <= n; i += 16) _mm512_storeu_ps(y + i, exp16(_mm512_loadu_ps(x + i)));
  if (i == n) return;
  const __mmask16 rest = first_lanes(n - i);
  _mm512_mask_storeu_ps(y + i, rest, exp16(_mm512_maskz_loadu_ps(rest, x + i)));
}

}  // namespace nxs::kernels::avx512
