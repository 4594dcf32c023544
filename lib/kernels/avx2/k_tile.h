// SPDX-License-Identifier: Apache-2.0 OR MIT
// The quantised matmul of AVX2 for formats with blocks of 256, shared by their matmul files. A lane is an output. A
// tile is one group, whose halves of 8 outputs are computed one after the other block by block, by R rows of
// activations. Sums of products stay exact within 16 bits over 8 quads of Q4_K (30,480), 4 of Q5_K (31,496) and 2 of
// Q6_K (32,004); one vpmaddwd then multiplies them by the lanes' scales. Q6_K's quants are unsigned: 32 times scales
// times sums of activations is taken off at the end, in the way minima are.
#pragma once

#include "kernels/avx2/quads.h"
#include "kernels/block_layout.h"

namespace nxs::kernels::avx2 {
namespace {

using tensor::kBlockK;

inline constexpr size_t kMaxRowsK = 5;  ///< of a tile

/// Quads whose sums fit into 16 bits.
template <KForm F>
inline constexpr size_t kChain = F == KForm::kQ6_K   ? 2
                                 : F == KForm::kQ5_K ? 4
                                                     : 8;

/// Quad t of the group of elements at w, as unsigned bytes.
template <KForm F>
[[gnu::always_inline]] inline __m256i quants(const uint8_t* w, size_t t) {
  const __m256i packed = load(w + t / 8 * 256 + t % 4 * 64);
  const __m256i low = _mm256_and_si256(t % 8 < 4 ? packed : _mm256_srli_epi16(packed, 4), _mm256_set1_epi8(15));
  if constexpr (F == KForm::kQ5_K) {
    const __m256i bits = load(w + 256);
    const int shift = static_cast<int>(t);
    const __m256i bit = t < 4 ? _mm256_srli_epi16(bits, shift) : _mm256_slli_epi16(bits, 8 - shift);
    return _mm256_or_si256(low, _mm256_and_si256(bit, _mm256_set1_epi8(16)));
  } else if constexpr (F == KForm::kQ6_K) {
    __m256i bits = load(w + 512 + t % 4 * 64);
    if (t / 4 == 1) bits = _mm256_srli_epi16(bits, 2);
    if (t / 4 == 2) bits = _mm256_slli_epi16(bits, 4);
    if (t / 4 == 3) bits = _mm256_slli_epi16(bits, 2);
    return _mm256_or_si256(low, _mm256_and_si256(bits, _mm256_set1_epi8(0x30)));
  } else {
    return low;
  }
}

/// 6-bit scales or minima of sub-blocks 0 to 3 (high = 0) or 4 to 7 in the bytes of each lane; `which` is 0 for scales,
/// 1 for minima.
[[gnu::always_inline]] inline __m256i six_bits(const uint8_t* scales, bool high, int which) {
  const __m256i own = load(scales + which * 64);
  if (!high) return _mm256_and_si256(own, _mm256_set1_epi8(63));
  const __m256i both = load(scales + 128);
  const __m256i low = _mm256_and_si256(which == 0 ? both : _mm256_srli_epi16(both, 4), _mm256_set1_epi8(15));
  return _mm256_or_si256(low, _mm256_and_si256(_mm256_srli_epi16(own, 2), _mm256_set1_epi8(0x30)));
}

/// Bytes a and b of each lane of 4 as 16 bits each: without sign, or with it.
template <bool kSigned>
[[gnu::always_inline]] inline __m256i pick(__m256i bytes, int a, int b) {
  // An index with its top bit set gives zero.
  const int index = kSigned ? 0x00800080 | a << 8 | b << 24 : static_cast<int>(0x80008000u) | a | b << 16;
  const __m256i lanes = _mm256_set_epi32(12, 8, 4, 0, 12, 8, 4, 0);
  const __m256i at =
      _mm256_add_epi8(_mm256_set1_epi32(index), _mm256_mullo_epi32(lanes, _mm256_set1_epi32(0x01010101)));
  const __m256i picked = _mm256_shuffle_epi8(bytes, at);
  return kSigned ? _mm256_srai_epi16(picked, 8) : picked;
}

/// Two int16 that lie together, to each lane.
[[gnu::always_inline]] inline __m256i pair(const int16_t* p) {
  int32_t v;
  __builtin_memcpy(&v, p, sizeof v);
  return _mm256_set1_epi32(v);
}

/// total += quads of the group of elements at w, times those of each row. The bytes of sc are the scales of the
/// sub-blocks: byte `first` the only one's, or (Q6_K) all four.
template <KForm F, int R>
[[gnu::always_inline]] inline void multiply(__m256i (&total)[R], __m256i sc, int first, const uint8_t* w,
                                            const int8_t* const (&q)[R], size_t at) {
  using L = KLayout<F>;
  __m256i sum[R];
  __m256i scale = pick<L::kSix>(sc, first, first);
#pragma GCC unroll 16
  for (size_t t = 0; t < L::kQuads; ++t) {
    if (L::kSix && t % 4 == 0) scale = pick<L::kSix>(sc, static_cast<int>(t / 4), static_cast<int>(t / 4));
    const __m256i wv = quants<F>(w, t);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const __m256i p = _mm256_maddubs_epi16(wv, quad(q[r] + at + t * 4));
      sum[r] = t % kChain<F> == 0 ? p : _mm256_add_epi16(sum[r], p);
      keep_chain(sum[r]);
      if (t % kChain<F> != kChain<F> - 1) continue;
      total[r] = _mm256_add_epi32(total[r], _mm256_madd_epi16(sum[r], scale));
      keep_chain(total[r]);
    }
  }
}

/// The exact sums of one half of a block.
template <KForm F, int R>
[[gnu::always_inline]] inline void multiply_half(__m256i (&total)[R], const uint8_t* block, const int8_t* const (&q)[R],
                                                 size_t at) {
  using L = KLayout<F>;
  const uint8_t* scales = block + L::kQuantBytes;
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) total[r] = _mm256_setzero_si256();
  if constexpr (L::kSix) {
#pragma GCC unroll 1
    for (size_t i = 0; i < 4; ++i) {
      multiply<F, R>(total, load(scales + i * 64), 0, block + i * L::kGroupBytes, q, at + i * 64);
    }
  } else {
#pragma GCC unroll 1
    for (size_t i = 0; i < 8; ++i) {
      const __m256i four = six_bits(scales, i >= 4, 0);
      const __m256i sc = _mm256_srlv_epi32(four, _mm256_set1_epi32(static_cast<int>(i % 4 * 8)));
      multiply<F, R>(total, sc, 0, block + i * L::kGroupBytes, q, at + i * 32);
    }
  }
}

