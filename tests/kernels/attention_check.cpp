// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <cmath>
#include <cstdio>
#include <vector>

#include "guarded.h"
#include "kernel_check.h"
#include "tensor/half.h"

namespace nxs::kernels::check {
namespace {

size_t padded(size_t head_dim) {
  return (head_dim + 15) / 16 * 16;
}

float stored(float x, float*) {
  return x;
}
uint16_t stored(float x, uint16_t*) {
  const uint16_t h = tensor::float_to_half(x);
  return (h & 0x7c00u) == 0x7c00u ? static_cast<uint16_t>(h & 0xbfffu) : h;  // all finite
}

// A chunk of 256 keys: the first n_keys hold `values`, later ones any finite junk, V's padding zeros.
template <typename T>
struct Keys {
  Keys(Run& run, size_t dim, size_t n_keys, Values values)
      : n_tiles((n_keys + kTile - 1) / kTile), k(kChunk * dim), v(kChunk * padded(dim)), tiles(n_tiles) {
    for (size_t j = 0; j < kChunk; ++j) {
      const Values kind = j < n_keys ? values : Values::kAnyFinite;
      for (size_t d = 0; d < dim; ++d) {
        k[(j / kTile * dim + d) * kTile + j % kTile] = stored(run.value(kind), static_cast<T*>(nullptr));
        v[j * padded(dim) + d] = stored(run.value(kind), static_cast<T*>(nullptr));
      }
    }
    for (size_t t = 0; t < n_tiles; ++t) tiles[t] = {k.data() + t * dim * kTile, v.data() + t * kTile * padded(dim)};
  }
  size_t n_tiles;
  Guarded<T> k, v;
  std::vector<KvTile> tiles;
};

// One set of results, and the queries that point into it.
struct Results {
  Results(size_t n, size_t dim, const Guarded<float>& q, const std::vector<uint32_t>& n_keys)
      : m(n), l(n), o(n * padded(dim)), scratch(attention_scratch_floats(n)), queries(n) {
    for (size_t i = 0; i < n; ++i)
      queries[i] = {q.data() + i * dim, n_keys[i], &m[i], &l[i], o.data() + i * padded(dim)};
  }
  Guarded<float> m, l, o, scratch;
  std::vector<AttentionQuery> queries;
};

template <typename T>
void one_round(Run& run, bool f32) {
  const size_t dim = run.chance(3) ? 64 : 2 * run.between(1, kMaxHeadDim / 2);
  const size_t n = run.chance(2) ? run.between(1, 4) : run.between(1, 40);
  const size_t most = run.chance(3) ? kChunk : run.between(1, kChunk);
  const Values values = run.chance(2) ? Values::kPlain : run.any_values();
  run.round("head_dim=%zu queries=%zu keys<=%zu f32=%d values=%d", dim, n, most, f32, static_cast<int>(values));
  const Keys<T> keys(run, dim, most, values);
  Guarded<float> q(n * dim, run.between(0, 15));
  run.fill({q.data(), q.size()}, run.chance(4) ? values : Values::kPlain);
  std::vector<uint32_t> n_keys(n);
  for (auto& count : n_keys) count = static_cast<uint32_t>(run.chance(2) ? most : run.between(1, most));
  n_keys[run.between(0, n - 1)] = static_cast<uint32_t>(most);
  Results want(n, dim, q, n_keys), got(n, dim, q, n_keys);
  // Sometimes only the first tiles are all queries', and neighbours see one of three sets of later ones.
  const size_t n_shared = run.chance(2) ? keys.n_tiles : run.between(0, keys.n_tiles);
  const Keys<T> others[2] = {Keys<T>(run, dim, most, values), Keys<T>(run, dim, most, values)};
  for (size_t i = 0, set = 0; n_shared < keys.n_tiles && i < n; ++i) {
    if (run.chance(3)) set = run.between(0, 2);
    want.queries[i].own = got.queries[i].own = (set == 2 ? keys : others[set]).tiles.data() + n_shared;
  }
  const size_t n_next = std::min(keys.n_tiles, run.between(0, 4));
  const auto attend = [&](const Kernels& kernels, Results& r) {
    kernels.attend({keys.tiles.data(), n_shared, dim, f32, r.scratch.data(), keys.tiles.data(), n_next},
                   r.queries.data(), n);
  };
  attend(run.want, want);
  attend(run.got, got);
  run.same("l", {want.l.data(), n}, {got.l.data(), n});
  for (size_t i = 0; i < n; ++i) {
    if (!std::isnan(want.l[i]))
      run.same("m", {&want.m[i], 1}, {&got.m[i], 1});  // else the row is bad, whatever its maximum
  }
  // A kernel may let masked keys in with e = +0, which can turn a -0 around; attend_finish makes both +0.
  run.same_value("o", {want.o.data(), want.o.size()}, {got.o.data(), got.o.size()});
  run.expect(got.m.intact() && got.l.intact() && got.o.intact() && got.scratch.intact(), "wrote outside its outputs");
}

void finish_round(Run& run) {
  const size_t n = run.between(1, kMaxHeadDim);
  const size_t offset = run.between(0, 15);
  const float l = std::fabs(run.value(run.any_values()));
  run.round("finish n=%zu offset=%zu l=%g", n, offset, double{l});
  Guarded<float> o(padded(n)), want(n, offset), got(n, offset);
  run.fill({o.data(), n}, run.any_values());
  run.want.attend_finish(want.data(), o.data(), l, n);
  run.got.attend_finish(got.data(), o.data(), l, n);
  run.same("out", {want.data(), n}, {got.data(), n});
  run.expect(got.intact(), "wrote outside out");
  run.got.attend_finish(o.data(), o.data(), l, n);  // in place
  run.same("out in place", {want.data(), n}, {o.data(), n});
  run.expect(o.intact(), "wrote outside out in place");
}

template <typename T>
void bench_one(Bench& bench, bool f32, size_t n, size_t dim) {
  Run run(bench.kernels, bench.kernels, "bench", 1, false);
  const Keys<T> keys(run, dim, kChunk, Values::kPlain);
  Guarded<float> q(n * dim);
  run.fill({q.data(), q.size()}, Values::kPlain);
  Results r(n, dim, q, std::vector<uint32_t>(n, kChunk));
  char what[64];
  std::snprintf(what, sizeof what, "attend 256 keys of %zu %s n=%zu", dim, f32 ? "f32" : "f16", n);
  const auto values = static_cast<double>(2 * kChunk * dim);
  bench.report(what, values * static_cast<double>(n), bench.peaks.fma, values * sizeof(T), [&] {
    bench.kernels.attend({keys.tiles.data(), keys.n_tiles, dim, f32, r.scratch.data()}, r.queries.data(), n);
  });
}

}  // namespace

void check_attend(Run& run) {
  for (int i = 0; i < 150; ++i) {
    one_round<uint16_t>(run, false);
    one_round<float>(run, true);
  }
}

void check_attend_merge(Run& run) {
  for (int i = 0; i < 600; ++i) {
    const size_t n = 16 * run.between(1, kMaxHeadDim / 16);
    const Values values = run.chance(2) ? Values::kPlain : run.any_values();
    const float spread = run.chance(2) ? 1.0f : 90.0f;
    float want_m = run.value(Values::kPlain) * spread;
    float want_l = 1.0f + std::fabs(run.value(Values::kPlain)) * 255.0f;
    const float m2 = run.chance(8) ? want_m : run.value(Values::kPlain) * spread;
    const float l2 = 1.0f + std::fabs(run.value(Values::kPlain)) * 255.0f;
    run.round("merge n=%zu values=%d m=%a m2=%a", n, static_cast<int>(values), double{want_m}, double{m2});
    Guarded<float> want(n), got(n), o2(n);
    run.fill({want.data(), n}, values);
    run.fill({o2.data(), n}, values);
    std::copy(want.begin(), want.end(), got.begin());
    float got_m = want_m;
    float got_l = want_l;
    run.want.attend_merge(&want_m, &want_l, want.data(), m2, l2, o2.data(), n);
    run.got.attend_merge(&got_m, &got_l, got.data(), m2, l2, o2.data(), n);
    run.same("m", {&want_m, 1}, {&got_m, 1});
    run.same("l", {&want_l, 1}, {&got_l, 1});
    run.same("o", {want.data(), n}, {got.data(), n});
    run.expect(got.intact(), "wrote outside o");
    finish_round(run);
  }
}

void bench_attend(Bench& bench) {
  for (const size_t n : {1, 3, 12, 96}) {
    bench_one<uint16_t>(bench, false, n, 64);
    bench_one<float>(bench, true, n, 64);
  }
}

void bench_attend_merge(Bench& bench) {
  Guarded<float> o(64), o2(64);
  float m = 0, l = 1;
  bench.report("attend_merge 64", 0, 0, 64 * 12.0,
               [&] { bench.kernels.attend_merge(&m, &l, o.data(), 0.5f, 1.0f, o2.data(), 64); });
}

}  // namespace nxs::kernels::check
