// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "guarded.h"
#include "kernel_check.h"

namespace nxs::kernels::check {

void check_add(Run& run) {
  for (int i = 0; i < 300; ++i) {
    const size_t n = 16 * run.between(1, 60);
    const size_t offset = run.between(0, 15);
    const Values values = run.any_values();
    run.round("n=%zu offset=%zu values=%d", n, offset, static_cast<int>(values));
    Guarded<float> want(n, offset), got(n, offset), y(n, offset);
    run.fill({want.data(), n}, values);
    run.fill({y.data(), n}, values);
    std::copy(want.begin(), want.end(), got.begin());
    run.want.add(want.data(), y.data(), n);
    run.got.add(got.data(), y.data(), n);
    run.same("x", {want.data(), n}, {got.data(), n});
    run.expect(got.intact(), "wrote outside x");
  }
}

void bench_add(Bench& bench) {
  Guarded<float> x(576), y(576);
  bench.report("add 576", 0, 0, 576 * 12.0, [&] { bench.kernels.add(x.data(), y.data(), 576); });
}

}  // namespace nxs::kernels::check
