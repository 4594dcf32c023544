// SPDX-License-Identifier: Apache-2.0 OR MIT
// One binary that checks every kernel of a table against the portable definition, bit for bit, and times it. Each
// <stem>_check.cpp has a check and, where a time means something, a bench; kernel_check.cpp lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>

#include "kernels/kernels.h"
#include "tensor/pack.h"

namespace nxs::kernels::check {

/// Families of input values. Each stays finite; checks put infinities and NaN in themselves.
enum class Values { kPlain, kWide, kAnyFinite, kDenormal, kZero };

/// A run of one check. Random draws depend on the seed and the check's name alone.
class Run {
 public:
  Run(const Kernels& want, const Kernels& got, const char* name, uint64_t seed, bool exhaustive);

  const Kernels& want;    ///< the portable definition
  const Kernels& got;     ///< the table under test
  const bool exhaustive;  ///< --exhaustive: every float where that is feasible

  uint64_t bits() { return random_(); }
  /// From low to high, both included.
  size_t between(size_t low, size_t high) { return low + random_() % (high - low + 1); }
  bool chance(size_t one_in) { return random_() % one_in == 0; }
  Values any_values() { return static_cast<Values>(between(0, 4)); }
  float value(Values values);
  void fill(std::span<float> out, Values values);

  /// The parameters of the round that follows, printed if it fails.
  [[gnu::format(printf, 2, 3)]] void round(const char* format, ...);
  [[gnu::format(printf, 3, 4)]] void expect(bool ok, const char* format, ...);
  /// Bit for bit; any NaN equals any NaN.
  void same(const char* what, std::span<const float> want_values, std::span<const float> got_values);
  /// The same, but +0 equals -0.
  void same_value(const char* what, std::span<const float> want_values, std::span<const float> got_values);
  void same_bytes(const char* what, const void* want_bytes, const void* got_bytes, size_t n);

  size_t rounds() const { return rounds_; }
  size_t failures() const { return failures_; }

 private:
  std::mt19937_64 random_;
  const char* name_;
  uint64_t seed_;
  char parameters_[256] = "";
  size_t rounds_ = 0;
  size_t failures_ = 0;
};

/// Measured rates of one core, in 1e9 per second; 0 where there is nothing to compare with.
struct Peaks {
  double fma;       ///< multiply-adds of floats, in registers as wide as the table's
  double dot_int8;  ///< multiply-adds of vpdpbusd, for the table that has it
};
Peaks measure_peaks(Isa isa);

/// Times kernels of one table.
class Bench {
 public:
  Bench(const Kernels& table, const Peaks& table_peaks) : kernels(table), peaks(table_peaks) {}
  const Kernels& kernels;
  const Peaks peaks;
  /// Prints the best time of `work`, with GMAC/s and its share of `peak` (0: none) if macs > 0, and GB/s if bytes > 0.
  void report(const char* what, double macs, double peak, double bytes, const std::function<void()>& work);
};

/// A matrix of random weights; every kind of finite scale, or all-extreme quants.
tensor::PackedMatrix random_matrix(Run& run, tensor::DType type, size_t rows, size_t cols, Values values, bool extreme);

struct Check {
  const char* name;
  void (*check)(Run&);
  void (*bench)(Bench&);  ///< may be NULL
};

void check_dispatch(Run& run);
void check_matmul(Run& run);
void check_definition(Run& run);
void check_rms_norm(Run& run);
void check_quantize(Run& run);
void check_quantize_k(Run& run);
void check_pack_panel(Run& run);
void check_rotate(Run& run);
void check_store_kv(Run& run);
void check_attend(Run& run);
void check_attend_merge(Run& run);
void check_gate(Run& run);
void check_add(Run& run);
void check_argmax(Run& run);
void check_exp(Run& run);
void check_rope(Run& run);
void check_log(Run& run);

void bench_matmul(Bench& bench);
void bench_rms_norm(Bench& bench);
void bench_quantize(Bench& bench);
void bench_quantize_k(Bench& bench);
void bench_pack_panel(Bench& bench);
void bench_rotate(Bench& bench);
void bench_store_kv(Bench& bench);
void bench_attend(Bench& bench);
void bench_attend_merge(Bench& bench);
void bench_gate(Bench& bench);
void bench_add(Bench& bench);
void bench_argmax(Bench& bench);
void bench_exp(Bench& bench);
void bench_rope(Bench& bench);
void bench_log(Bench& bench);

}  // namespace nxs::kernels::check
