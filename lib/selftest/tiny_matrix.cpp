// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "selftest/tiny_matrix.h"

#include <algorithm>
#include <bit>

#include "base/status.h"
#include "tensor/half.h"
#include "tensor/packed.h"

namespace nxs::selftest {

namespace {

void put_u16(std::vector<uint8_t>& out, uint32_t bits) {
  out.push_back(static_cast<uint8_t>(bits));
  out.push_back(static_cast<uint8_t>(bits >> 8));
}

/// F16 bits of 2^-exponent, a normal number.
uint32_t half_power(int exponent) {
  return static_cast<uint32_t>(15 - exponent) << 10;
}

float float_power(int exponent) {
  return std::bit_cast<float>(static_cast<uint32_t>(127 - exponent) << 23);
}

/// The element's upper `bits` bits, to nearest: -8 to 7 or -16 to 15.
int coarse(int16_t steps, int bits) {
  const int shift = 12 - bits;
  return std::min((steps + (1 << (shift - 1))) >> shift, (1 << (bits - 1)) - 1);
}

/// Elements i and 16 + i share a byte; the stored nibble is the element's upper 4 bits + 8.
void put_nibbles(std::vector<uint8_t>& out, const int16_t* steps) {
  constexpr size_t kHalf = tensor::kBlock / 2;
  for (size_t i = 0; i < kHalf; ++i) {
    const int low = coarse(steps[i], 4) + 8, high = coarse(steps[kHalf + i], 4) + 8;
    out.push_back(static_cast<uint8_t>(low | (high << 4)));
  }
}

/// The same with the element's upper 5 bits + 16: first the fifth bits, then the nibbles.
void put_five_bits(std::vector<uint8_t>& out, const int16_t* steps) {
  constexpr size_t kHalf = tensor::kBlock / 2;
  uint32_t fifth = 0;
  for (size_t i = 0; i < tensor::kBlock; ++i) fifth |= static_cast<uint32_t>(coarse(steps[i], 5) + 16) >> 4 << i;
  put_u16(out, fifth);
  put_u16(out, fifth >> 16);
  for (size_t i = 0; i < kHalf; ++i) {
    const int low = coarse(steps[i], 5) & 15, high = coarse(steps[kHalf + i], 5) & 15;
    out.push_back(static_cast<uint8_t>(low | (high << 4)));
  }
}

void put_block(std::vector<uint8_t>& out, tensor::DType type, const int16_t* steps, int exponent,
               uint32_t variation) {  // variation: bits of an F16
  constexpr uint32_t kSign = 0x8000u, kTimes8 = 3u << 10;
  const uint32_t unit = half_power(exponent) ^ variation;
  switch (type) {
    case tensor::DType::kQ8_0:
      put_u16(out, half_power(exponent + 4) ^ variation);
      for (size_t i = 0; i < tensor::kBlock; ++i) out.push_back(static_cast<uint8_t>(std::max(steps[i] >> 4, -127)));
      break;
    case tensor::DType::kQ4_0:
      put_u16(out, unit);
      put_nibbles(out, steps);
      break;
    case tensor::DType::kQ4_1:
      put_u16(out, unit);
      put_u16(out, (unit + kTimes8) ^ kSign);
      put_nibbles(out, steps);
      break;
    case tensor::DType::kQ5_0:
      put_u16(out, half_power(exponent + 1) ^ variation);
      put_five_bits(out, steps);
      break;
    case tensor::DType::kQ5_1:
      put_u16(out, half_power(exponent + 1) ^ variation);
      put_u16(out, (unit + kTimes8) ^ kSign);
      put_five_bits(out, steps);
      break;
    default:
      fail(Status::kInternal, "tiny model: %s has no blocks", tensor::info(type).name);
  }
}

void put_float(std::vector<uint8_t>& out, tensor::DType type, float value) {
  if (type == tensor::DType::kF16) return put_u16(out, tensor::float_to_half(value));
  const uint32_t bits = tensor::float_to_bits(value);
  if (type == tensor::DType::kF32) put_u16(out, bits & 0xffffu);
  put_u16(out, bits >> 16);  // BF16 is cut, not rounded
}

}  // namespace

uint64_t IntegerDraws::next() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

StepMatrix random_matrix(IntegerDraws& draws, size_t rows, size_t cols, int shrink) {
  // Uniform steps have a deviation of 4.6 * 256; 2^-exponent / 4.6 is within a factor of two of 1 / sqrt(cols).
  const int exponent = 2 + static_cast<int>(std::bit_width(cols) / 2) + shrink;
  StepMatrix matrix{rows, cols, exponent, std::vector<int16_t>(rows * cols)};
  for (int16_t& steps : matrix.steps) steps = draws.within(kMostSteps);
  return matrix;
}

std::vector<uint8_t> encode(const StepMatrix& matrix, tensor::DType type, IntegerDraws* draws) {
  std::vector<uint8_t> out;
  const size_t n = matrix.steps.size();
  for (size_t i = 0; i < n; i += tensor::kBlock) {
    const uint32_t random = draws == nullptr ? 0 : draws->below(8);
    const uint32_t quarters = 4 + (random & 3), negative = random >> 2;
    if (tensor::info(type).quantized) {
      put_block(out, type, matrix.steps.data() + i, matrix.exponent, (quarters & 3) << 8 | negative << 15);
      continue;
    }
    const float unit = static_cast<float>(quarters) * float_power(matrix.exponent + 10);
    for (size_t j = i; j < std::min(n, i + tensor::kBlock); ++j) {
      put_float(out, type, static_cast<float>(matrix.steps[j]) * (negative != 0 ? -unit : unit));
    }
  }
  return out;
}

}  // namespace nxs::selftest
