// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <limits>

#include "guarded.h"
#include "kernel_check.h"

namespace nxs::kernels::check {

void check_pack_panel(Run& run) {
  for (int i = 0; i < 600; ++i) {
    const size_t rows = run.between(1, kPanel);
    const size_t k = 16 * run.between(1, run.chance(5) ? 190 : 12);
    const size_t ldx = k + run.between(0, 20);
    const size_t offset = run.between(0, 15);
    run.round("rows=%zu k=%zu ldx=%zu offset=%zu", rows, k, ldx, offset);
    Guarded<float> x((rows - 1) * ldx + k, offset), want(rows * k, offset), got(rows * k, offset);
    run.fill({x.data(), x.size()}, Values::kAnyFinite);
    uint32_t bad = 0;
    for (size_t r = 0; r < rows; ++r) {
      if (!run.chance(4)) continue;
      bad |= 1u << r;
      x[r * ldx + run.between(0, k - 1)] =
          run.chance(2) ? std::numeric_limits<float>::quiet_NaN() : -std::numeric_limits<float>::infinity();
    }
    const uint32_t want_bad = run.want.pack_panel(want.data(), x.data(), ldx, rows, k);
    const uint32_t got_bad = run.got.pack_panel(got.data(), x.data(), ldx, rows, k);
    run.expect(want_bad == bad, "the definition finds bad rows %x, not %x", want_bad, bad);
    run.expect(got_bad == bad, "finds bad rows %x, not %x", got_bad, bad);
    run.same("panel", {want.data(), want.size()}, {got.data(), got.size()});
    run.expect(got.intact(), "wrote outside the panel");
  }
}

void bench_pack_panel(Bench& bench) {
  Guarded<float> x(8 * 576), panel(8 * 576);
  bench.report("pack_panel 8x576", 0, 0, 8 * 576 * 8.0,
               [&] { bench.kernels.pack_panel(panel.data(), x.data(), 576, 8, 576); });
}

}  // namespace nxs::kernels::check
