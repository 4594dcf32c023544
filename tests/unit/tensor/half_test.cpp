// SPDX-License-Identifier: Apache-2.0 OR MIT
// half.h against the processor's own conversion, over every 16-bit pattern and a dense sample of all floats.
#include "tensor/half.h"

#include <doctest/doctest.h>

#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

using nxs::tensor::bf16_to_float;
using nxs::tensor::bits_to_float;
using nxs::tensor::float_to_bits;
using nxs::tensor::float_to_half;
using nxs::tensor::half_to_float;

TEST_CASE("tensor/half: every half survives a round trip") {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const bool nan = (h & 0x7fffu) > 0x7c00u;
    const uint16_t back = float_to_half(half_to_float(static_cast<uint16_t>(h)));
    if (back != (nan ? (h & 0x8000u) | 0x7e00u : h)) FAIL("half " << h << " became " << back);
  }
}

TEST_CASE("tensor/half: landmarks") {
  CHECK(half_to_float(0x3c00) == 1.0f);
  CHECK(half_to_float(0x0001) == 0x1p-24f);
  CHECK(half_to_float(0x7bff) == 65504.0f);
  CHECK(float_to_half(65519.9f) == 0x7bff);
  CHECK(float_to_half(65520.0f) == 0x7c00);
  CHECK(float_to_half(0x1p-25f) == 0x0000);    // halfway between 0 and the least half: to even
  CHECK(float_to_half(0x1.8p-24f) == 0x0002);  // halfway between 1 and 2
  CHECK(float_to_half(-0.0f) == 0x8000);
  CHECK(bf16_to_float(0x3f80) == 1.0f);
}

#if defined(__x86_64__)

__attribute__((target("avx,f16c"))) static uint32_t hardware_float_bits(uint16_t h) {
  return float_to_bits(_mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(h))));
}

__attribute__((target("avx,f16c"))) static uint16_t hardware_half(float f) {
  return static_cast<uint16_t>(_mm_extract_epi16(_mm_cvtps_ph(_mm_set_ss(f), _MM_FROUND_TO_NEAREST_INT), 0));
}

TEST_CASE("tensor/half: equals the hardware on every half and on every 31st float") {
  if (!__builtin_cpu_supports("avx2")) return;  // every such CPU has F16C
  for (uint32_t h = 0; h < 0x10000; ++h) {
    if ((h & 0x7fffu) > 0x7c00u) continue;  // the hardware quiets NaN
    if (hardware_float_bits(static_cast<uint16_t>(h)) != float_to_bits(half_to_float(static_cast<uint16_t>(h))))
      FAIL("half " << h);
  }
  for (uint64_t bits = 0; bits < 0x100000000u; bits += 31) {
    const float f = bits_to_float(static_cast<uint32_t>(bits));
    if (f != f) continue;
    if (hardware_half(f) != float_to_half(f)) FAIL("float bits " << bits);
  }
}

#endif
