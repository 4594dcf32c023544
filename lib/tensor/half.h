// SPDX-License-Identifier: Apache-2.0 OR MIT
// Exact scalar conversions of 16-bit floats (round to nearest even downwards, exact upwards). No <vector> here: kernels
// include it. Always inlined, so that an object built for one instruction set leaves no copy behind that the linker may
// hand to everybody.
#pragma once

#include <stdint.h>
#include <string.h>

namespace nxs::tensor {

[[gnu::always_inline]] inline float bits_to_float(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

[[gnu::always_inline]] inline uint32_t float_to_bits(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

[[gnu::always_inline]] inline float bf16_to_float(uint16_t h) {
  return bits_to_float(static_cast<uint32_t>(h) << 16);
}

/// Without a branch, so that loops over it vectorise.
[[gnu::always_inline]] inline float half_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t rest = h & 0x7fffu;
  // Subnormal: rest * 2^-24 is exact in binary32 (through int32, which every vector unit converts).
  const uint32_t subnormal = float_to_bits(static_cast<float>(static_cast<int32_t>(rest)) * 0x1p-24f);
  const uint32_t normal = (rest << 13) + (rest < 0x7c00u ? 0x38000000u : 0x70000000u);  // or infinity or NaN
  const uint32_t is_subnormal = 0u - static_cast<uint32_t>(rest < 0x0400u);             // all ones or none
  return bits_to_float(sign | (subnormal & is_subnormal) | (normal & ~is_subnormal));
}

/// NaN becomes 0x7e00 with its sign; values from 65520 on become infinity.
[[gnu::always_inline]] inline uint16_t float_to_half(float f) {
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
