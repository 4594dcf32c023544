// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <immintrin.h>

#include "kernels/avx2/functions.h"

namespace nxs::kernels::avx2 {
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

/// Whether any of n floats (a multiple of 8) is not finite.
[[gnu::always_inline]] inline bool any_bad(const float* x, size_t n) {
  const __m256i exponent = _mm256_set1_epi32(0x7f800000);
  __m256i bad = _mm256_setzero_si256();
  for (size_t i = 0; i < n; i += 8) {
    const __m256i v = _mm256_castps_si256(_mm256_loadu_ps(x + i));
    bad = _mm256_or_si256(bad, _mm256_cmpeq_epi32(_mm256_and_si256(v, exponent), exponent));
  }
  return _mm256_movemask_epi8(bad) != 0;
}

/// The same for fewer than 8 rows: each column is stored as 8 floats, of which the next columns overwrite the surplus;
/// the last columns, whose surplus would leave the panel, are copied one float at a time.
void store_columns(float* panel, const __m256 (&columns)[8], size_t rows, size_t floats_left) {
  for (size_t i = 0; i < 8; ++i, panel += rows, floats_left -= rows) {
    if (floats_left >= 8) {
      _mm256_storeu_ps(panel, columns[i]);
      continue;
    }
    alignas(32) float column[8];
    _mm256_store_ps(column, columns[i]);
    for (size_t r = 0; r < rows; ++r) panel[r] = column[r];
  }
}

}  // namespace

uint32_t pack_panel(float* panel, const float* x, size_t ldx, size_t rows, size_t k) {
  uint32_t bad = 0;
  for (size_t r = 0; r < rows; ++r) bad |= static_cast<uint32_t>(any_bad(x + r * ldx, k)) << r;
  if (rows == 1) {
    __builtin_memcpy(panel, x, k * sizeof(float));
    return bad;
  }
  for (size_t c = 0; c < k; c += 8) {
    __m256 in[8], out[8];
    for (size_t r = 0; r < 8; ++r) in[r] = r < rows ? _mm256_loadu_ps(x + r * ldx + c) : _mm256_setzero_ps();
    transpose8(out, in);
    store_columns(panel + c * rows, out, rows, (k - c) * rows);
  }
  return bad;
}

}  // namespace nxs::kernels::avx2
