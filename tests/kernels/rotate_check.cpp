// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "guarded.h"
#include "kernel_check.h"

namespace nxs::kernels::check {

void check_rotate(Run& run) {
  for (int i = 0; i < 600; ++i) {
    const size_t head_dim = 2 * run.between(1, 128);
    const size_t heads = run.between(1, 9);
    const size_t n = heads * head_dim;
    const size_t offset = run.between(0, 15);
    const Values values = run.any_values();
    const float scale = run.chance(2) ? 1.0f : 0.125f * run.value(Values::kPlain);
    run.round("heads=%zu head_dim=%zu offset=%zu values=%d scale=%g", heads, head_dim, offset, static_cast<int>(values),
              double{scale});
    Guarded<float> want(n, offset), got(n, offset), c(head_dim / 2, offset), s(head_dim / 2, offset);
    run.fill({want.data(), n}, values);
    run.fill({c.data(), c.size()}, Values::kPlain);
    run.fill({s.data(), s.size()}, Values::kPlain);
    std::copy(want.begin(), want.end(), got.begin());
    run.want.rotate(want.data(), c.data(), s.data(), heads, head_dim, scale);
    run.got.rotate(got.data(), c.data(), s.data(), heads, head_dim, scale);
    run.same("x", {want.data(), n}, {got.data(), n});
    run.expect(got.intact(), "wrote outside x");
  }
}

void bench_rotate(Bench& bench) {
  Guarded<float> x(576), c(32), s(32);
  bench.report("rotate 9 heads of 64", 0, 0, 576 * 8.0,
               [&] { bench.kernels.rotate(x.data(), c.data(), s.data(), 9, 64, 1.0f); });
}

}  // namespace nxs::kernels::check
