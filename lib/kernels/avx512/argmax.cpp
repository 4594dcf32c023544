// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx512/functions.h"
#include "kernels/avx512/lanes.h"

namespace nxs::kernels::avx512 {
namespace {

/// What one pass over the row finds: the maximum of each lane (by value; which zero is open) and of its bits without
/// sign.
struct Extremes {
  __m512 largest;
  __m512i magnitude;
};

[[gnu::always_inline]] inline void widen(Extremes& e, __m512 v) {
  const __m512i bits = _mm512_and_si512(_mm512_castps_si512(v), _mm512_set1_epi32(INT32_MAX));
  e.magnitude = _mm512_max_epu32(e.magnitude, bits);
  e.largest = _mm512_max_ps(e.largest, v);
}

}  // namespace

bool argmax(size_t* index, float* value, const float* x, size_t n) {
  const __m512 lowest = _mm512_set1_ps(-__builtin_inff());
  // Four independent maxima hide the latency; the row is the vocabulary's logits.
  Extremes e[4] = {{lowest, _mm512_setzero_si512()},
                   {lowest, _mm512_setzero_si512()},
                   {lowest, _mm512_setzero_si512()},
                   {lowest, _mm512_setzero_si512()}};
  size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    widen(e[0], _mm512_loadu_ps(x + i));
    widen(e[1], _mm512_loadu_ps(x + i + 16));
    widen(e[2], _mm512_loadu_ps(x + i + 32));
    widen(e[3], _mm512_loadu_ps(x + i + 48));
  }
  // Lanes past the end repeat x[0], which is in the row anyway.
  for (; i < n; i += 16) {
    const __mmask16 lanes = n - i < 16 ? first_lanes(n - i) : static_cast<__mmask16>(0xffff);
    widen(e[0], _mm512_mask_loadu_ps(_mm512_set1_ps(x[0]), lanes, x + i));
  }
  const __m512i magnitude = _mm512_max_epu32(_mm512_max_epu32(e[0].magnitude, e[1].magnitude),
                                             _mm512_max_epu32(e[2].magnitude, e[3].magnitude));
  *index = 0;
  *value = 0.0f;
  if (_mm512_cmpge_epu32_mask(magnitude, _mm512_set1_epi32(0x7f800000)) != 0) return false;

  const float largest =
      max_lane(_mm512_max_ps(_mm512_max_ps(e[0].largest, e[1].largest), _mm512_max_ps(e[2].largest, e[3].largest)));
  // The first that equals it by value: +0 and -0 are equal, and the value returned is the one that stands there.
  for (i = 0;; i += 16) {
    const __mmask16 lanes = n - i < 16 ? first_lanes(n - i) : static_cast<__mmask16>(0xffff);
    const __mmask16 hit =
        _mm512_mask_cmp_ps_mask(lanes, _mm512_maskz_loadu_ps(lanes, x + i), _mm512_set1_ps(largest), _CMP_EQ_OQ);
    if (hit == 0) continue;
    *index = i + static_cast<size_t>(__builtin_ctz(hit));
    *value = x[*index];
    return true;
  }
}

}  // namespace nxs::kernels::avx512
