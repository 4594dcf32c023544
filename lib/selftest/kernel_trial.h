// SPDX-License-Identifier: Apache-2.0 OR MIT
// Kernels on random shapes: a trial runs one kernel and collects every byte that it gave, so that two tables can be
// compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "base/memory.h"
#include "kernels/kernels.h"
#include "selftest/tiny_matrix.h"

namespace nxs::selftest {

/// What a trial draws its shape and inputs from, and leaves its results in.
class Trial {
 public:
  Trial(const kernels::Kernels& table, uint64_t seed) : kernels(table), draws(seed) {}

  const kernels::Kernels& kernels;
  IntegerDraws draws;
  std::vector<uint8_t> results;
  char shape[96] = "";

  size_t between(size_t low, size_t high) { return low + draws.below(static_cast<uint32_t>(high - low + 1)); }
  /// n floats within -2^exponent..2^exponent.
  Buffer<float> floats(size_t n, int exponent);
  template <typename T>
  void keep(const T* values, size_t n) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(values);
    results.insert(results.end(), bytes, bytes + n * sizeof(T));
  }
  template <typename... Args>
  void describe(const char* format, Args... args) {
    std::snprintf(shape, sizeof shape, format, args...);
  }
};

struct NamedTrial {
  const char* kernel;
  void (*run)(Trial& trial);
};

/// One for each kernel, for matmul one for each format.
std::span<const NamedTrial> kernel_trials();

}  // namespace nxs::selftest
