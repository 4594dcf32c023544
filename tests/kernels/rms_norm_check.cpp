// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "guarded.h"
#include "kernel_check.h"

namespace nxs::kernels::check {

void check_rms_norm(Run& run) {
  for (int i = 0; i < 400; ++i) {
    const size_t n = 16 * run.between(1, run.chance(4) ? 256 : 40);
    const size_t offset = run.between(0, 15);
    const Values values = run.any_values();
    const float eps = run.chance(8) ? 0.0f : 1e-5f;
    run.round("n=%zu offset=%zu values=%d eps=%g", n, offset, static_cast<int>(values), double{eps});
    Guarded<float> x(n, offset), w(n, offset), want(n, offset), got(n, offset);
    run.fill({x.data(), n}, values);
    run.fill({w.data(), n}, Values::kPlain);
    run.want.rms_norm(want.data(), x.data(), w.data(), n, eps);
    run.got.rms_norm(got.data(), x.data(), w.data(), n, eps);
    run.same("y", {want.data(), n}, {got.data(), n});
    run.expect(got.intact(), "wrote outside y");
  }
}

void bench_rms_norm(Bench& bench) {
  Guarded<float> x(576), w(576), y(576);
  bench.report("rms_norm 576", 0, 0, 576 * 8.0,
               [&] { bench.kernels.rms_norm(y.data(), x.data(), w.data(), 576, 1e-5f); });
}

}  // namespace nxs::kernels::check