/// The exact sums of minima, or of Q6_K's scales, times sums of activations (16 int16 a row).
template <KForm F, int R>
[[gnu::always_inline]] inline void multiply_sums(__m256i (&out)[R], const uint8_t* scales,
                                                 const int16_t (&sums)[R][16]) {
  constexpr bool kSix = KLayout<F>::kSix;
#pragma GCC unroll 16
  for (int p = 0; p < (kSix ? 8 : 4); ++p) {
    const __m256i bytes = kSix ? load(scales + p / 2 * 64) : six_bits(scales, p >= 2, 1);
    const __m256i two = pick<kSix>(bytes, p % 2 * 2, p % 2 * 2 + 1);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const __m256i products = _mm256_madd_epi16(two, pair(&sums[r][2 * p]));
      out[r] = p == 0 ? products : _mm256_add_epi32(out[r], products);
    }
  }
}

/// Sums of activations as multiply_sums wants them: of each 16 (Q6_K) or 32.
template <KForm F, int R>
[[gnu::always_inline]] inline void prepare(int16_t (&f)[R][16], const int16_t* sum, size_t stride) {
  for (size_t r = 0; r < R; ++r) {
    const __m256i s = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sum + r * stride));
    if constexpr (KLayout<F>::kSix) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(f[r]), s);
    } else {
      const __m256i by_32 = _mm256_madd_epi16(s, _mm256_set1_epi16(1));
      const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(by_32), _mm256_extracti128_si256(by_32, 1));
      _mm_store_si128(reinterpret_cast<__m128i*>(f[r]), words);
    }
  }
}

