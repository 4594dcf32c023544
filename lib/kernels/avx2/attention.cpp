// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx2/exp.h"
#include "kernels/avx2/functions.h"
#include "kernels/avx2/lanes.h"
#include "kernels/tiled_attention.h"

namespace nxs::kernels::avx2 {
namespace {

/// Pairs of registers.
struct Lanes {
  struct Reg {
    __m256 lo, hi;
  };

  [[gnu::always_inline]] static Reg zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
  [[gnu::always_inline]] static Reg load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
  [[gnu::always_inline]] static Reg load(const uint16_t* p) {
    const __m128i* h = reinterpret_cast<const __m128i*>(p);
    return {_mm256_cvtph_ps(_mm_loadu_si128(h)), _mm256_cvtph_ps(_mm_loadu_si128(h + 1))};
  }
  [[gnu::always_inline]] static void store(float* p, Reg a) {
    _mm256_storeu_ps(p, a.lo);
    _mm256_storeu_ps(p + 8, a.hi);
  }
  [[gnu::always_inline]] static Reg spread(float a) { return {_mm256_set1_ps(a), _mm256_set1_ps(a)}; }
  [[gnu::always_inline]] static Reg fma(Reg a, Reg b, Reg c) {
    return {_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)};
  }
  [[gnu::always_inline]] static Reg add(Reg a, Reg b) { return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)}; }
  [[gnu::always_inline]] static Reg sub(Reg a, Reg b) { return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)}; }
  [[gnu::always_inline]] static Reg max(Reg a, Reg b) { return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)}; }
  [[gnu::always_inline]] static Reg exp(Reg a) { return {exp_below_88(a.lo), exp_below_88(a.hi)}; }
  [[gnu::always_inline]] static Reg first_or_lowest(Reg a, size_t n) {
    const __m256 lowest = _mm256_set1_ps(-__builtin_inff());
    const __m256 in_lo = _mm256_castsi256_ps(first_lanes(n < 8 ? n : 8));
    const __m256 in_hi = _mm256_castsi256_ps(first_lanes(n < 8 ? 0 : n - 8));
    return {_mm256_blendv_ps(lowest, a.lo, in_lo), _mm256_blendv_ps(lowest, a.hi, in_hi)};
  }
  [[gnu::always_inline]] static float tree_sum(Reg a) { return avx2::tree_sum(a.lo, a.hi); }
  [[gnu::always_inline]] static float max_lane(Reg a) { return avx2::max_lane(_mm256_max_ps(a.lo, a.hi)); }
};

/// One or two queries: 4 or 8 accumulators and 4 registers of keys.
struct FewQueries : Lanes {
  static constexpr size_t kLeastQueries = 1, kQueries = 2, kTiles = 2, kChannels = 2;
};

/// More: 12 accumulators, 2 registers of keys, and the query's value. Groups have 3 (7 / 2) or more.
struct ManyQueries : Lanes {
  static constexpr size_t kLeastQueries = 3, kQueries = 6, kTiles = 1, kChannels = 1;
};

struct Shapes {
  static void take(const Part& part, bool values) {
    if (part.n_queries <= FewQueries::kQueries) {
      Attend<FewQueries>{part}.run(values);
    } else {
      Attend<ManyQueries>{part}.run(values);
    }
  }
};

}  // namespace

void attend(const AttentionChunk& chunk, const AttentionQuery* queries, size_t n_queries) {
  attend_parts<Lanes, Shapes>(chunk, queries, n_queries);
}

void attend_merge(float* m, float* l, float* o, float m2, float l2, const float* o2, size_t n) {
  const float larger = *m < m2 ? m2 : *m;
  const __m256 a = exp8(_mm256_set1_ps(*m - larger));
  const __m256 b = exp8(_mm256_set1_ps(m2 - larger));
  for (size_t i = 0; i < n; i += 8) {
    const __m256 old = _mm256_mul_ps(a, _mm256_loadu_ps(o + i));
    _mm256_storeu_ps(o + i, _mm256_fmadd_ps(b, _mm256_loadu_ps(o2 + i), old));
  }
  *l = __builtin_fmaf(_mm256_cvtss_f32(b), l2, _mm256_cvtss_f32(a) * *l);
  *m = larger;
}

void attend_finish(float* out, const float* o, float l, size_t n) {
  const float r = 1.0f / l;
  const __m256 r8 = _mm256_set1_ps(r);
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256 y = _mm256_mul_ps(_mm256_loadu_ps(o + i), r8);
    _mm256_storeu_ps(out + i, _mm256_add_ps(y, _mm256_setzero_ps()));
  }
  for (; i < n; ++i) out[i] = o[i] * r + 0.0f;
}

}  // namespace nxs::kernels::avx2
