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
// and with K / 256 blocks of 256:
//   Q4_K   per block: quants of 8 sub-blocks of 32 as Q4_0; the 12 bytes of 6-bit scales and minima [3][16][4],
//          as in the file; d [16], dmin [16] F16
//   Q5_K   the same with quants as Q5_0
//   Q6_K   per block: quants of 4 times 64 elements; scales [4][16][4] int8; after all blocks d [nb][16] F16.
//          64 elements are two sets of 32 nibbles as Q4_0, then upper bits [4][16][4]: of byte b, row r of quad v,
//          bits 4, 6, 0 and 2 (and the next) belong to elements 4v + b, 16 + 4v + b, 32 + 4v + b and 48 + 4v + b
//          (the value is quant - 32)
// and is padded with zeros to a multiple of 64 bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tensor/dtype.h"

namespace nxs::tensor {

inline constexpr size_t kGroupRows = 16;                   ///< rows side by side
inline constexpr size_t kBlock = 32;                       ///< elements of a quantisation block
inline constexpr size_t kBlockK = 256;                     ///< the same of the K formats
inline constexpr size_t kQ6KBytes = 16 * (128 + 64 + 16);  ///< of a packed Q6_K block without d

struct SixBits {
  uint8_t scale, minimum;
};
/// Those of sub-block s = 0..7, from the 12 bytes of a Q4_K or Q5_K block: sub-blocks 0 to 3 have them in the low 6
/// bits of bytes s and 4 + s; of the others the low 4 bits are in byte 4 + s, the rest above those of sub-block s - 4.
[[gnu::always_inline]] inline SixBits six_bits(const uint8_t* bytes, size_t s) {
  if (s < 4) return {static_cast<uint8_t>(bytes[s] & 63), static_cast<uint8_t>(bytes[s + 4] & 63)};
  const int scale = (bytes[s + 4] & 15) | bytes[s - 4] >> 6 << 4;
  const int minimum = bytes[s + 4] >> 4 | bytes[s] >> 6 << 4;
  return {static_cast<uint8_t>(scale), static_cast<uint8_t>(minimum)};
}

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
