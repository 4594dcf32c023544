// SPDX-License-Identifier: Apache-2.0 OR MIT
// Quantised blocks as a GGUF file stores them, one after another along a row. Scales are F16 bits; a file gives no
// alignment, so blocks are copied out before they are read.
#pragma once

#include <stdint.h>

#include "tensor/packed.h"

namespace nxs::tensor {

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

static_assert(sizeof(BlockQ8_0) == 34 && alignof(BlockQ8_0) == 2);
static_assert(sizeof(BlockQ4_0) == 18 && alignof(BlockQ4_0) == 2);
static_assert(sizeof(BlockQ4_1) == 20 && alignof(BlockQ4_1) == 2);
static_assert(sizeof(BlockQ5_0) == 22 && alignof(BlockQ5_0) == 2);
static_assert(sizeof(BlockQ5_1) == 24 && alignof(BlockQ5_1) == 2);

}  // namespace nxs::tensor
