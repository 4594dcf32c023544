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

static_assert(sizeof(BlockQ8_0) == 34 && alignof(BlockQ8_0) == 2);
static_assert(sizeof(BlockQ4_0) == 18 && alignof(BlockQ4_0) == 2);
static_assert(sizeof(BlockQ4_1) == 20 && alignof(BlockQ4_1) == 2);

}  // namespace nxs::tensor
