// SPDX-License-Identifier: Apache-2.0 OR MIT
// The float matmul of AVX-512, shared by matmul_f32.cpp, matmul_f16.cpp and matmul_bf16.cpp. A lane is an output.
// A tile is G groups by one panel of R activation rows; each output is one chain of fma over 256 k in a register, added
// to a sum. Everything is in an anonymous namespace: an inline function of external linkage would be compiled with
// these flags for everyone.
#pragma once

#include <immintrin.h>

#include "kernels/kernels.h"

namespace nxs::kernels::avx512 {
namespace {

using tensor::kGroupRows;

enum class FloatForm { kF32, kF16, kBF16 };

template <FloatForm F>
inline constexpr size_t kElementBytes = F == FloatForm::kF32 ? 4 : 2;

/// The 16 weights at p, widened exactly.
template <FloatForm F>
[[gnu::always_inline]] inline __m512 load_weights(const uint8_t* p) {
  if constexpr (F == FloatForm::kF32) {
    return _mm512_load_ps(p);
  } else {
    const __m256i half = _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
    if constexpr (F == FloatForm::kF16) return _mm512_cvtph_ps(half);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16));
  }
}

/// y[row0 .. row0 + R) of groups g0 .. g0 + G; x is their panel [k][R]. `ahead` is where the groups to come start, or
/// NULL.
template <FloatForm F, int G, int R>
void float_tile(float* y, size_t ldy, const tensor::PackedView& w, const float* x, size_t k, size_t g0, bool add,
                const uint8_t* ahead) {
  constexpr size_t kStep = kGroupRows * kElementBytes<F>;
  const uint8_t* weights[G];
  for (size_t g = 0; g < G; ++g) weights[g] = w.group(g0 + g);
  __m512 sum[G][R];
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) sum[g][r] = _mm512_setzero_ps();
  }
  for (size_t k0 = 0; k0 < k; k0 += kChunk) {
    const size_t end = k - k0 < kChunk ? k : k0 + kChunk;
    __m512 a[G][R];
#pragma GCC unroll 16
    for (int g = 0; g < G; ++g) {
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) a[g][r] = _mm512_setzero_ps();
    }
    for (size_t i = k0; i < end; ++i) {
      if (ahead != nullptr) {
#pragma GCC unroll 16
        for (size_t at = 0; at < kStep * G; at += 64) {
          _mm_prefetch(reinterpret_cast<const char*>(ahead + i * kStep * G + at), _MM_HINT_T0);
        }
      }
      __m512 wk[G];
#pragma GCC unroll 16
      for (int g = 0; g < G; ++g) wk[g] = load_weights<F>(weights[g] + i * kStep);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const __m512 xk = _mm512_set1_ps(x[i * R + static_cast<size_t>(r)]);
#pragma GCC unroll 16
        for (int g = 0; g < G; ++g) a[g][r] = _mm512_fmadd_ps(wk[g], xk, a[g][r]);
      }
    }
#pragma GCC unroll 16
    for (int g = 0; g < G; ++g) {
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) sum[g][r] = _mm512_add_ps(sum[g][r], a[g][r]);
    }
  }
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      float* out = y + static_cast<size_t>(r) * ldy + (g0 + static_cast<size_t>(g)) * kGroupRows;
      _mm512_store_ps(out, add ? _mm512_add_ps(_mm512_load_ps(out), sum[g][r]) : sum[g][r]);
    }
  }
}

using FloatTile = void(float* y, size_t ldy, const tensor::PackedView& w, const float* x, size_t k, size_t g0, bool add,
                       const uint8_t* ahead);

/// The whole range, panels inside, so that the weights of a group or pair are read from memory once.
template <FloatForm F>
[[gnu::always_inline]] inline void float_matmul(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x,
                                                size_t g0, size_t g1, bool add) {
  static constexpr FloatTile* kOne[] = {nullptr,
                                        float_tile<F, 1, 1>,
                                        float_tile<F, 1, 2>,
                                        float_tile<F, 1, 3>,
                                        float_tile<F, 1, 4>,
                                        float_tile<F, 1, 5>,
                                        float_tile<F, 1, 6>,
                                        float_tile<F, 1, 7>,
                                        float_tile<F, 1, 8>};
  static constexpr FloatTile* kPair[] = {nullptr,
                                         float_tile<F, 2, 1>,
                                         float_tile<F, 2, 2>,
                                         float_tile<F, 2, 3>,
                                         float_tile<F, 2, 4>,
                                         float_tile<F, 2, 5>,
                                         float_tile<F, 2, 6>,
                                         float_tile<F, 2, 7>,
                                         float_tile<F, 2, 8>};
  // One row of F32 is bound by memory, which prefers one stream; of 16-bit weights by the latency of its only chain.
  const bool pairs = F != FloatForm::kF32 || x.m > kPanel;
  size_t g = g0;
  while (g < g1) {
    const bool pair = pairs && g1 - g >= 2;
    const size_t next = g + (pair ? 2 : 1);
    const uint8_t* ahead = next < w.groups() ? w.group(next) : nullptr;
    for (size_t row = 0; row < x.m; row += kPanel) {
      const size_t rows = x.m - row < kPanel ? x.m - row : kPanel;
      (pair ? kPair : kOne)[rows](y + row * ldy, ldy, w, x.x + row * x.k, x.k, g, add, row == 0 ? ahead : nullptr);
    }
    g = next;
  }
}

}  // namespace
}  // namespace nxs::kernels::avx512
