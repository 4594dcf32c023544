// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx2/functions.h"
#include "kernels/avx2/lanes.h"

namespace nxs::kernels::avx2 {
namespace {

/// What one pass over the row finds: the maximum of each lane (by value; which zero is open) and of its bits without
/// sign.
struct Extremes {
  __m256 largest;
  __m256i magnitude;
};

[[gnu::always_inline]] inline void widen(Extremes& e, __m256 v) {
  const __m256i bits = _mm256_and_si256(_mm256_castps_si256(v), _mm256_set1_epi32(INT32_MAX));
  e.magnitude = _mm256_max_epu32(e.magnitude, bits);
  e.largest = _mm256_max_ps(e.largest, v);
}

[[gnu::always_inline]] inline Extremes join(const Extremes& a, const Extremes& b) {
  return {_mm256_max_ps(a.largest, b.largest), _mm256_max_epu32(a.magnitude, b.magnitude)};
}

}  // namespace

bool argmax(size_t* index, float* value, const float* x, size_t n) {
  const Extremes none = {_mm256_set1_ps(-__builtin_inff()), _mm256_setzero_si256()};
  // Four independent maxima hide the latency; the row is the vocabulary's logits.
  Extremes e[4] = {none, none, none, none};
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    for (size_t u = 0; u < 4; ++u) widen(e[u], _mm256_loadu_ps(x + i + 8 * u));
  }
  for (; i + 8 <= n; i += 8) widen(e[0], _mm256_loadu_ps(x + i));
  for (; i < n; ++i) widen(e[0], _mm256_set1_ps(x[i]));
  const Extremes all = join(join(e[0], e[1]), join(e[2], e[3]));
  *index = 0;
  *value = 0.0f;
  const __m256i special = _mm256_cmpgt_epi32(all.magnitude, _mm256_set1_epi32(0x7f7fffff));
  if (_mm256_movemask_epi8(special) != 0) return false;

  // The first that equals it by value: +0 and -0 are equal, and the value returned is the one that stands there.
  const float largest = max_lane(all.largest);
  const __m256 wanted = _mm256_set1_ps(largest);
  for (i = 0; i + 8 <= n; i += 8) {
    const int hit = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(x + i), wanted, _CMP_EQ_OQ));
    if (hit == 0) continue;
    i += static_cast<size_t>(__builtin_ctz(static_cast<unsigned>(hit)));
    break;
  }
  while (x[i] != largest) ++i;
  *index = i;
  *value = x[i];
  return true;
}

}  // namespace nxs::kernels::avx2
