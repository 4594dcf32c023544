// SPDX-License-Identifier: Apache-2.0 OR MIT
// store_kv for instruction sets with registers, written over a type `L`. Included by one store_kv.cpp per ISA folder,
// which gives L; everything here is in an unnamed namespace, so that no ISA's code can be linked in place of another's.
//
// L has, for n <= kMaxHeadDim floats: all_finite, and round_row (to F16 in an aligned array; false when one becomes
// infinite or is NaN).
#pragma once

#include "kernels/kernels.h"

namespace nxs::kernels {
namespace {

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

template <class L>
[[gnu::always_inline]] inline bool store_kv_rows(void* k_tile, size_t lane, size_t lanes, void* v_row, const float* k,
                                                 const float* v, size_t head_dim, bool f32, bool zero) {
  if (f32) {
    const bool good = zero || (L::all_finite(k, head_dim) && L::all_finite(v, head_dim));
    const bool keep = good && !zero;
    write(static_cast<float*>(k_tile), lane, lanes, static_cast<float*>(v_row), keep ? k : nullptr, v, head_dim);
    return good;
  }
  alignas(64) uint16_t k16[kMaxHeadDim];
  alignas(64) uint16_t v16[kMaxHeadDim];
  const bool good = zero || (L::round_row(k16, k, head_dim) && L::round_row(v16, v, head_dim));
  const bool keep = good && !zero;
  write(static_cast<uint16_t*>(k_tile), lane, lanes, static_cast<uint16_t*>(v_row), keep ? k16 : nullptr, v16,
        head_dim);
  return good;
}

}  // namespace
}  // namespace nxs::kernels
