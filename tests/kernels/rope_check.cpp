// SPDX-License-Identifier: Apache-2.0 OR MIT
// rope.cpp against long double: it has one build for every table, so this is accuracy, with the bits pinned by a
// digest.
#include <cmath>
#include <cstdio>
#include <vector>

#include "kernel_check.h"
#include "kernels/dispatch.h"
#include "tensor/half.h"

namespace nxs::kernels::check {
namespace {

struct Agreement {
  size_t values = 0;
  size_t equal = 0;
};

void compare(Run& run, const char* what, float got, long double exact, Agreement* agreement) {
  const auto rounded = static_cast<float>(exact);
  ++agreement->values;
  if (got == rounded) {
    ++agreement->equal;
    return;
  }
  const bool neighbour = std::nextafterf(rounded, got) == got;
  run.expect(neighbour, "%s is %a, not %a", what, static_cast<double>(got), static_cast<double>(exact));
}

void check_base(Run& run, double base, size_t n_pairs, double scale, Agreement* agreement) {
  std::vector<double> freq(n_pairs);
  std::vector<float> factors(n_pairs), c(n_pairs), s(n_pairs);
  for (float& f : factors) f = 1.0f + static_cast<float>(run.between(0, 8));
  const bool with_factors = run.chance(3);
  run.round("base=%g pairs=%zu scale=%g factors=%d", base, n_pairs, scale, with_factors);
  rope_frequencies(freq.data(), n_pairs, base, scale, with_factors ? factors.data() : nullptr);
  for (size_t i = 0; i < n_pairs; ++i) {
    const long double exponent = -static_cast<long double>(i) / static_cast<long double>(n_pairs);
    const long double exact = powl(base, exponent) * scale / (with_factors ? factors[i] : 1.0f);
    run.expect(fabsl(freq[i] / exact - 1) < 0x1p-51L, "freq[%zu] is %a, off by %Lg", i, freq[i], freq[i] / exact - 1);
  }
  for (int round = 0; round < 40; ++round) {
    const auto position = static_cast<int64_t>(round == 0 ? 0 : run.between(0, run.chance(2) ? 131072 : 2048));
    rope_angles(c.data(), s.data(), freq.data(), n_pairs, position);
    for (size_t i = 0; i < n_pairs; ++i) {
      // The angle as defined is a product in double; sin and cos of it are what is judged, and the angle itself apart.
      const double angle = static_cast<double>(position) * freq[i];
      compare(run, "cos", c[i], cosl(angle), agreement);
      compare(run, "sin", s[i], sinl(angle), agreement);
    }
  }
}

}  // namespace

void check_rope(Run& run) {
  Agreement agreement;
  for (const double base : {10000.0, 100000.0, 500000.0, 1000000.0, 1.0, 2.0, 3.7, 0.5}) {
    for (const size_t n_pairs : {1, 3, 32, 40, 64, 128})
      check_base(run, base, n_pairs, run.chance(2) ? 1.0 : 0.25, &agreement);
  }
  const double share = static_cast<double>(agreement.values - agreement.equal) / static_cast<double>(agreement.values);
  run.expect(share < 1e-5, "%g of the values are not correctly rounded", share);
  // Exact landmarks.
  double one = 0;
  float c = 0, s = 1;
  rope_frequencies(&one, 1, 10000.0, 1.0, nullptr);
  rope_angles(&c, &s, &one, 1, 0);
  run.expect(one == 1.0 && c == 1.0f && s == 0.0f, "the first frequency is %a, cos 0 %a, sin 0 %a", one, double{c},
             double{s});
}

void bench_rope(Bench& bench) {
  std::vector<double> freq(32);
  std::vector<float> c(32), s(32);
  rope_frequencies(freq.data(), 32, 10000.0, 1.0, nullptr);
  bench.report("rope_angles 32 pairs (baseline)", 0, 0, 0,
               [&] { rope_angles(c.data(), s.data(), freq.data(), 32, 12345); });
}

}  // namespace nxs::kernels::check
