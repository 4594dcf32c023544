// SPDX-License-Identifier: Apache-2.0 OR MIT
// The rates that percentages in the bench refer to: independent chains in registers, nothing loaded.
#include <algorithm>
#include <chrono>

#include "kernel_check.h"
#include "kernels/cpu.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nxs::kernels::check {

#if defined(__x86_64__)
namespace {

constexpr size_t kChains = 12;
constexpr size_t kSteps = 20000;

__attribute__((target("avx2,fma"))) size_t fma_256() {
  __m256 sum[kChains];
  for (auto& s : sum) s = _mm256_set1_ps(1.0f);
  const __m256 factor = _mm256_set1_ps(0.999f);
  for (size_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (size_t c = 0; c < kChains; ++c) sum[c] = _mm256_fmadd_ps(sum[c], factor, factor);
  }
  for (auto& s : sum) __asm__ volatile("" : : "x"(s));
  return kSteps * kChains * 8;
}

__attribute__((target("avx512f"))) size_t fma_512() {
  __m512 sum[kChains];
  for (auto& s : sum) s = _mm512_set1_ps(1.0f);
  const __m512 factor = _mm512_set1_ps(0.999f);
  for (size_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (size_t c = 0; c < kChains; ++c) sum[c] = _mm512_fmadd_ps(sum[c], factor, factor);
  }
  for (auto& s : sum) __asm__ volatile("" : : "v"(s));
  return kSteps * kChains * 16;
}

__attribute__((target("avx512f,avx512vnni"))) size_t dot_512() {
  __m512i sum[kChains];
  for (auto& s : sum) s = _mm512_setzero_si512();
  const __m512i bytes = _mm512_set1_epi8(3);
  for (size_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (size_t c = 0; c < kChains; ++c) sum[c] = _mm512_dpbusd_epi32(sum[c], bytes, bytes);
  }
  for (auto& s : sum) __asm__ volatile("" : : "v"(s));
  return kSteps * kChains * 64;
}

// In 1e9 per second, the best of 20.
double rate(size_t (*work)()) {
  double best = 0;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto done = static_cast<double>(work());
    best =
        std::max(best, done / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() * 1e-9);
  }
  return best;
}

}  // namespace

Peaks measure_peaks(Isa isa) {
  const CpuFeatures cpu = cpu_features();
  if (isa == Isa::kAvx512 && cpu.avx512) return {rate(fma_512), rate(dot_512)};
  return {cpu.avx2 ? rate(fma_256) : 0, 0};
}

#else

Peaks measure_peaks(Isa) {
  return {};
}

#endif

}  // namespace nxs::kernels::check
