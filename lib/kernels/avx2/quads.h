// SPDX-License-Identifier: Apache-2.0 OR MIT
// What the quantised matmuls of AVX2 share (quant_tile.h, k_tile.h): loads, and the walk over tiles of one group by R
// rows of activations. In an anonymous namespace: an inline function of external linkage would be compiled with these
// flags for everyone.
#pragma once

#include <immintrin.h>

#include "kernels/kernels.h"

namespace nxs::kernels::avx2 {
namespace {

using tensor::kBlock;
using tensor::kGroupRows;

inline constexpr size_t kHalf = 8;  ///< outputs in a register

[[gnu::always_inline]] inline __m256i quad(const int8_t* q) {
  int32_t v;
  __builtin_memcpy(&v, q, sizeof v);
  return _mm256_set1_epi32(v);
}

[[gnu::always_inline]] inline __m256i load(const uint8_t* p) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
}

/// Keeps the compiler from turning a chain of integer additions into a tree, which needs more registers than there are.
[[gnu::always_inline]] inline void keep_chain(__m256i& s) {
  asm("" : "+x"(s));
}

[[gnu::always_inline]] inline __m256 halves(const uint8_t* p) {
  return _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(p)));
}

[[gnu::always_inline]] inline void store(float* y, __m256 dot, bool add) {
  _mm256_store_ps(y, add ? _mm256_add_ps(_mm256_load_ps(y), dot) : dot);
}

/// Fetches the next group while this one is multiplied: a group has two streams (quants and scales), and the hardware
/// starts both anew at each group.
template <size_t kBytes>
[[gnu::always_inline]] inline void fetch_ahead(const uint8_t* p) {
#pragma GCC unroll 16
  for (size_t i = 0; i < kBytes; i += 64) _mm_prefetch(reinterpret_cast<const char*>(p + i), _MM_HINT_T0);
}

/// y[row0 .. row0 + R) of one group. `ahead` is where the next group starts, or NULL.
using QuantTile = void(float* y, size_t ldy, const uint8_t* group, const Activations& x, size_t row0, bool add,
                       const uint8_t* ahead);

/// The whole range, group by group. Rows are shared out evenly, so that no tile is left with one row; tile[R] takes R.
template <size_t kTiles>
[[gnu::always_inline]] inline void run_tiles(QuantTile* const (&tile)[kTiles], float* y, size_t ldy,
                                             const tensor::PackedView& w, const Activations& x, size_t g0, size_t g1,
                                             bool add) {
  const size_t tiles = (x.m + (kTiles - 1) - 1) / (kTiles - 1);
  for (size_t g = g0; g < g1; ++g) {
    const uint8_t* ahead = g + 1 < w.groups() ? w.group(g + 1) : nullptr;
    size_t row = 0;
    for (size_t t = 0; t < tiles; ++t) {
      const size_t rows = (x.m - row + tiles - t - 1) / (tiles - t);
      tile[rows](y + row * ldy + g * kGroupRows, ldy, w.group(g), x, row, add, t == 0 ? ahead : nullptr);
      row += rows;
    }
  }
}

}  // namespace
}  // namespace nxs::kernels::avx2