/// acc += one half of a block: exact sums to floats, in the order of the definition. `s` points to 8 d; 8 dmin are 32
/// bytes on.
template <KForm F, int R>
[[gnu::always_inline]] inline void add_half(__m256 (&acc)[R], __m256i (&total)[R], const uint8_t* scales,
                                            const uint8_t* s, const float* d, size_t stride,
                                            const int16_t (&f)[R][16]) {
  __m256i sums[R];
  multiply_sums<F, R>(sums, scales, f);
  const __m256 dw = halves(s);
#pragma GCC unroll 16
  for (size_t r = 0; r < R; ++r) {
    if constexpr (KLayout<F>::kSix) total[r] = _mm256_sub_epi32(total[r], _mm256_slli_epi32(sums[r], 5));
    const __m256 factor = _mm256_mul_ps(dw, _mm256_set1_ps(d[r * stride]));
    acc[r] = _mm256_fmadd_ps(factor, _mm256_cvtepi32_ps(total[r]), acc[r]);
  }
  if constexpr (!KLayout<F>::kSix) {
    const __m256 mw = halves(s + 32);
#pragma GCC unroll 16
    for (size_t r = 0; r < R; ++r) {
      const __m256 factor = _mm256_mul_ps(mw, _mm256_set1_ps(d[r * stride]));
      acc[r] = _mm256_fnmadd_ps(factor, _mm256_cvtepi32_ps(sums[r]), acc[r]);
    }
  }
}

/// y[row0 .. row0 + R) of one group. `ahead` is where the next group starts, or NULL.
template <KForm F, int R>
void k_tile(float* y, size_t ldy, const uint8_t* group, const Activations& x, size_t row0, bool add,
            const uint8_t* ahead) {
  using L = KLayout<F>;
  const size_t nb = x.k / kBlockK;
  alignas(32) int16_t f[R][16];
  const int8_t* q[R];
  for (size_t r = 0; r < R; ++r) q[r] = x.kq + (row0 + r) * x.k;
  __m256 acc[2][R];
  for (int r = 0; r < R; ++r) acc[0][r] = acc[1][r] = _mm256_setzero_ps();
  for (size_t b = 0; b < nb; ++b) {
    const uint8_t* block = group + b * L::kBlockBytes;
    const uint8_t* s = L::kSix ? group + nb * L::kBlockBytes + b * 32 : block + L::kBlockBytes - 64;
    prepare<F, R>(f, x.ksum + (row0 * nb + b) * 16, nb * 16);
#pragma GCC unroll 1
    for (size_t h = 0; h < 2; ++h) {
      if (ahead != nullptr) fetch_ahead<L::kAllBytes / 2>(ahead + (2 * b + h) * (L::kAllBytes / 2));
      __m256i total[R];
      multiply_half<F, R>(total, block + h * 32, q, b * kBlockK);
      asm("" : "+m"(acc));  // the registers are for the integer sums
      add_half<F, R>(acc[h], total, block + L::kQuantBytes + h * 32, s + h * 16, x.kd + row0 * nb + b, nb, f);
    }
  }
  for (size_t r = 0; r < R; ++r) {
    store(y + r * ldy, acc[0][r], add);
    store(y + r * ldy + kHalf, acc[1][r], add);
  }
}

/// The whole range.
template <KForm F>
[[gnu::always_inline]] inline void k_matmul(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x,
                                            size_t g0, size_t g1, bool add) {
  static constexpr QuantTile* kTiles[] = {nullptr,      k_tile<F, 1>, k_tile<F, 2>,
                                          k_tile<F, 3>, k_tile<F, 4>, k_tile<F, 5>};
  static_assert(sizeof kTiles / sizeof kTiles[0] == kMaxRowsK + 1);
  run_tiles(kTiles, y, ldy, w, x, g0, g1, add);
}

}  // namespace
}  // namespace nxs::kernels::avx2
