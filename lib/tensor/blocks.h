// SPDX-License-Identifier: Apache-2.0 OR MIT
// Quantised blocks as a GGUF file stores them, one after another along a row. Scales are F16 bits; a file gives no
// alignment, so blocks are copied out before they are read.
#pragma once

#include <stdint.h>

#include <cstring>

#include "tensor/packed.h"

namespace nxs::tensor {

/// A copy of block (or element) `i` of type T in data of any alignment.
template <typename T>
T load(const void* data, size_t i) {
  T block;
  std::memcpy(&block, static_cast<const uint8_t*>(data) + i * sizeof(T), sizeof(T));
  return block;
}

struct BlockQ8_0 {  // value i = d * q[i]
  uint16_t d;
  int8_t q[kBlock];
};

struct BlockQ4_0 {  // values i and 16 + i = d * (nibble - 8), nibbles low and high of q[i]
  uint16_t d;
  uint8_t q[kBlock / 2];
};

struct BlockQ4_1 {  // values i and 16 + i = d * nibble + m
  uint16_t d, m;
  uint8_t q[kBlock / 2];
};

struct BlockQ5_0 {  // as Q4_0 with a fifth bit: value i = d * (nibble + 16 * bit - 16), bit i of the 32 in qh
  uint16_t d;
  uint8_t qh[4];
  uint8_t q[kBlock / 2];
};

struct BlockQ5_1 {  // value i = d * (nibble + 16 * bit) + m
  uint16_t d, m;
  uint8_t qh[4];
  uint8_t q[kBlock / 2];
};

// Blocks of 256. Value i of sub-block s (of 32) = d * scale[s] * quant - dmin * minimum[s]; scales and minima are 6
// bits each (six_bits() in packed.h). Nibbles of elements 64j + i and 64j + 32 + i are low and high of q[32j + i].
struct BlockQ4_K {
  uint16_t d, dmin;
  uint8_t scales[12];
  uint8_t q[kBlockK / 2];
};

struct BlockQ5_K {  // the fifth bit of element 32s + i is bit s of qh[i]
  uint16_t d, dmin;
  uint8_t scales[12];
  uint8_t qh[kBlockK / 8];
  uint8_t q[kBlockK / 2];
};

// Value = d * scale * (quant - 32) with a scale for each 16 elements. Of each 128 elements, number 32s + i has its low
// bits in nibble s / 2 of ql[32 * (s % 2) + i] and its high ones in bits 2s of qh[i].
struct BlockQ6_K {
  uint8_t ql[kBlockK / 2];
  uint8_t qh[kBlockK / 4];
  int8_t scales[kBlockK / 16];
  uint16_t d;
};

static_assert(sizeof(BlockQ8_0) == 34 && alignof(BlockQ8_0) == 2);
static_assert(sizeof(BlockQ4_0) == 18 && alignof(BlockQ4_0) == 2);
static_assert(sizeof(BlockQ4_1) == 20 && alignof(BlockQ4_1) == 2);
static_assert(sizeof(BlockQ5_0) == 22 && alignof(BlockQ5_0) == 2);
static_assert(sizeof(BlockQ5_1) == 24 && alignof(BlockQ5_1) == 2);
static_assert(sizeof(BlockQ4_K) == 144 && alignof(BlockQ4_K) == 2);
static_assert(sizeof(BlockQ5_K) == 176 && alignof(BlockQ5_K) == 2);
static_assert(sizeof(BlockQ6_K) == 210 && alignof(BlockQ6_K) == 2);

}  // namespace nxs::tensor
