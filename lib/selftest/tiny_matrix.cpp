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

/// A block of 256 of a K format. A draw gives each 32 elements a scale and a sign. The sign is that of the elements; d
/// has that of the first 32, and of Q6_K's scales every second is negative, which quants make up for.
class KBlockWriter {
 public:
  KBlockWriter(tensor::DType type, const int16_t* steps, int exponent)
      : type_(type), from_(steps), exponent_(exponent) {}

  void put(std::vector<uint8_t>& out, IntegerDraws* draws) {
    uint32_t random[kSubs];
    for (uint32_t& r : random) r = draws == nullptr ? 0 : draws->below(8);
    for (size_t i = 0; i < tensor::kBlockK; ++i) {
      const bool d_negative = type_ != tensor::DType::kQ6_K && random[0] >> 2 != 0;
      const bool scale_negative = type_ == tensor::DType::kQ6_K && i / 16 % 2 != 0;
      const bool negative = (random[i / tensor::kBlock] >> 2 != 0) != (d_negative || scale_negative);
      steps_[i] = static_cast<int16_t>(negative ? -from_[i] : from_[i]);
    }
    type_ == tensor::DType::kQ6_K ? put_six(out, random) : put_with_minima(out, random);
  }

 private:
  static constexpr size_t kSubs = tensor::kBlockK / tensor::kBlock;
  static constexpr uint32_t kSign = 0x8000u;

  int quant(size_t i, int bits) const { return coarse(steps_[i], bits) + (1 << (bits - 1)); }

  /// value = d * scale * (quant - half): scales of 16 to 28, minima of twice that.
  void put_with_minima(std::vector<uint8_t>& out, const uint32_t (&random)[kSubs]) const {
    const bool five = type_ == tensor::DType::kQ5_K;
    const uint32_t sign = random[0] >> 2 != 0 ? kSign : 0;
    put_u16(out, half_power(exponent_ + (five ? 5 : 4)) | sign);
    put_u16(out, half_power(exponent_ + 2) | sign);
    uint8_t scales[12] = {};
    for (size_t s = 0; s < kSubs; ++s) {
      const uint32_t scale = 4 * (4 + (random[s] & 3)), minimum = 2 * scale;
      if (s < 4) {
        scales[s] = static_cast<uint8_t>(scale);
        scales[s + 4] = static_cast<uint8_t>(minimum);
      } else {
        scales[s + 4] = static_cast<uint8_t>((scale & 15) | (minimum & 15) << 4);
        scales[s - 4] = static_cast<uint8_t>(scales[s - 4] | scale >> 4 << 6);
        scales[s] = static_cast<uint8_t>(scales[s] | minimum >> 4 << 6);
      }
    }
    out.insert(out.end(), scales, scales + sizeof scales);
    for (size_t i = 0; five && i < tensor::kBlock; ++i) {
      int bits = 0;
      for (size_t s = 0; s < kSubs; ++s) bits |= quant(32 * s + i, 5) >> 4 << s;
      out.push_back(static_cast<uint8_t>(bits));
    }
    for (size_t i = 0; i < tensor::kBlockK / 2; ++i) {
      const size_t low = i / 32 * 64 + i % 32;
      const int bits = five ? 5 : 4;
      out.push_back(static_cast<uint8_t>((quant(low, bits) & 15) | (quant(low + 32, bits) & 15) << 4));
    }
  }

  /// Scales of 8 to 14; one half of 128 elements after the other.
  void put_six(std::vector<uint8_t>& out, const uint32_t (&random)[kSubs]) const {
    for (size_t i = 0; i < 128; ++i) {
      const size_t low = i / 64 * 128 + i % 64;
      out.push_back(static_cast<uint8_t>((quant(low, 6) & 15) | (quant(low + 64, 6) & 15) << 4));
    }
    for (size_t i = 0; i < 64; ++i) {
      int bits = 0;
      for (size_t s = 0; s < 4; ++s) bits |= quant(i / 32 * 128 + 32 * s + i % 32, 6) >> 4 << (2 * s);
      out.push_back(static_cast<uint8_t>(bits));
    }
    for (size_t s = 0; s < 2 * kSubs; ++s) {
      const int scale = 2 * (4 + static_cast<int>(random[s / 2] & 3));
      out.push_back(static_cast<uint8_t>(s % 2 != 0 ? -scale : scale));
    }
    put_u16(out, half_power(exponent_ + 5));
  }

  tensor::DType type_;
  const int16_t* from_;
  int exponent_;
  int16_t steps_[tensor::kBlockK] = {};
};

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
  if (tensor::info(type).block_elems == tensor::kBlockK) {
    for (size_t i = 0; i < n; i += tensor::kBlockK) {
      KBlockWriter(type, matrix.steps.data() + i, matrix.exponent).put(out, draws);
    }
    return out;
  }
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
