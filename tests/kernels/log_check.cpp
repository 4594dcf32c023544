// SPDX-License-Identifier: Apache-2.0 OR MIT
// log.cpp against long double; like rope.cpp it has one build for every table.
#include "kernels/log.h"

#include <cmath>

#include "kernel_check.h"
#include "tensor/half.h"

namespace nxs::kernels::check {

void check_log(Run& run) {
  const uint32_t first = 0x00800000u, end = 0x7f800000u;  // positive normal numbers
  const uint32_t step = run.exhaustive ? 1 : 997;
  run.round("every %u-th positive normal float", step);
  long double worst = 0;
  for (uint32_t bits = first; bits < end - step; bits += step) {
    const float x = tensor::bits_to_float(bits);
    const float got = log(x);
    const long double exact = logl(static_cast<long double>(x));
    const auto rounded = static_cast<float>(exact);
    const float ulp = std::nextafterf(std::fabs(rounded), HUGE_VALF) - std::fabs(rounded);
    worst = std::fmax(worst, std::fabs(got - exact) / static_cast<long double>(ulp));
  }
  run.expect(worst < 0.51L, "off by %Lg ulp", worst);
  run.expect(tensor::float_to_bits(log(1.0f)) == 0, "log(1) is %a, not +0", static_cast<double>(log(1.0f)));
}

void bench_log(Bench& bench) {
  float sum = 0;
  bench.report("log, 100 numbers (baseline)", 0, 0, 0, [&] {
    for (int i = 1; i <= 100; ++i) sum += log(static_cast<float>(i));
  });
}

}  // namespace nxs::kernels::check
