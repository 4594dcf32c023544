// SPDX-License-Identifier: Apache-2.0 OR MIT
// Exact scalar conversions of 16-bit floats (round to nearest even downwards, exact upwards). No <vector> here: kernels include it.
#pragma once

#include <stdint.h>
#include <string.h>

namespace nxs::tensor {

inline float bits_to_float(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

inline uint32_t float_to_bits(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

inline float bf16_to_float(uint16_t h) { return bits_to_float(static_cast<uint32_t>(h) << 16); }

inline float half_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t rest = h & 0x7fffu;
  if (rest >= 0x7c00u) return bits_to_float(sign | 0x7f800000u | (rest << 13));
  if (rest >= 0x0400u) return bits_to_float(sign | ((rest << 13) + 0x38000000u));
  // Subnormal: rest * 2^-24 is exact in binary32.
  const float magnitude = static_cast<float>(rest) * 0x1p-24f;
  return bits_to_float(sign | float_to_bits(magnitude));
}

/// NaN becomes 0x7e00 with its sign; values from 65520 on become infinity.
inline uint16_t float_to_half(float f) {
  const uint32_t bits = float_to_bits(f);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (rest >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (rest >= 0x38800000u) {  // normal half
    const uint32_t rounded = rest + 0x0fffu + ((rest >> 13) & 1u);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
  }
  // Subnormal half: adding 0.5 leaves rint(|f| * 2^24) in the low mantissa bits.
  const float shifted = bits_to_float(rest) + 0.5f;
  return static_cast<uint16_t>(sign | (float_to_bits(shifted) - 0x3f000000u));
}

}  // namespace nxs::tensor
