// SPDX-License-Identifier: Apache-2.0 OR MIT
// The quantised matmul of AVX2 for formats with blocks of 32, shared by their matmul files. A lane is an output. A tile
// is one group, as two halves of 8 outputs, by R rows of activations. Integer sums are exact within 16 bits: vpmaddubsw
// of nibbles (0..15) and activations gives at most 3,810, so all 8 quads of a block add up to at most 30,480 before one
// vpmaddwd; of five-bit quants (at most 7,874), 4 quads. Q8_0 does the same with both nibbles of its unsigned byte, the
// high one with weight 16 (the byte as a whole would saturate). What follows from unsigned weights (-8, -16 or -128 *
// sum) is added to the integer sum, so that it stays exact. Everything is in an anonymous namespace: an inline function
// of external linkage would be compiled with these flags for everyone.
#pragma once

#include <immintrin.h>

#include "kernels/avx2/quads.h"
#include "kernels/block_layout.h"

namespace nxs::kernels::avx2 {
namespace {

inline constexpr size_t kStrip = 64;   ///< blocks whose row factors are prepared at a time, on the stack
inline constexpr size_t kMaxRows = 5;  ///< of a tile: with more, the registers spill

/// What a row contributes to each block besides its quants.
struct RowFactors {
  float d[kMaxRows][kStrip];
  float dsum[kMaxRows][kStrip];     ///< d * sum, Q4_1 and Q5_1
  int32_t start[kMaxRows][kStrip];  ///< -8, -16 or -128 * sum
};

template <QuantForm F, int R>
[[gnu::always_inline]] inline void prepare(RowFactors& f, const Activations& x, size_t row0, size_t b0, size_t n) {
  const size_t nb = x.k / kBlock;
  for (size_t r = 0; r < R; ++r) {
    const float* d = x.d + (row0 + r) * nb + b0;
    const int32_t* sum = x.sum + (row0 + r) * nb + b0;
    for (size_t i = 0; i < n; ++i) {
      f.d[r][i] = d[i];
      if constexpr (kMinimum<F>) {
        f.dsum[r][i] = d[i] * static_cast<float>(sum[i]);
      } else {
        f.start[r][i] = sum[i] * -(1 << kOffsetBits<F>);
      }
    }
  }
}

/// The integer sums of one block of Q4; w is the block, at = b * kBlock. Both halves share each broadcast.
template <int R>
[[gnu::always_inline]] inline void multiply_nibbles(__m256i (&isum)[2][R], const uint8_t* w,
                                                    const int8_t* const (&q)[R], size_t at) {
  const __m256i nibble = _mm256_set1_epi8(15);
#pragma GCC unroll 16
  for (size_t v = 0; v < 8; ++v) {
    __m256i wv[2];
#pragma GCC unroll 16
    for (size_t h = 0; h < 2; ++h) {
      const __m256i packed = load(w + (v % 4) * 64 + h * 32);
      wv[h] = _mm256_and_si256(v < 4 ? packed : _mm256_srli_epi16(packed, 4), nibble);
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const __m256i xq = quad(q[r] + at + v * 4);
#pragma GCC unroll 16
      for (int h = 0; h < 2; ++h) {
        const __m256i p = _mm256_maddubs_epi16(wv[h], xq);
        isum[h][r] = v == 0 ? p : _mm256_add_epi16(isum[h][r], p);
        keep_chain(isum[h][r]);
      }
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    isum[0][r] = _mm256_madd_epi16(isum[0][r], _mm256_set1_epi16(1));
    isum[1][r] = _mm256_madd_epi16(isum[1][r], _mm256_set1_epi16(1));
  }
}

/// The same of Q5: the low nibbles are one chain of 16-bit sums, the high ones another.
template <int R>
[[gnu::always_inline]] inline void multiply_five_bits(__m256i (&isum)[2][R], const uint8_t* w,
                                                      const int8_t* const (&q)[R], size_t at) {
  const __m256i nibble = _mm256_set1_epi8(15), fifth = _mm256_set1_epi8(16);
  __m256i sum[2][R];
#pragma GCC unroll 16
  for (int v = 0; v < 8; ++v) {
    __m256i wv[2];
#pragma GCC unroll 16
    for (size_t h = 0; h < 2; ++h) {
      const __m256i packed = load(w + static_cast<size_t>(v % 4) * 64 + h * 32);
      const __m256i bits = load(w + 256 + h * 32);
      const __m256i low = _mm256_and_si256(v < 4 ? packed : _mm256_srli_epi16(packed, 4), nibble);
      const __m256i bit = v < 4 ? _mm256_srli_epi16(bits, v) : _mm256_slli_epi16(bits, 8 - v);
      wv[h] = _mm256_or_si256(low, _mm256_and_si256(bit, fifth));
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const __m256i xq = quad(q[r] + at + v * 4);
#pragma GCC unroll 16
      for (int h = 0; h < 2; ++h) {
        const __m256i p = _mm256_maddubs_epi16(wv[h], xq);
        sum[h][r] = v % 4 == 0 ? p : _mm256_add_epi16(sum[h][r], p);
        keep_chain(sum[h][r]);
        if (v % 4 != 3) continue;
        const __m256i wide = _mm256_madd_epi16(sum[h][r], _mm256_set1_epi16(1));
        isum[h][r] = v == 3 ? wide : _mm256_add_epi32(isum[h][r], wide);
      }
    }
  }
}

/// The same of one half of Q8_0, byte = 16 * high + low.
template <int R>
[[gnu::always_inline]] inline void multiply_bytes(__m256i (&isum)[R], const uint8_t* w, const int8_t* const (&q)[R],
                                                  size_t at) {
  const __m256i nibble = _mm256_set1_epi8(15);
  __m256i t[R];
#pragma GCC unroll 16
  for (size_t v = 0; v < 8; ++v) {
    const __m256i bytes = load(w + v * 64);
    const __m256i low = _mm256_and_si256(bytes, nibble);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const __m256i xq = quad(q[r] + at + v * 4);
      const __m256i a = _mm256_maddubs_epi16(low, xq);
      const __m256i b = _mm256_maddubs_epi16(high, xq);
      isum[r] = v == 0 ? a : _mm256_add_epi16(isum[r], a);
      t[r] = v == 0 ? b : _mm256_add_epi16(t[r], b);
      keep_chain(isum[r]);
      keep_chain(t[r]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    isum[r] = _mm256_add_epi32(_mm256_madd_epi16(isum[r], _mm256_set1_epi16(1)),
                               _mm256_madd_epi16(t[r], _mm256_set1_epi16(16)));
  }
}

/// acc += block b (i of the strip), its quants at w and scales at s.
template <QuantForm F, int R>
[[gnu::always_inline]] inline void add_block(__m256 (&acc)[2][R], const uint8_t* w, const uint8_t* s,
                                             const int8_t* const (&q)[R], const RowFactors& f, size_t b, size_t i) {
  __m256i isum[2][R];
  if constexpr (F == QuantForm::kQ8_0) {
    multiply_bytes<R>(isum[0], w, q, b * kBlock);
    asm("" ::: "memory");  // or the broadcasts of the first half are kept for the second, on the stack
    multiply_bytes<R>(isum[1], w + 32, q, b * kBlock);
  } else if constexpr (kFifthBit<F>) {
    multiply_five_bits<R>(isum, w, q, b * kBlock);
  } else {
    multiply_nibbles<R>(isum, w, q, b * kBlock);
  }
#pragma GCC unroll 16
  for (int h = 0; h < 2; ++h) {
    const __m256 dw = halves(s + h * 16);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      if constexpr (!kMinimum<F>) {
        isum[h][r] = _mm256_add_epi32(isum[h][r], _mm256_set1_epi32(f.start[r][i]));
      }
      acc[h][r] =
          _mm256_fmadd_ps(_mm256_mul_ps(dw, _mm256_set1_ps(f.d[r][i])), _mm256_cvtepi32_ps(isum[h][r]), acc[h][r]);
    }
    if constexpr (kMinimum<F>) {
      const __m256 mw = halves(s + h * 16 + 32);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) acc[h][r] = _mm256_fmadd_ps(mw, _mm256_set1_ps(f.dsum[r][i]), acc[h][r]);
    }
  }
}

/// y[row0 .. row0 + R) of one group. `ahead` is where the next group starts, or NULL.
template <QuantForm F, int R>
void quant_tile(float* y, size_t ldy, const uint8_t* group, const Activations& x, size_t row0, bool add,
                const uint8_t* ahead) {
  const size_t nb = x.k / kBlock;
  const uint8_t* scales = group + nb * kQuantBytes<F>;
  const int8_t* q[R];
  for (size_t r = 0; r < R; ++r) q[r] = x.q + (row0 + r) * x.k;
  RowFactors f;
  __m256 acc[2][R];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) acc[0][r] = acc[1][r] = _mm256_setzero_ps();
  for (size_t b0 = 0; b0 < nb; b0 += kStrip) {
    const size_t n = nb - b0 < kStrip ? nb - b0 : kStrip;
    prepare<F, R>(f, x, row0, b0, n);
    for (size_t i = 0; i < n; ++i) {
      const size_t b = b0 + i;
      if (ahead != nullptr) fetch_ahead<kQuantBytes<F> + kScaleBytes<F>>(ahead + b * (kQuantBytes<F> + kScaleBytes<F>));
      add_block<F, R>(acc, group + b * kQuantBytes<F>, scales + b * kScaleBytes<F>, q, f, b, i);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    float* out = y + static_cast<size_t>(r) * ldy;
    store(out, acc[0][r], add);
    store(out + kHalf, acc[1][r], add);
  }
}

/// The whole range.
template <QuantForm F>
[[gnu::always_inline]] inline void quant_matmul(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x,
                                                size_t g0, size_t g1, bool add) {
  static constexpr QuantTile* kTiles[] = {nullptr,          quant_tile<F, 1>, quant_tile<F, 2>,
                                          quant_tile<F, 3>, quant_tile<F, 4>, quant_tile<F, 5>};
  run_tiles(kTiles, y, ldy, w, x, g0, g1, add);
}

}  // namespace
}  // namespace nxs::kernels::avx2
