// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <limits>

#include "guarded.h"
#include "kernel_check.h"

namespace nxs::kernels::check {
namespace {

// Values around the largest and the smallest halves, where conversion overflows, rounds to even or turns subnormal.
float near_half_limits(Run& run) {
  switch (run.between(0, 3)) {
    case 0:
      return run.value(Values::kPlain) * 65500.0f;
    case 1:
      return run.value(Values::kPlain) * 0x1p-14f;
    case 2:
      return run.value(Values::kPlain) * 0x1p-23f;
    default:
      return static_cast<float>(run.between(0, 4096)) * 0x1p-25f;
  }
}

template <typename T>
void one_round(Run& run, bool f32) {
  const size_t head_dim = 2 * run.between(1, 128);
  const size_t lanes = size_t{1} << run.between(0, 4);
  const size_t lane = run.between(0, lanes - 1);
  const size_t offset = run.between(0, 7);
  const bool bad = run.chance(4);
  const bool zero = run.chance(8);
  run.round("head_dim=%zu lane=%zu/%zu f32=%d bad=%d zero=%d", head_dim, lane, lanes, f32, bad, zero);
  Guarded<float> k(head_dim, offset), v(head_dim, offset);
  for (float& x : k) x = near_half_limits(run);
  for (float& x : v) x = near_half_limits(run);
  const float overflows[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                             f32 ? -std::numeric_limits<float>::infinity() : 65520.0f};
  if (bad) (run.chance(2) ? k : v)[run.between(0, head_dim - 1)] = overflows[run.between(0, 2)];
  Guarded<T> want_k(head_dim * lanes), got_k(head_dim * lanes), want_v(head_dim), got_v(head_dim);
  for (T& x : want_k) x = T{7};
  for (T& x : want_v) x = T{7};
  std::copy(want_k.begin(), want_k.end(), got_k.begin());
  std::copy(want_v.begin(), want_v.end(), got_v.begin());
  const bool want =
      run.want.store_kv(want_k.data(), lane, lanes, want_v.data(), k.data(), v.data(), head_dim, f32, zero);
  const bool got = run.got.store_kv(got_k.data(), lane, lanes, got_v.data(), k.data(), v.data(), head_dim, f32, zero);
  run.expect(want == got, "says %d", got);
  run.expect(zero || want == !bad, "the definition says %d", want);
  run.same_bytes("K", want_k.data(), got_k.data(), head_dim * lanes * sizeof(T));
  run.same_bytes("V", want_v.data(), got_v.data(), head_dim * sizeof(T));
  run.expect(got_k.intact() && got_v.intact(), "wrote outside the tile");
}

}  // namespace

void check_store_kv(Run& run) {
  for (int i = 0; i < 1000; ++i) {
    one_round<uint16_t>(run, false);
    one_round<float>(run, true);
  }
}

void bench_store_kv(Bench& bench) {
  Guarded<float> k(64), v(64);
  Guarded<uint16_t> k_tile(64 * 16), v_row(64);
  bench.report("store_kv 64 f16", 0, 0, 64 * 12.0, [&] {
    bench.kernels.store_kv(k_tile.data(), 3, 16, v_row.data(), k.data(), v.data(), 64, false, false);
  });
}

}  // namespace nxs::kernels::check
