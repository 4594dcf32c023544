// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <limits>

#include "guarded.h"
#include "kernel_check.h"
#include "tensor/half.h"

namespace nxs::kernels::check {
namespace {

// Whole blocks of one magnitude, so that every exponent (and the limit of 2^-100) is met, with ties of rint among them.
void fill_blocks(Run& run, std::span<float> x, size_t block) {
  for (size_t b = 0; b < x.size() / block; ++b) {
    const Values values = run.any_values();
    const auto scale =
        tensor::bits_to_float(static_cast<uint32_t>(run.chance(3) ? run.between(20, 34) : run.between(1, 253)) << 23);
    const bool ties = run.chance(4);  // multiples of half a step below a maximum of 127
    for (size_t i = 0; i < block; ++i) {
      float v = run.value(values);
      if (values == Values::kPlain) v *= scale;
      if (ties) v = static_cast<float>(run.between(0, 508)) * 0.5f - 127.0f;
      x[b * block + i] = v;
    }
    if (ties) x[b * block] = run.chance(2) ? 127.0f : -127.0f;
    if (!run.chance(6)) continue;
    // A maximum of 2^-100, where blocks begin to count, or one of its neighbours.
    for (size_t i = 0; i < block; ++i) x[b * block + i] = run.value(Values::kPlain) * 0x1p-101f;
    const uint32_t limit = tensor::float_to_bits(0x1p-100f) + static_cast<uint32_t>(run.between(0, 2)) - 1;
    x[b * block + run.between(0, block - 1)] = tensor::bits_to_float(limit | (run.chance(2) ? 0x80000000u : 0u));
  }
}

// The same for both sizes of blocks; sums are of each kSum values.
template <size_t kBlock, size_t kSum, typename Sum, typename Quantize>
void check_rounds(Run& run, Quantize* want_quantize, Quantize* got_quantize) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float bad_values[] = {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()};
  for (int i = 0; i < 1500; ++i) {
    const size_t n = kBlock * run.between(1, (run.chance(8) ? 3072 : 640) / kBlock);
    const size_t offset = run.between(0, 15);
    const bool bad = run.chance(6);
    run.round("n=%zu offset=%zu bad=%d", n, offset, bad);
    Guarded<float> x(n, offset), want_d(n / kBlock, offset), got_d(n / kBlock, offset);
    Guarded<int8_t> want_q(n, offset), got_q(n, offset);
    Guarded<Sum> want_sum(n / kSum, offset), got_sum(n / kSum, offset);
    fill_blocks(run, {x.data(), n}, kBlock);
    if (bad) x[run.between(0, n - 1)] = bad_values[run.between(0, 2)];
    const bool want = want_quantize(want_q.data(), want_d.data(), want_sum.data(), x.data(), n);
    const bool got = got_quantize(got_q.data(), got_d.data(), got_sum.data(), x.data(), n);
    run.expect(want == !bad, "the definition says %d", want);
    run.expect(want == got, "says %d", got);
    run.same_bytes("q", want_q.data(), got_q.data(), n);
    run.same("d", {want_d.data(), n / kBlock}, {got_d.data(), n / kBlock});
    run.same_bytes("sum", want_sum.data(), got_sum.data(), n / kSum * sizeof(Sum));
    for (const int8_t q : want_q) run.expect(q != -128, "q leaves -127..127");
    run.expect(got_q.intact() && got_d.intact() && got_sum.intact(), "wrote outside its outputs");
  }
}

}  // namespace

void check_quantize(Run& run) {
  check_rounds<32, 32, int32_t>(run, run.want.quantize, run.got.quantize);
}

void check_quantize_k(Run& run) {
  check_rounds<256, 16, int16_t>(run, run.want.quantize_k, run.got.quantize_k);
}

void bench_quantize(Bench& bench) {
  Guarded<float> x(1536), d(48);
  Guarded<int8_t> q(1536);
  Guarded<int32_t> sum(48);
  for (size_t i = 0; i < 1536; ++i) x[i] = static_cast<float>(i % 97) - 48.0f;
  bench.report("quantize 1536", 0, 0, 1536 * 5.0,
               [&] { bench.kernels.quantize(q.data(), d.data(), sum.data(), x.data(), 1536); });
}

void bench_quantize_k(Bench& bench) {
  Guarded<float> x(1536), d(6);
  Guarded<int8_t> q(1536);
  Guarded<int16_t> sum(96);
  for (size_t i = 0; i < 1536; ++i) x[i] = static_cast<float>(i % 97) - 48.0f;
  bench.report("quantize_k 1536", 0, 0, 1536 * 5.0,
               [&] { bench.kernels.quantize_k(q.data(), d.data(), sum.data(), x.data(), 1536); });
}

}  // namespace nxs::kernels::check
