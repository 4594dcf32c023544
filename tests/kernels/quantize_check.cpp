// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <limits>

#include "guarded.h"
#include "kernel_check.h"
#include "tensor/half.h"

namespace nxs::kernels::check {
namespace {

// Whole blocks of one magnitude, so that every exponent (and the limit of 2^-100) is met, with ties of rint among them.
void fill_blocks(Run& run, std::span<float> x) {
  for (size_t b = 0; b < x.size() / 32; ++b) {
    const Values values = run.any_values();
    const auto scale =
        tensor::bits_to_float(static_cast<uint32_t>(run.chance(3) ? run.between(20, 34) : run.between(1, 253)) << 23);
    const bool ties = run.chance(4);  // multiples of half a step below a maximum of 127
    for (size_t i = 0; i < 32; ++i) {
      float v = run.value(values);
      if (values == Values::kPlain) v *= scale;
      if (ties) v = static_cast<float>(run.between(0, 508)) * 0.5f - 127.0f;
      x[b * 32 + i] = v;
    }
    if (ties) x[b * 32] = run.chance(2) ? 127.0f : -127.0f;
    if (!run.chance(6)) continue;
    // A maximum of 2^-100, where blocks begin to count, or one of its neighbours.
    for (size_t i = 0; i < 32; ++i) x[b * 32 + i] = run.value(Values::kPlain) * 0x1p-101f;
    const uint32_t limit = tensor::float_to_bits(0x1p-100f) + static_cast<uint32_t>(run.between(0, 2)) - 1;
    x[b * 32 + run.between(0, 31)] = tensor::bits_to_float(limit | (run.chance(2) ? 0x80000000u : 0u));
  }
}

}  // namespace

void check_quantize(Run& run) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float bad_values[] = {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()};
  for (int i = 0; i < 1500; ++i) {
    const size_t n = 32 * run.between(1, run.chance(8) ? 96 : 20);
    const size_t offset = run.between(0, 15);
    const bool bad = run.chance(6);
    run.round("n=%zu offset=%zu bad=%d", n, offset, bad);
    Guarded<float> x(n, offset), want_d(n / 32, offset), got_d(n / 32, offset);
    Guarded<int8_t> want_q(n, offset), got_q(n, offset);
    Guarded<int32_t> want_sum(n / 32, offset), got_sum(n / 32, offset);
    fill_blocks(run, {x.data(), n});
    if (bad) x[run.between(0, n - 1)] = bad_values[run.between(0, 2)];
    const bool want = run.want.quantize(want_q.data(), want_d.data(), want_sum.data(), x.data(), n);
    const bool got = run.got.quantize(got_q.data(), got_d.data(), got_sum.data(), x.data(), n);
    run.expect(want == !bad, "the definition says %d", want);
    run.expect(want == got, "says %d", got);
    run.same_bytes("q", want_q.data(), got_q.data(), n);
    run.same("d", {want_d.data(), n / 32}, {got_d.data(), n / 32});
    run.same_bytes("sum", want_sum.data(), got_sum.data(), n / 8);
    for (const int8_t q : want_q) run.expect(q != -128, "q leaves -127..127");
    run.expect(got_q.intact() && got_d.intact() && got_sum.intact(), "wrote outside its outputs");
  }
}

void bench_quantize(Bench& bench) {
  Guarded<float> x(1536), d(48);
  Guarded<int8_t> q(1536);
  Guarded<int32_t> sum(48);
  for (size_t i = 0; i < 1536; ++i) x[i] = static_cast<float>(i % 97) - 48.0f;
  bench.report("quantize 1536", 0, 0, 1536 * 5.0,
               [&] { bench.kernels.quantize(q.data(), d.data(), sum.data(), x.data(), 1536); });
}

}  // namespace nxs::kernels::check
