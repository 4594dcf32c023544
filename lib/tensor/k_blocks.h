// SPDX-License-Identifier: Apache-2.0 OR MIT
// The formats with blocks of 256 (Q4_K, Q5_K, Q6_K), from the file's layout to the packed one (packed.h) and to floats.
// pack.cpp and dequantize.cpp call these.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tensor/packed.h"

namespace nxs::tensor {

inline bool is_k(DType type) {
  return info(type).block_elems == kBlockK;
}

/// The rows of one group of `blocks` blocks each, n <= 16 of them.
void pack_k(uint8_t* group, DType type, const void* file_rows, size_t n, size_t blocks);
/// One lane of a group of `blocks` blocks as floats: value = (d * scale) * quant, minus dmin * minimum where the format
/// has one. All but the subtraction is exact.
void unpack_k(float* out, DType type, const uint8_t* group, size_t lane, size_t blocks);
/// Block `i` of file data as floats, the same values.
void dequantize_k(float* out, DType type, const void* file_data, size_t i);

}  // namespace nxs::tensor
