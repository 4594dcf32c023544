// SPDX-License-Identifier: Apache-2.0 OR MIT
// The quantised matmul of AVX-512 VNNI for formats with blocks of 256, shared by their matmul files. A lane is an
// output. A tile is G groups by R rows of activations. Each sub-block is a chain of vpdpbusd from 0 (Q6_K: from -32 *
// sum, since its quants are unsigned), times the lanes' scales; minima meet the sums of activations as pairs of 16
// bits. Floats come once per block, so that their sums may stay in memory.
#pragma once

#include "kernels/avx512/quads.h"
#include "kernels/block_layout.h"

namespace nxs::kernels::avx512 {
namespace {

using tensor::kBlockK;

/// What a row contributes to each sub-block besides its quants: Q6_K the start of the integer sum; Q4_K and Q5_K the
/// sums of two sub-blocks in 16 bits each.
template <KForm F, int R>
[[gnu::always_inline]] inline void prepare(int32_t (&f)[R][16], const Activations& x, size_t row0, size_t b) {
  for (size_t r = 0; r < R; ++r) {
    const int16_t* sum = x.ksum + ((row0 + r) * (x.k / kBlockK) + b) * 16;
    const __m256i s = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sum));
    if constexpr (KLayout<F>::kSix) {
      const __m512i scaled = _mm512_slli_epi32(_mm512_cvtepi16_epi32(s), 5);
      _mm512_store_si512(f[r], _mm512_sub_epi32(_mm512_setzero_si512(), scaled));
    } else {
      const __m256i by_32 = _mm256_madd_epi16(s, _mm256_set1_epi16(1));
      _mm_store_si128(reinterpret_cast<__m128i*>(f[r]), _mm256_cvtepi32_epi16(by_32));
    }
  }
}

/// Quad T of the group of elements at w, as unsigned bytes.
template <KForm F, size_t T>
[[gnu::always_inline]] inline __m512i quants(const uint8_t* w) {
  constexpr unsigned kNibble = T % 8 / 4 * 4;
  const __m512i packed = _mm512_load_si512(w + T / 8 * 256 + T % 4 * 64);
  const __m512i low = _mm512_and_si512(_mm512_srli_epi16(packed, kNibble), _mm512_set1_epi8(15));
  if constexpr (F == KForm::kQ5_K) {
    const __m512i bits = _mm512_load_si512(w + 256);
    constexpr unsigned kRight = T < 4 ? T : 0, kLeft = T < 4 ? 0 : 8 - T;
    return or_bits(low, _mm512_slli_epi16(_mm512_srli_epi16(bits, kRight), kLeft), 16);
  } else if constexpr (F == KForm::kQ6_K) {
    const __m512i bits = _mm512_load_si512(w + 512 + T % 4 * 64);
    constexpr unsigned kRight = T / 4 == 1 ? 2 : 0, kLeft = T / 4 == 2 ? 4 : T / 4 == 3 ? 2 : 0;
    return or_bits(low, _mm512_slli_epi16(_mm512_srli_epi16(bits, kRight), kLeft), 0x30);
  } else {
    return low;
  }
}

/// 6-bit scales or minima of sub-blocks 0 to 3 (high = 0) or 4 to 7 in the bytes of each lane; `which` is 0 for scales,
/// 1 for minima.
[[gnu::always_inline]] inline __m512i six_bits(const uint8_t* scales, bool high, unsigned which) {
  const __m512i own = _mm512_load_si512(scales + which * 64);
  if (!high) return _mm512_and_si512(own, _mm512_set1_epi8(63));
  const __m512i both = _mm512_load_si512(scales + 128);
  const __m512i low = which == 0 ? both : _mm512_srli_epi16(both, 4);
  return or_bits(_mm512_and_si512(low, _mm512_set1_epi8(15)), _mm512_srli_epi16(own, 2), 0x30);
}

