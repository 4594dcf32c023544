// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "guarded.h"
#include "kernel_check.h"

namespace nxs::kernels::check {

void check_gate(Run& run) {
  for (int i = 0; i < 600; ++i) {
    const size_t n = 16 * run.between(1, 60);
    const size_t offset = run.between(0, 15);
    const Values values = run.any_values();
    const float scale = run.chance(2) ? 100.0f : 1.0f;  // crosses both ends of exp
    run.round("n=%zu offset=%zu values=%d scale=%g", n, offset, static_cast<int>(values), double{scale});
    Guarded<float> want(n, offset), got(n, offset), u(n, offset);
    for (float& g : want) g = values == Values::kPlain ? run.value(values) * scale : run.value(values);
    run.fill({u.data(), n}, run.any_values());
    std::copy(want.begin(), want.end(), got.begin());
    run.want.gate(want.data(), u.data(), n);
    run.got.gate(got.data(), u.data(), n);
    run.same("g", {want.data(), n}, {got.data(), n});
    run.expect(got.intact(), "wrote outside g");
  }
}

void bench_gate(Bench& bench) {
  Guarded<float> g(1536), u(1536);
  bench.report("gate 1536", 0, 0, 1536 * 12.0, [&] { bench.kernels.gate(g.data(), u.data(), 1536); });
}

}  // namespace nxs::kernels::check
