// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <limits>

#include "guarded.h"
#include "kernel_check.h"

namespace nxs::kernels::check {

void check_argmax(Run& run) {
  for (int i = 0; i < 3000; ++i) {
    const size_t n = run.chance(8) ? run.between(1, 5000) : run.between(1, 100);
    const size_t offset = run.between(0, 15);
    const Values values = run.any_values();
    const bool ties = run.chance(3);  // few different values, +0 and -0 among them
    const bool bad = run.chance(6);
    run.round("n=%zu offset=%zu values=%d ties=%d bad=%d", n, offset, static_cast<int>(values), ties, bad);
    Guarded<float> x(n, offset);
    run.fill({x.data(), n}, values);
    const float few[] = {0.0f, -0.0f, -1.0f, run.chance(2) ? 1.0f : -2.0f};
    for (float& v : x) v = ties ? few[run.between(0, 3)] : v;
    const float bad_values[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity()};
    if (bad) x[run.between(0, n - 1)] = bad_values[run.between(0, 2)];
    size_t want_index = 99, got_index = 98;
    float want_value = 99, got_value = 98;
    const bool want = run.want.argmax(&want_index, &want_value, x.data(), n);
    const bool got = run.got.argmax(&got_index, &got_value, x.data(), n);
    run.expect(want == !bad, "the definition says %d", want);
    run.expect(want == got, "says %d", got);
    run.expect(want_index == got_index, "index is %zu, not %zu", got_index, want_index);
    run.same("value", {&want_value, 1}, {&got_value, 1});
  }
}

void bench_argmax(Bench& bench) {
  Guarded<float> x(49152);
  size_t index = 0;
  float value = 0;
  bench.report("argmax 49152", 0, 0, 49152 * 4.0, [&] { bench.kernels.argmax(&index, &value, x.data(), x.size()); });
}

}  // namespace nxs::kernels::check
