// SPDX-License-Identifier: Apache-2.0 OR MIT
// The layout in which weights stay in memory: 16 consecutive rows of a matrix side by side, so that a lane is an
// output. It depends on the format alone, never on the ISA. Plain types only: the kernels of every ISA include this.
//
// A group is 16 rows (rows past the end are zero). With K columns and nb = K / 32 blocks it holds, in this order:
//   F32, F16, BF16   [K][16] elements
//   Q8_0   quants [nb][8][16][4] bytes: byte b of quad v, row r is q[4v + b] + 128; then scales d [nb][16] F16
//   Q4_0   quants [nb][4][16][4] bytes: byte b of quad v, row r has element 4v + b in its low nibble and 16 + 4v + b in
//          its high one, both 0..15 as in the file (the value is nibble - 8); then d [nb][16] F16
//   Q4_1   quants as Q4_0 (the value is d * nibble + m); then per block d [16], m [16]: [nb][2][16] F16
//   Q5_0   quants [nb][5][16][4] bytes: per block the nibbles as Q4_0, then fifth bits: of byte b, row r, bit 4 + v
//          belongs to element 4v + b and bit v to element 16 + 4v + b; then scales as Q4_0 (the value is quant - 16)
//   Q5_1   quants as Q5_0, scales as Q4_1
// and is padded with zeros to a multiple of 64 bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tensor/dtype.h"

namespace nxs::tensor {

inline constexpr size_t kGroupRows = 16;  ///< rows side by side
inline constexpr size_t kBlock = 32;      ///< elements of a quantisation block

struct PackedView {
  const uint8_t* data;  ///< groups one after another, aligned to 64 bytes
  size_t rows, cols;
  size_t group_bytes;
  DType type;

  // Always inlined for the reason given in half.h.
  [[gnu::always_inline]] size_t groups() const { return (rows + kGroupRows - 1) / kGroupRows; }
  [[gnu::always_inline]] const uint8_t* group(size_t g) const { return data + g * group_bytes; }
};

}  // namespace nxs::tensor
