// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "support/oracle_weights.h"

#include <cmath>
#include <cstring>

namespace nxs::test {
namespace {

uint16_t u16_at(const uint8_t* p) {
  return static_cast<uint16_t>(p[0] | p[1] << 8);
}

double half(uint16_t h) {
  const double sign = (h >> 15) != 0 ? -1.0 : 1.0;
  const int exponent = h >> 10 & 31, fraction = h & 1023;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return exponent == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(1024 + fraction, exponent - 25);
}

double float_of(uint32_t bits) {
  float f = 0;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

double float_element(tensor::DType type, const uint8_t* p) {
  if (type == tensor::DType::kF16) return half(u16_at(p));
  if (type == tensor::DType::kBF16) return float_of(static_cast<uint32_t>(u16_at(p)) << 16);
  return float_of(static_cast<uint32_t>(u16_at(p)) | static_cast<uint32_t>(u16_at(p + 2)) << 16);
}

// One block of 32: a scale, for Q4_1 and Q5_1 an offset, for Q5 the fifth bits, then bytes, or nibbles (the low ones
// are the first 16 elements).
void decode_block(tensor::DType type, const uint8_t* p, double* out) {
  const double d = half(u16_at(p));
  const bool minimum = type == tensor::DType::kQ4_1 || type == tensor::DType::kQ5_1;
  const bool five = type == tensor::DType::kQ5_0 || type == tensor::DType::kQ5_1;
  const double m = minimum ? half(u16_at(p + 2)) : 0.0;
  const uint8_t* fifth = p + (minimum ? 4 : 2);
  const uint8_t* q = fifth + (five ? 4 : 0);
  for (size_t i = 0; i < 32; ++i) {
    int value = i < 16 ? q[i] & 15 : q[i - 16] >> 4;
    if (type == tensor::DType::kQ8_0) value = static_cast<int8_t>(q[i]);
    if (five) value += 16 * (fifth[i / 8] >> i % 8 & 1);
    if (type == tensor::DType::kQ4_0) value -= 8;
    if (type == tensor::DType::kQ5_0) value -= 16;
    out[i] = d * value + m;
  }
}

// One block of 256 of Q4_K or Q5_K: d, dmin, 6-bit scales and minima, Q5_K's fifth bits, nibbles.
void decode_with_minima(bool five, const uint8_t* p, double* out) {
  const double d = half(u16_at(p)), dmin = half(u16_at(p + 2));
  const uint8_t *packed = p + 4, *fifth = p + 16, *nibbles = p + (five ? 48 : 16);
  for (size_t i = 0; i < 256; ++i) {
    const size_t s = i / 32;
    const int scale = s < 4 ? packed[s] % 64 : packed[s + 4] % 16 + packed[s - 4] / 64 * 16;
    const int minimum = s < 4 ? packed[s + 4] % 64 : packed[s + 4] / 16 + packed[s] / 64 * 16;
    const uint8_t pair = nibbles[i / 64 * 32 + i % 32];
    int quant = s % 2 == 0 ? pair % 16 : pair / 16;
    if (five) quant += 16 * (fifth[i % 32] >> s & 1);
    out[i] = d * scale * quant - dmin * minimum;
  }
}

// One block of Q6_K: low nibbles, pairs of high bits, a scale for each 16, d.
void decode_six_bits(const uint8_t* p, double* out) {
  const double d = half(u16_at(p + 208));
  for (size_t i = 0; i < 256; ++i) {
    const size_t half_of_all = i / 128, within = i % 128;
    const uint8_t pair = p[half_of_all * 64 + within % 64];
    const int high = p[128 + half_of_all * 32 + within % 32] >> (within / 32 * 2) & 3;
    const int quant = (within < 64 ? pair % 16 : pair / 16) + 16 * high - 32;
    out[i] = d * static_cast<int8_t>(p[192 + i / 16]) * quant;
  }
}

}  // namespace

std::vector<double> decode_elements(tensor::DType type, const std::vector<uint8_t>& bytes, size_t n) {
  const tensor::DTypeInfo& format = tensor::info(type);
  std::vector<double> out(n);
  for (size_t i = 0; i < n; i += format.block_elems) {
    const uint8_t* p = bytes.data() + i / format.block_elems * format.block_bytes;
    if (type == tensor::DType::kQ6_K) {
      decode_six_bits(p, &out[i]);
    } else if (format.block_elems == 256) {
      decode_with_minima(type == tensor::DType::kQ5_K, p, &out[i]);
    } else if (format.quantized) {
      decode_block(type, p, &out[i]);
    } else {
      out[i] = float_element(type, p);
    }
  }
  return out;
}

}  // namespace nxs::test