/// total += quads T and on of one group of elements of each of the G groups, times those of each row. The bytes of sc
/// are the scales of the sub-blocks to come; the one that is done with goes.
template <KForm F, int G, int R, size_t T = 0>
[[gnu::always_inline]] inline void multiply(__m512i (&total)[G][R], __m512i (&sub)[G][R], __m512i (&sc)[G],
                                            const uint8_t* const (&w)[G], const int8_t* const (&q)[R], size_t at,
                                            const int32_t (&f)[R][16], size_t sub_block) {
  using L = KLayout<F>;
  if constexpr (T % L::kSubQuads == 0) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const __m512i start = L::kSix ? _mm512_set1_epi32(f[r][sub_block]) : _mm512_setzero_si512();
#pragma GCC unroll 16
      for (int g = 0; g < G; ++g) sub[g][r] = start;
    }
  }
  __m512i wv[G];
#pragma GCC unroll 16
  for (int g = 0; g < G; ++g) wv[g] = quants<F, T>(w[g]);
  multiply_quad<G, R>(sub, wv, q, at + T * 4);
  constexpr bool kLast = T % L::kSubQuads == L::kSubQuads - 1;
  if constexpr (kLast) {
#pragma GCC unroll 16
    for (int g = 0; g < G; ++g) {
      const __m512i scale = L::kSix ? _mm512_srai_epi32(_mm512_slli_epi32(sc[g], 24), 24)
                                    : _mm512_and_si512(sc[g], _mm512_set1_epi32(255));
      sc[g] = _mm512_srli_epi32(sc[g], 8);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) total[g][r] = _mm512_add_epi32(total[g][r], _mm512_mullo_epi32(sub[g][r], scale));
    }
  }
  if constexpr (T + 1 < L::kQuads) {
    multiply<F, G, R, T + 1>(total, sub, sc, w, q, at, f, sub_block + (kLast ? 1 : 0));
  }
}

/// The exact sums of minima times sums of activations, from a group's scales.
template <int R>
[[gnu::always_inline]] inline void multiply_minima(__m512i (&imin)[R], const uint8_t* scales,
                                                   const int32_t (&f)[R][16]) {
  // Bytes 0 and 1, or 2 and 3, of each lane as 16 bits each.
  const __m512i two[2] = {
      _mm512_broadcast_i32x4(_mm_set_epi8(-1, 13, -1, 12, -1, 9, -1, 8, -1, 5, -1, 4, -1, 1, -1, 0)),
      _mm512_broadcast_i32x4(_mm_set_epi8(-1, 15, -1, 14, -1, 11, -1, 10, -1, 7, -1, 6, -1, 3, -1, 2))};
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) imin[r] = _mm512_setzero_si512();
#pragma GCC unroll 16
  for (int p = 0; p < 4; ++p) {
    const __m512i pair = _mm512_shuffle_epi8(six_bits(scales, p >= 2, 1), two[p % 2]);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) imin[r] = _mm512_dpwssd_epi32(imin[r], pair, _mm512_set1_epi32(f[r][p]));
  }
}

/// acc += block b: exact sums to floats, in the order of the definition. `s` points to 16 d, and 16 dmin.
template <KForm F, int R>
[[gnu::always_inline]] inline void add_block(__m512 (&acc)[R], const __m512i (&total)[R], const uint8_t* scales,
                                             const uint8_t* s, const float* d, size_t stride,
                                             const int32_t (&f)[R][16]) {
  const __m512 dw = halves(s);
#pragma GCC unroll 16
  for (size_t r = 0; r < R; ++r) {
    const __m512 factor = _mm512_mul_ps(dw, _mm512_set1_ps(d[r * stride]));
    acc[r] = _mm512_fmadd_ps(factor, _mm512_cvtepi32_ps(total[r]), acc[r]);
  }
  if constexpr (!KLayout<F>::kSix) {
    const __m512 mw = halves(s + 32);
    __m512i imin[R];
    multiply_minima<R>(imin, scales, f);
#pragma GCC unroll 16
    for (size_t r = 0; r < R; ++r) {
      const __m512 factor = _mm512_mul_ps(mw, _mm512_set1_ps(d[r * stride]));
      acc[r] = _mm512_fnmadd_ps(factor, _mm512_cvtepi32_ps(imin[r]), acc[r]);
    }
  }
}

