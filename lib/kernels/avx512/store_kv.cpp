// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kernels/avx512/functions.h"
#include "kernels/avx512/lanes.h"

namespace nxs::kernels::avx512 {
namespace {

constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

/// Rounds n <= kMaxHeadDim floats to F16. False when one of them becomes infinite or is NaN.
[[gnu::always_inline]] inline bool round_row(uint16_t* out, const float* x, size_t n) {
  const __m256i exponent = _mm256_set1_epi16(0x7c00);
  __mmask16 bad = 0;
  for (size_t i = 0; i < n; i += 16) {
    const __mmask16 lanes = n - i < 16 ? first_lanes(n - i) : static_cast<__mmask16>(0xffff);
    const __m256i h = _mm512_cvtps_ph(_mm512_maskz_loadu_ps(lanes, x + i), kNearest);
    const __mmask16 special = _mm256_cmpeq_epi16_mask(_mm256_and_si256(h, exponent), exponent);
    bad = static_cast<__mmask16>(bad | special);
    _mm256_store_si256(reinterpret_cast<__m256i*>(out + i), h);
  }
  return bad == 0;
}

[[gnu::always_inline]] inline bool all_finite(const float* x, size_t n) {
  const __m512i exponent = _mm512_set1_epi32(0x7f800000);
  uint32_t bad = 0;
  for (size_t i = 0; i < n; i += 16) {
    const __mmask16 lanes = n - i < 16 ? first_lanes(n - i) : static_cast<__mmask16>(0xffff);
    const __m512i v = _mm512_and_si512(_mm512_castps_si512(_mm512_maskz_loadu_ps(lanes, x + i)), exponent);
    bad |= _mm512_cmpeq_epi32_mask(v, exponent);
  }
  return bad == 0;
}

/// The key goes down a column of its tile, the value along a row. k NULL: zeros in both.
template <typename T>
inline void write(T* k_tile, size_t lane, size_t lanes, T* v_row, const T* k, const T* v, size_t head_dim) {
  if (k == nullptr) {
    for (size_t d = 0; d < head_dim; ++d) k_tile[d * lanes + lane] = 0;
    __builtin_memset(v_row, 0, head_dim * sizeof(T));
    return;
  }
  for (size_t d = 0; d < head_dim; ++d) k_tile[d * lanes + lane] = k[d];
  __builtin_memcpy(v_row, v, head_dim * sizeof(T));
}

}  // namespace

bool store_kv(void* k_tile, size_t lane, size_t lanes, void* v_row, const float* k, const float* v, size_t head_dim,
              bool f32, bool zero) {
  if (f32) {
    const bool good = zero || (all_finite(k, head_dim) && all_finite(v, head_dim));
    const bool keep = good && !zero;
    write(static_cast<float*>(k_tile), lane, lanes, static_cast<float*>(v_row), keep ? k : nullptr, v, head_dim);
    return good;
  }
  alignas(64) uint16_t k16[kMaxHeadDim];
  alignas(64) uint16_t v16[kMaxHeadDim];
  const bool good = zero || (round_row(k16, k, head_dim) && round_row(v16, v, head_dim));
  const bool keep = good && !zero;
  write(static_cast<uint16_t*>(k_tile), lane, lanes, static_cast<uint16_t*>(v_row), keep ? k16 : nullptr, v16,
        head_dim);
  return good;
}

}  // namespace nxs::kernels::avx512
