// SPDX-License-Identifier: Apache-2.0 OR MIT
// Random matrices for the tiny model: integers first, then any element format, by exact operations only (the same bytes
// on every machine).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensor/dtype.h"

namespace nxs::selftest {

/// Random integers (splitmix64).
class IntegerDraws {
 public:
  explicit IntegerDraws(uint64_t seed) : state_(seed) {}
  uint64_t next();
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((next() >> 32) * n >> 32); }
  int16_t within(int16_t limit) {
    return static_cast<int16_t>(below(2 * static_cast<uint32_t>(limit) + 1) - static_cast<uint32_t>(limit));
  }

 private:
  uint64_t state_;
};

inline constexpr int16_t kMostSteps = 2047;

/// Fixed-point elements [rows][cols], each within kMostSteps; the value is steps * 2^-8 * 2^-exponent. Formats with
/// fewer bits drop low ones.
struct StepMatrix {
  size_t rows, cols;
  int exponent;
  std::vector<int16_t> steps;
  int16_t& at(size_t row, size_t col) { return steps[row * cols + col]; }
};

/// Uniform elements with a standard deviation near 1 / sqrt(cols), divided by 2^shrink.
StepMatrix random_matrix(IntegerDraws& draws, size_t rows, size_t cols, int shrink);

/// The matrix in a format's file layout. With `draws` the scale of each block is multiplied by 1, 1.25, 1.5 or 1.75 and
/// a random sign.
std::vector<uint8_t> encode(const StepMatrix& matrix, tensor::DType type, IntegerDraws* draws);

}  // namespace nxs::selftest