/// y[row0 .. row0 + R) of groups g0 .. g0 + G. `ahead` is where the groups to come start, or NULL.
template <KForm F, int G, int R>
void k_tile(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t row0, bool add,
            const uint8_t* ahead) {
  using L = KLayout<F>;
  constexpr size_t kAhead = G * L::kAllBytes / L::kGroups;
  const size_t nb = x.k / kBlockK;
  alignas(64) int32_t f[R][16];
  const int8_t* q[R];
  for (size_t r = 0; r < R; ++r) q[r] = x.kq + (row0 + r) * x.k;
  __m512 acc[G][R];
  for (int g = 0; g < G; ++g) {
    for (int r = 0; r < R; ++r) acc[g][r] = _mm512_setzero_ps();
  }
  for (size_t b = 0; b < nb; ++b) {
    prepare<F, R>(f, x, row0, b);
    __m512i total[G][R], sub[G][R], sc[G];
    const uint8_t* block[G];
#pragma GCC unroll 16
    for (int g = 0; g < G; ++g) {
      block[g] = w.group(g0 + static_cast<size_t>(g)) + b * L::kBlockBytes;
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) total[g][r] = _mm512_setzero_si512();
    }
#pragma GCC unroll 1
    for (size_t i = 0; i < L::kGroups; ++i) {
      if (ahead != nullptr) fetch_ahead<kAhead>(ahead + (b * L::kGroups + i) * kAhead);
      const uint8_t* at[G];
#pragma GCC unroll 16
      for (int g = 0; g < G; ++g) {
        const uint8_t* scales = block[g] + L::kQuantBytes;
        at[g] = block[g] + i * L::kGroupBytes;
        if constexpr (L::kSix) {
          sc[g] = _mm512_load_si512(scales + i * 64);
        } else if (i % 4 == 0) {
          sc[g] = six_bits(scales, i != 0, 0);
        }
      }
      multiply<F, G, R>(total, sub, sc, at, q, b * kBlockK + i * L::kQuads * 4, f, i * 4);
    }
    asm("" : "+m"(acc));  // the registers are for the integer sums
#pragma GCC unroll 16
    for (int g = 0; g < G; ++g) {
      const uint8_t* s = L::kSix ? w.group(g0 + static_cast<size_t>(g)) + nb * L::kBlockBytes + b * 32
                                 : block[g] + L::kBlockBytes - 64;
      add_block<F, R>(acc[g], total[g], block[g] + L::kQuantBytes, s, x.kd + row0 * nb + b, nb, f);
    }
  }
  for (size_t g = 0; g < G; ++g) {
    for (size_t r = 0; r < R; ++r) store(y + (row0 + r) * ldy + (g0 + g) * kGroupRows, acc[g][r], add);
  }
}

/// The whole range.
template <KForm F>
[[gnu::always_inline]] inline void k_matmul(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x,
                                            size_t g0, size_t g1, bool add) {
  static constexpr QuantTile* kOne[] = {nullptr,         k_tile<F, 1, 1>, k_tile<F, 1, 2>,
                                        k_tile<F, 1, 3>, k_tile<F, 1, 4>, k_tile<F, 1, 5>,
                                        k_tile<F, 1, 6>, k_tile<F, 1, 7>, k_tile<F, 1, 8>};
  static constexpr QuantTile* kPair[] = {nullptr,         k_tile<F, 2, 1>, k_tile<F, 2, 2>, k_tile<F, 2, 3>,
                                         k_tile<F, 2, 4>, k_tile<F, 2, 5>, k_tile<F, 2, 6>};
  run_tiles(kOne, kPair, y, ldy, w, x, g0, g1, add);
}

}  // namespace
}  // namespace nxs::kernels::avx512
