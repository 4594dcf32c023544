// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx512/exp.h"
#include "kernels/avx512/functions.h"
#include "kernels/avx512/lanes.h"
#include "kernels/tiled_attention.h"

namespace nxs::kernels::avx512 {
namespace {

struct Lanes {
  using Reg = __m512;

  [[gnu::always_inline]] static Reg zero() { return _mm512_setzero_ps(); }
  [[gnu::always_inline]] static Reg load(const float* p) { return _mm512_loadu_ps(p); }
  [[gnu::always_inline]] static Reg load(const uint16_t* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  [[gnu::always_inline]] static void store(float* p, Reg a) { _mm512_storeu_ps(p, a); }
  [[gnu::always_inline]] static Reg spread(float a) { return _mm512_set1_ps(a); }
  [[gnu::always_inline]] static Reg fma(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }
  [[gnu::always_inline]] static Reg add(Reg a, Reg b) { return _mm512_add_ps(a, b); }
  [[gnu::always_inline]] static Reg sub(Reg a, Reg b) { return _mm512_sub_ps(a, b); }
  [[gnu::always_inline]] static Reg max(Reg a, Reg b) { return _mm512_max_ps(a, b); }
  [[gnu::always_inline]] static Reg exp(Reg a) { return exp_below_88(a); }
  [[gnu::always_inline]] static Reg first_or_lowest(Reg a, size_t n) {
    return _mm512_mask_mov_ps(_mm512_set1_ps(-__builtin_inff()), first_lanes(n), a);
  }
  [[gnu::always_inline]] static float tree_sum(Reg a) { return avx512::tree_sum(a); }
  [[gnu::always_inline]] static float max_lane(Reg a) { return avx512::max_lane(a); }
};

/// 24 accumulators, 4 registers of keys or values, and the query's value from memory. For one row, and for a prefill.
struct LongTiles : Lanes {
  static constexpr size_t kLeastQueries = 1, kQueries = 6, kTiles = 4, kChannels = 4;
};

/// For a few rows (drafts, forks): more queries share each conversion of a key or value. Groups have 6 (13 / 2) or
/// more.
struct ManyQueries : Lanes {
  static constexpr size_t kLeastQueries = 6, kQueries = 12, kTiles = 2, kChannels = 2;
};

struct Shapes {
  static void take(const Part& part, bool values) {
    if (part.n_queries > LongTiles::kQueries && part.n_queries <= 2 * ManyQueries::kQueries) {
      Attend<ManyQueries>{part}.run(values);
    } else {
      Attend<LongTiles>{part}.run(values);
    }
  }
};

}  // namespace

void attend(const AttentionChunk& chunk, const AttentionQuery* queries, size_t n_queries) {
  attend_parts<Lanes, Shapes>(chunk, queries, n_queries);
}

void attend_merge(float* m, float* l, float* o, float m2, float l2, const float* o2, size_t n) {
  const float larger = *m < m2 ? m2 : *m;
  const __m512 a = exp16(_mm512_set1_ps(*m - larger));
  const __m512 b = exp16(_mm512_set1_ps(m2 - larger));
  for (size_t i = 0; i < n; i += 16) {
    const __m512 old = _mm512_mul_ps(a, _mm512_loadu_ps(o + i));
    _mm512_storeu_ps(o + i, _mm512_fmadd_ps(b, _mm512_loadu_ps(o2 + i), old));
  }
  *l = __builtin_fmaf(_mm512_cvtss_f32(b), l2, _mm512_cvtss_f32(a) * *l);
  *m = larger;
}

void attend_finish(float* out, const float* o, float l, size_t n) {
  const __m512 r = _mm512_set1_ps(1.0f / l);
  for (size_t i = 0; i < n; i += 16) {
    const __mmask16 lanes = n - i < 16 ? first_lanes(n - i) : static_cast<__mmask16>(0xffff);
    const __m512 y = _mm512_mul_ps(_mm512_maskz_loadu_ps(lanes, o + i), r);
    _mm512_mask_storeu_ps(out + i, lanes, _mm512_add_ps(y, _mm512_setzero_ps()));
  }
}

}  // namespace nxs::kernels::avx512
