// SPDX-License-Identifier: Apache-2.0 OR MIT
// The float matmul of AVX2, shared by matmul_f32.cpp, matmul_f16.cpp and matmul_bf16.cpp. A lane is an output.
// A tile is one group, as two halves of 8 outputs, by R rows of a panel over one chunk of 256 k: chains of fma in
// registers, which are then added to sums on the stack. Chunks go outside and panels inside, so that a chunk of weights
// is widened once for all rows and stays in L1. Everything is in an anonymous namespace: an inline function of external
// linkage would be compiled with these flags for everyone.
#pragma once

#include <immintrin.h>

#include "kernels/kernels.h"

namespace nxs::kernels::avx2 {
namespace {

using tensor::kGroupRows;

enum class FloatForm { kF32, kF16, kBF16 };

inline constexpr size_t kHalf = 8;
inline constexpr size_t kBand = 48;  ///< rows whose sums lie on the stack at a time

template <FloatForm F>
inline constexpr size_t kStep = kGroupRows*(F == FloatForm::kF32 ? 4 : 2);  ///< bytes of one k of a group

/// The 8 weights at p, widened exactly.
template <FloatForm F>
[[gnu::always_inline]] inline __m256 load_weights(const uint8_t* p) {
  if constexpr (F == FloatForm::kF32) {
    return _mm256_load_ps(reinterpret_cast<const float*>(p));
  } else {
    const __m128i half = _mm_load_si128(reinterpret_cast<const __m128i*>(p));
    if constexpr (F == FloatForm::kF16) return _mm256_cvtph_ps(half);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
  }
}

/// sum[r][0..16) += the chunk's products: n k of weights at w and of activations at x[k * ldx + r], those of the rows
/// from A on at x2[k * ldx + r - A].
template <FloatForm F, int R, int A = R>
void float_tile(float (*sum)[kGroupRows], const uint8_t* w, const float* x, size_t ldx, size_t n, const uint8_t* ahead,
                const float* x2 = nullptr) {
  __m256 left[R];
  __m256 right[R];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) left[r] = right[r] = _mm256_setzero_ps();
  for (size_t i = 0; i < n; ++i) {
    if (ahead != nullptr) _mm_prefetch(reinterpret_cast<const char*>(ahead + i * kStep<F>), _MM_HINT_T0);
    const __m256 w0 = load_weights<F>(w + i * kStep<F>);
    const __m256 w1 = load_weights<F>(w + i * kStep<F> + kStep<F> / 2);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const float* row = r < A ? x + r : x2 + (r - A);
      const __m256 xk = _mm256_set1_ps(row[i * ldx]);
      left[r] = _mm256_fmadd_ps(w0, xk, left[r]);
      right[r] = _mm256_fmadd_ps(w1, xk, right[r]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    _mm256_store_ps(sum[r], _mm256_add_ps(_mm256_load_ps(sum[r]), left[r]));
    _mm256_store_ps(sum[r] + kHalf, _mm256_add_ps(_mm256_load_ps(sum[r] + kHalf), right[r]));
  }
}

/// One panel of `rows` rows over one chunk. Six rows fill the registers; seven and eight go as two tiles.
template <FloatForm F>
[[gnu::always_inline]] inline void panel_chunk(float (*sum)[kGroupRows], const uint8_t* w, const float* x, size_t rows,
                                               size_t n, const uint8_t* ahead) {
  switch (rows) {
    case 1:
      return float_tile<F, 1>(sum, w, x, 1, n, ahead);
    case 2:
      return float_tile<F, 2>(sum, w, x, 2, n, ahead);
    case 3:
      return float_tile<F, 3>(sum, w, x, 3, n, ahead);
    case 4:
      return float_tile<F, 4>(sum, w, x, 4, n, ahead);
    case 5:
      return float_tile<F, 5>(sum, w, x, 5, n, ahead);
    case 6:
      return float_tile<F, 6>(sum, w, x, 6, n, ahead);
    default:
      break;
  }
  float_tile<F, 4>(sum, w, x, rows, n, ahead);
  if (rows == 7) return float_tile<F, 3>(sum + 4, w, x + 4, rows, n, nullptr);
  float_tile<F, 4>(sum + 4, w, x + 4, rows, n, nullptr);
}

/// Three whole panels, `next_panel` floats apart, as four tiles of six rows: their twelve chains hide the latency of
/// fma, which eight just do not.
template <FloatForm F>
[[gnu::always_inline]] inline void three_panels_chunk(float (*sum)[kGroupRows], const uint8_t* w, const float* x,
                                                      size_t next_panel, size_t n, const uint8_t* ahead) {
  const float* x1 = x + next_panel;
  const float* x2 = x1 + next_panel;
  float_tile<F, 6>(sum, w, x, kPanel, n, ahead);
  float_tile<F, 6, 2>(sum + 6, w, x + 6, kPanel, n, nullptr, x1);
  float_tile<F, 6, 4>(sum + 12, w, x1 + 4, kPanel, n, nullptr, x2);
  float_tile<F, 6>(sum + 18, w, x2 + 2, kPanel, n, nullptr);
}

/// k0 .. k0 + n of `rows` rows, whose panels start at x, `next_panel` floats apart.
template <FloatForm F>
[[gnu::always_inline]] inline void band_chunk(float (*sum)[kGroupRows], const uint8_t* w, const float* x, size_t rows,
                                              size_t next_panel, size_t k0, size_t n, const uint8_t* ahead) {
  size_t row = 0;
  for (; rows - row >= 3 * kPanel; row += 3 * kPanel) {
    const float* panel = x + row / kPanel * next_panel + k0 * kPanel;
    three_panels_chunk<F>(sum + row, w, panel, next_panel, n, row == 0 ? ahead : nullptr);
  }
  for (; row < rows; row += kPanel) {
    const size_t in_panel = rows - row < kPanel ? rows - row : kPanel;
    const float* panel = x + row / kPanel * next_panel + k0 * in_panel;
    panel_chunk<F>(sum + row, w, panel, in_panel, n, row == 0 ? ahead : nullptr);
  }
}

template <FloatForm F>
void widen(float (*out)[kGroupRows], const uint8_t* w, size_t n, const uint8_t* ahead) {
  for (size_t i = 0; i < n; ++i) {
    if (ahead != nullptr) _mm_prefetch(reinterpret_cast<const char*>(ahead + i * kStep<F>), _MM_HINT_T0);
    _mm256_store_ps(out[i], load_weights<F>(w + i * kStep<F>));
    _mm256_store_ps(out[i] + kHalf, load_weights<F>(w + i * kStep<F> + kStep<F> / 2));
  }
}

/// y[row0 .. row0 + rows) of one group, rows <= kBand. `ahead` is where the next group starts, or NULL.
template <FloatForm F, bool kWiden>
void float_band(float* y, size_t ldy, const uint8_t* group, const float* x, size_t k, size_t rows, bool add,
                const uint8_t* ahead) {
  alignas(32) float sum[kBand][kGroupRows];
  alignas(32) float wide[kWiden ? kChunk : 1][kGroupRows];
  for (size_t r = 0; r < rows; ++r) {
    _mm256_store_ps(sum[r], _mm256_setzero_ps());
    _mm256_store_ps(sum[r] + kHalf, _mm256_setzero_ps());
  }
  for (size_t k0 = 0; k0 < k; k0 += kChunk) {
    const size_t n = k - k0 < kChunk ? k - k0 : kChunk;
    const uint8_t* w = group + k0 * kStep<F>;
    const uint8_t* next = ahead != nullptr ? ahead + k0 * kStep<F> : nullptr;
    if constexpr (kWiden) {
      widen<F>(wide, w, n, next);
      band_chunk<FloatForm::kF32>(sum, reinterpret_cast<const uint8_t*>(wide), x, rows, kPanel * k, k0, n, nullptr);
    } else {
      band_chunk<F>(sum, w, x, rows, kPanel * k, k0, n, next);
    }
  }
  for (size_t r = 0; r < rows; ++r) {
    for (size_t h = 0; h < kGroupRows; h += kHalf) {
      const __m256 dot = _mm256_load_ps(sum[r] + h);
      float* out = y + r * ldy + h;
      _mm256_store_ps(out, add ? _mm256_add_ps(_mm256_load_ps(out), dot) : dot);
    }
  }
}

/// The whole range, group by group, in bands of rows.
template <FloatForm F>
[[gnu::always_inline]] inline void float_matmul(float* y, size_t ldy, const tensor::PackedView& w, const Activations& x,
                                                size_t g0, size_t g1, bool add) {
  const bool wide = F != FloatForm::kF32 && x.m > kPanel;
  for (size_t g = g0; g < g1; ++g) {
    const uint8_t* ahead = g + 1 < w.groups() ? w.group(g + 1) : nullptr;
    for (size_t row = 0; row < x.m; row += kBand) {
      const size_t rows = x.m - row < kBand ? x.m - row : kBand;
      float* out = y + row * ldy + g * kGroupRows;
      (wide ? float_band<F, true> : float_band<F, false>)(out, ldy, w.group(g), x.x + row * x.k, x.k, rows, add,
                                                          row == 0 ? ahead : nullptr);
    }
  }
}

}  // namespace
}  // namespace nxs::kernels::avx2
