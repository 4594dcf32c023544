// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdint.h>
#endif

namespace nxs::kernels {

#if defined(__x86_64__)

namespace {

struct Registers {
  uint32_t eax, ebx, ecx, edx;
};

// All zero when the CPU lacks the leaf.
Registers cpuid(uint32_t leaf) {
  Registers r{};
  if (!__get_cpuid_count(leaf, 0, &r.eax, &r.ebx, &r.ecx, &r.edx)) return {};
  return r;
}

// XCR0: which register files the system saves on a context switch. As bytes of the instruction, since the intrinsic
// wants -mxsave.
uint64_t saved_state() {
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

constexpr bool has_all(uint64_t value, uint64_t bits) {
  return (value & bits) == bits;
}

}  // namespace

CpuFeatures cpu_features() {
  const Registers base = cpuid(1);
  const Registers extended = cpuid(7);
  if (!has_all(base.ecx, bit_OSXSAVE | bit_AVX | bit_FMA | bit_F16C)) return {};
  const uint64_t saved = saved_state();
  constexpr uint64_t kYmm = 0x06;  // xmm and the upper halves of ymm
  constexpr uint64_t kZmm = 0xe0;  // masks, the upper halves of zmm, zmm16 and up
  CpuFeatures features{};
  features.avx2 = has_all(saved, kYmm) && has_all(extended.ebx, bit_AVX2);
  features.avx512 = features.avx2 && has_all(saved, kZmm) &&
                    has_all(extended.ebx, bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL) &&
                    has_all(extended.ecx, bit_AVX512VNNI);
  return features;
}

#else

CpuFeatures cpu_features() {
  return {};
}

#endif

}  // namespace nxs::kernels
