// SPDX-License-Identifier: Apache-2.0 OR MIT
// What the quantised matmuls of AVX-512 share (quant_tile.h, k_tile.h): products of quads, and the walk over tiles of G
// groups by R rows of activations. In an anonymous namespace: an inline function of external linkage would be compiled
// with these flags for everyone.
#pragma once

#include <immintrin.h>

#include "kernels/kernels.h"

namespace nxs::kernels::avx512 {
namespace {

using tensor::kBlock;
using tensor::kGroupRows;

inline constexpr size_t kMaxRows = 8;   ///< of a tile of one group
inline constexpr size_t kPairRows = 6;  ///< of a tile of two groups: 24 sums and 4 weights fill the registers

[[gnu::always_inline]] inline __m512i quad(const int8_t* q) {
  int32_t v;
  __builtin_memcpy(&v, q, sizeof v);
  return _mm512_set1_epi32(v);
}

/// isum += 4 elements of each of the G groups times those of each row; `at` is the byte of the row where they start.
template <int G, int R>
[[gnu::always_inline]] inline void multiply_quad(__m512i (&isum)[G][R], const __m512i (&w)[G],
                                                 const int8_t* const (&q)[R], size_t at) {
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    const __m512i xq = quad(q[r] + at);
#pragma GCC unroll 16
    for (int g = 0; g < G; ++g) isum[g][r] = _mm512_dpbusd_epi32(isum[g][r], w[g], xq);
  }
}

/// quants | (bits & mask), in each byte.
[[gnu::always_inline]] inline __m512i or_bits(__m512i quants, __m512i bits, int8_t mask) {
  return _mm512_ternarylogic_epi32(quants, bits, _mm512_set1_epi8(mask), 0xf8);
}

[[gnu::always_inline]] inline __m512 halves(const uint8_t* p) {
  return _mm512_cvtph_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(p)));
}

/// Fetches the next `bytes` of the groups to come while this one is multiplied: they are a memory latency ahead, and
/// the hardware alone reaches half of the bandwidth (it starts anew at each group's two streams, quants and scales).
template <size_t kBytes>
[[gnu::always_inline]] inline void fetch_ahead(const uint8_t* p) {
#pragma GCC unroll 16
  for (size_t i = 0; i < kBytes; i += 64) _mm_prefetch(reinterpret_cast<const char*>(p + i), _MM_HINT_T0);
}

[[gnu::always_inline]] inline void store(float* y, __m512 dot, bool add) {
  _mm512_store_ps(y, add ? _mm512_add_ps(_mm512_load_ps(y), dot) : dot);
}

/// y[row0 .. row0 + R) of groups g0 .. g0 + G. `ahead` is where the groups to come start, or NULL.
using QuantTile = void(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x, size_t g0, size_t row0,
                       bool add, const uint8_t* ahead);

/// The whole range, tile by tile. Rows are shared out evenly, so that no tile is left with one row. one[R] and two[R]
/// are the tiles of one and of two groups.
/// The group after the range is fetched too: as a rule the same thread goes on there.
[[gnu::always_inline]] inline void run_tiles(QuantTile* const (&one)[kMaxRows + 1],
                                             QuantTile* const (&two)[kPairRows + 1], float* y, size_t ldy,
                                             const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                                             bool add) {
  // A pair halves the loads of activations, which many rows are bound by. Few rows wait for memory and prefer one
  // stream.
  const bool pairs = x.m > kMaxRows;
  size_t g = g0;
  while (g < g1) {
    const bool pair = pairs && g1 - g >= 2;
    const size_t most = pair ? kPairRows : kMaxRows;
    const size_t tiles = (x.m + most - 1) / most;
    const size_t next = g + (pair ? 2 : 1);
    const uint8_t* ahead = next < w.groups() ? w.group(next) : nullptr;
    size_t row = 0;
    for (size_t t = 0; t < tiles; ++t) {
      const size_t rows = (x.m - row + tiles - t - 1) / (tiles - t);
      (pair ? two : one)[rows](y, ldy, w, x, g, row, add, t == 0 ? ahead : nullptr);
      row += rows;
    }
    g = next;
  }
}

}  // namespace
}  // namespace nxs::kernels::avx512
