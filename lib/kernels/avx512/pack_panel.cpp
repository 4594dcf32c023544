// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <immintrin.h>

#include "kernels/avx512/functions.h"

namespace nxs::kernels::avx512 {
namespace {

/// 8 rows of 8 columns (row r in in[r]) become 8 columns of 8 rows.
[[gnu::always_inline]] inline void transpose8(__m256 (&out)[8], const __m256 (&in)[8]) {
  __m256 a[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = _mm256_unpacklo_ps(in[i], in[i + 1]);
    a[i + 1] = _mm256_unpackhi_ps(in[i], in[i + 1]);
  }
  __m256 b[8];
  for (int i = 0; i < 8; i += 4) {
    b[i] = _mm256_shuffle_ps(a[i], a[i + 2], 0x44);
    b[i + 1] = _mm256_shuffle_ps(a[i], a[i + 2], 0xee);
    b[i + 2] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0x44);
    b[i + 3] = _mm256_shuffle_ps(a[i + 1], a[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    out[i] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x20);
    out[i + 4] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x31);
  }
}

/// Whether any of n floats (a multiple of 16) is not finite.
[[gnu::always_inline]] inline bool any_bad(const float* x, size_t n) {
  const __m512i exponent = _mm512_set1_epi32(0x7f800000);
  uint32_t bad = 0;
  for (size_t i = 0; i < n; i += 16) {
    const __m512i v = _mm512_and_si512(_mm512_loadu_si512(x + i), exponent);
    bad |= _mm512_cmpeq_epi32_mask(v, exponent);
  }
  return bad != 0;
}

}  // namespace

uint32_t pack_panel(float* panel, const float* x, size_t ldx, size_t rows, size_t k) {
  uint32_t bad = 0;
  for (size_t r = 0; r < rows; ++r) bad |= static_cast<uint32_t>(any_bad(x + r * ldx, k)) << r;
  if (rows == 1) {
    __builtin_memcpy(panel, x, k * sizeof(float));
    return bad;
  }
  const __mmask8 lanes = static_cast<__mmask8>((1u << rows) - 1);
  for (size_t c = 0; c < k; c += 8) {
    __m256 in[8], out[8];
    for (size_t r = 0; r < 8; ++r) in[r] = r < rows ? _mm256_loadu_ps(x + r * ldx + c) : _mm256_setzero_ps();
    transpose8(out, in);
    // Columns are `rows` apart, so each store writes exactly its own lanes.
    for (size_t i = 0; i < 8; ++i) _mm256_mask_storeu_ps(panel + (c + i) * rows, lanes, out[i]);
  }
  return bad;
}

}  // namespace nxs::kernels::avx512
