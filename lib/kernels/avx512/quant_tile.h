// SPDX-License-Identifier: Apache-2.0 OR MIT
// The quantised matmul of AVX-512 VNNI for formats with blocks of 32, shared by their matmul files. A lane is an
// output. A tile is G groups by R rows of activations; its block is 8 quads of vpdpbusd (weights unsigned, activations
// broadcast as dwords), then one conversion and the scales, in exactly the order of the definition. What follows from
// unsigned weights (-8, -16 or -128 * sum) is the start value of the integer sum, so that it stays exact.
// Everything is in an anonymous namespace: an inline function of external linkage would be compiled with these flags
// for everyone.
#pragma once

#include <immintrin.h>

#include "kernels/avx512/quads.h"
#include "kernels/block_layout.h"

namespace nxs::kernels::avx512 {
namespace {

inline constexpr size_t kStrip = 64;  ///< blocks whose row factors are prepared at a time, on the stack

/// What a row contributes to each block besides its quants: d, and the start of the integer sum or d * sum.
struct RowFactors {
  alignas(64) float d[kMaxRows][kStrip];
  union {
    alignas(64) int32_t start[kMaxRows][kStrip];
    alignas(64) float dsum[kMaxRows][kStrip];
  };
};

template <QuantForm F, int R>
[[gnu::always_inline]] inline void prepare(RowFactors& f, const Activations& x, size_t row0, size_t b0, size_t n) {
  const size_t nb = x.k / kBlock;
  for (size_t r = 0; r < R; ++r) {
    const float* d = x.d + (row0 + r) * nb + b0;
    const int32_t* sum = x.sum + (row0 + r) * nb + b0;
    for (size_t i = 0; i < n; i += 16) {
      const __mmask16 live = n - i >= 16 ? __mmask16{0xffff} : static_cast<__mmask16>((1u << (n - i)) - 1);
      const __m512 dx = _mm512_maskz_loadu_ps(live, d + i);
      const __m512i s = _mm512_maskz_loadu_epi32(live, sum + i);
      _mm512_store_ps(&f.d[r][i], dx);
      if constexpr (kMinimum<F>) {
        _mm512_store_ps(&f.dsum[r][i], _mm512_mul_ps(dx, _mm512_cvtepi32_ps(s)));
      } else {
        const __m512i scaled = _mm512_slli_epi32(s, kOffsetBits<F>);
        _mm512_store_si512(&f.start[r][i], _mm512_sub_epi32(_mm512_setzero_si512(), scaled));
      }
    }
  }
}

/// The integer sums of block b.
template <QuantForm F, int G, int R>
[[gnu::always_inline]] inline void multiply_block(__m512i (&isum)[G][R], const uint8_t* const (&w)[G],
                                                  const int8_t* const (&q)[R], size_t b) {
  __m512i even[G];
  if constexpr (F == QuantForm::kQ8_0) {
#pragma GCC unroll 16
    for (size_t v = 0; v < 8; ++v) {
#pragma GCC unroll 16
      for (int g = 0; g < G; ++g) even[g] = _mm512_load_si512(w[g] + b * 512 + v * 64);
      multiply_quad<G, R>(isum, even, q, b * kBlock + v * 4);
    }
  } else {
    const __m512i nibble = _mm512_set1_epi8(15);
    __m512i odd[G];
    __m512i bits[G];  // bit 4 of a byte is the fifth of the even quad, bit 0 that of the odd one
    if constexpr (kFifthBit<F>) {
#pragma GCC unroll 16
      for (int g = 0; g < G; ++g) bits[g] = _mm512_load_si512(w[g] + b * kQuantBytes<F> + 256);
    }
#pragma GCC unroll 16
    for (size_t v = 0; v < 4; ++v) {
#pragma GCC unroll 16
      for (int g = 0; g < G; ++g) {
        const __m512i packed = _mm512_load_si512(w[g] + b * kQuantBytes<F> + v * 64);
        even[g] = _mm512_and_si512(packed, nibble);
        odd[g] = _mm512_and_si512(_mm512_srli_epi16(packed, 4), nibble);
        if constexpr (kFifthBit<F>) {
          even[g] = or_bits(even[g], bits[g], 16);
          odd[g] = or_bits(odd[g], _mm512_slli_epi16(bits[g], 4), 16);
          bits[g] = _mm512_srli_epi16(bits[g], 1);
        }
      }
      multiply_quad<G, R>(isum, even, q, b * kBlock + v * 4);
      multiply_quad<G, R>(isum, odd, q, b * kBlock + 16 + v * 4);
    }
  }
}

/// y[row0 .. row0 + R) of groups g0 .. g0 + G. `ahead` is where the groups to come start, or NULL.
template <QuantForm F, int G, int R>
void quant_tile(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t row0,
                bool add, const uint8_t* ahead) {
  constexpr size_t kBytes = kQuantBytes<F> + kScaleBytes<F>;
  const size_t nb = x.k / kBlock;
  RowFactors f;
  const uint8_t* quants[G];
  const uint8_t* scales[G];
  const int8_t* q[R];
  for (size_t g = 0; g < G; ++g) {
    quants[g] = w.group(g0 + g);
    scales[g] = quants[g] + nb * kQuantBytes<F>;
  }
  for (size_t r = 0; r < R; ++r) q[r] = x.q + (row0 + r) * x.k;

  __m512 acc[G][R];
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) acc[g][r] = _mm512_setzero_ps();
  }
  for (size_t b0 = 0; b0 < nb; b0 += kStrip) {
    const size_t n = nb - b0 < kStrip ? nb - b0 : kStrip;
    prepare<F, R>(f, x, row0, b0, n);
    for (size_t i = 0; i < n; ++i) {
      const size_t b = b0 + i;
      if (ahead != nullptr) fetch_ahead<G * kBytes>(ahead + b * G * kBytes);
      __m512i isum[G][R];
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const __m512i start = kMinimum<F> ? _mm512_setzero_si512() : _mm512_set1_epi32(f.start[r][i]);
#pragma GCC unroll 16
        for (int g = 0; g < G; ++g) isum[g][r] = start;
      }
      multiply_block<F, G, R>(isum, quants, q, b);
#pragma GCC unroll 16
      for (int g = 0; g < G; ++g) {
        const __m512 dw = halves(scales[g] + b * kScaleBytes<F>);
#pragma GCC unroll 16
        for (int r = 0; r < R; ++r) {
          acc[g][r] =
              _mm512_fmadd_ps(_mm512_mul_ps(dw, _mm512_set1_ps(f.d[r][i])), _mm512_cvtepi32_ps(isum[g][r]), acc[g][r]);
        }
        if constexpr (kMinimum<F>) {
          const __m512 mw = halves(scales[g] + b * kScaleBytes<F> + 32);
#pragma GCC unroll 16
          for (int r = 0; r < R; ++r) acc[g][r] = _mm512_fmadd_ps(mw, _mm512_set1_ps(f.dsum[r][i]), acc[g][r]);
        }
      }
    }
  }
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      store(y + (row0 + static_cast<size_t>(r)) * ldy + (g0 + static_cast<size_t>(g)) * kGroupRows, acc[g][r], add);
    }
  }
}

/// The whole range.
template <QuantForm F>
[[gnu::always_inline]] inline void quant_matmul(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x,
                                                size_t g0, size_t g1, bool add) {
  static constexpr QuantTile* kOne[] = {nullptr,
                                        quant_tile<F, 1, 1>,
                                        quant_tile<F, 1, 2>,
                                        quant_tile<F, 1, 3>,
                                        quant_tile<F, 1, 4>,
                                        quant_tile<F, 1, 5>,
                                        quant_tile<F, 1, 6>,
                                        quant_tile<F, 1, 7>,
                                        quant_tile<F, 1, 8>};
  static constexpr QuantTile* kPair[] = {nullptr,
                                         quant_tile<F, 2, 1>,
                                         quant_tile<F, 2, 2>,
                                         quant_tile<F, 2, 3>,
                                         quant_tile<F, 2, 4>,
                                         quant_tile<F, 2, 5>,
                                         quant_tile<F, 2, 6>};
  run_tiles(kOne, kPair, y, ldy, w, x, g0, g1, add);
}

}  // namespace
}  // namespace nxs::kernels::avx512
