// SPDX-License-Identifier: Apache-2.0 OR MIT
// Random inputs, comparisons and timing for the checks.
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "kernel_check.h"
#include "tensor/half.h"

namespace nxs::kernels::check {
namespace {

using tensor::bits_to_float;
using tensor::float_to_bits;

constexpr size_t kPrinted = 5;  // failures of one check that are printed

// FNV-1a, so that a check draws the same numbers whichever others run.
uint64_t hash(const char* text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (; *text; ++text) h = (h ^ static_cast<uint8_t>(*text)) * 0x100000001b3u;
  return h;
}

bool is_nan(float x) {
  return (float_to_bits(x) & 0x7fffffffu) > 0x7f800000u;
}

}  // namespace

Run::Run(const Kernels& want_table, const Kernels& got_table, const char* name, uint64_t seed, bool all)
    : want(want_table), got(got_table), exhaustive(all), random_(seed ^ hash(name)), name_(name), seed_(seed) {}

float Run::value(Values values) {
  const auto r = static_cast<uint32_t>(random_());
  const float unit = static_cast<float>(static_cast<int32_t>(r)) * 0x1p-31f;
  switch (values) {
    case Values::kPlain:
      return unit;
    case Values::kWide:  // exponents from -60 to 60
      return bits_to_float((r & 0x807fffffu) | (static_cast<uint32_t>(between(67, 187)) << 23));
    case Values::kAnyFinite:
      return (r & 0x7f800000u) == 0x7f800000u ? bits_to_float(r & 0x80ffffffu) : bits_to_float(r);
    case Values::kDenormal:
      return bits_to_float(r & 0x807fffffu);
    case Values::kZero:
      return chance(32) ? unit : bits_to_float(r & 0x80000000u);
  }
  return unit;
}

void Run::fill(std::span<float> out, Values values) {
  for (float& x : out) x = value(values);
}

void Run::round(const char* format, ...) {
  ++rounds_;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(parameters_, sizeof parameters_, format, arguments);
  va_end(arguments);
}

void Run::expect(bool ok, const char* format, ...) {
  if (ok) return;
  if (++failures_ > kPrinted) return;
  std::printf("%s %s (seed %llu, round %zu: %s): ", got.name, name_, static_cast<unsigned long long>(seed_), rounds_,
              parameters_);
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
  std::printf("\n");
}

void Run::same(const char* what, std::span<const float> want_values, std::span<const float> got_values) {
  for (size_t i = 0; i < want_values.size(); ++i) {
    const float w = want_values[i];
    const float g = got_values[i];
    if (float_to_bits(w) == float_to_bits(g) || (is_nan(w) && is_nan(g))) continue;
    return expect(false, "%s[%zu] is %a, not %a", what, i, static_cast<double>(g), static_cast<double>(w));
  }
}

void Run::same_value(const char* what, std::span<const float> want_values, std::span<const float> got_values) {
  for (size_t i = 0; i < want_values.size(); ++i) {
    const float w = want_values[i];
    const float g = got_values[i];
    if (w == g || (is_nan(w) && is_nan(g))) continue;
    return expect(false, "%s[%zu] is %a, not %a", what, i, static_cast<double>(g), static_cast<double>(w));
  }
}

void Run::same_bytes(const char* what, const void* want_bytes, const void* got_bytes, size_t n) {
  const auto* w = static_cast<const uint8_t*>(want_bytes);
  const auto* g = static_cast<const uint8_t*>(got_bytes);
  for (size_t i = 0; i < n; ++i) {
    if (w[i] != g[i]) return expect(false, "byte %zu of %s is %02x, not %02x", i, what, unsigned{g[i]}, unsigned{w[i]});
  }
}

void Bench::report(const char* what, double macs, double peak, double bytes, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [&](size_t calls) {
    const auto start = Clock::now();
    for (size_t i = 0; i < calls; ++i) work();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  size_t calls = 1;
  while (seconds(calls) < 0.5e-3 && calls < 1000000) calls *= 2;
  double best = 1e9;
  for (int i = 0; i < 9; ++i) best = std::min(best, seconds(calls) / static_cast<double>(calls));
  std::printf("%-10s %-34s %10.2f us", kernels.name, what, best * 1e6);
  if (macs > 0) std::printf("  %7.2f GMAC/s", macs / best * 1e-9);
  if (macs > 0 && peak > 0) std::printf(" (%3.0f %% of peak)", macs / best * 1e-9 / peak * 100);
  if (bytes > 0) std::printf("  %7.2f GB/s", bytes / best * 1e-9);
  std::printf("\n");
}

}  // namespace nxs::kernels::check
