// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <vector>

#include "guarded.h"
#include "kernel_check.h"
#include "tensor/half.h"

namespace nxs::kernels::check {
namespace {

// Every step-th bit pattern, infinities and NaN among them.
void all_patterns(Run& run, uint64_t step) {
  constexpr size_t kBatch = 4096;
  std::vector<float> x(kBatch), want(kBatch), got(kBatch);
  for (uint64_t first = 0; first < 0x100000000u; first += kBatch * step) {
    for (size_t i = 0; i < kBatch; ++i) x[i] = tensor::bits_to_float(static_cast<uint32_t>(first + i * step));
    run.round("patterns %llx + i * %llu", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(step));
    run.want.exp(want.data(), x.data(), kBatch);
    run.got.exp(got.data(), x.data(), kBatch);
    run.same("y", want, got);
  }
}

}  // namespace

void check_exp(Run& run) {
  for (int i = 0; i < 300; ++i) {
    const size_t n = run.between(1, 80);
    const size_t offset = run.between(0, 15);
    run.round("n=%zu offset=%zu", n, offset);
    Guarded<float> x(n, offset), want(n, offset), got(n, offset);
    for (float& v : x) v = run.value(Values::kPlain) * 100.0f;
    run.want.exp(want.data(), x.data(), n);
    run.got.exp(got.data(), x.data(), n);
    run.same("y", {want.data(), n}, {got.data(), n});
    run.expect(got.intact(), "wrote outside y");
  }
  all_patterns(run, run.exhaustive ? 1 : 257);
}

void bench_exp(Bench& bench) {
  Guarded<float> x(4096), y(4096);
  for (size_t i = 0; i < x.size(); ++i) x[i] = -static_cast<float>(i) / 100.0f;
  bench.report("exp 4096", 0, 0, 4096 * 8.0, [&] { bench.kernels.exp(y.data(), x.data(), x.size()); });
}

}  // namespace nxs::kernels::check
