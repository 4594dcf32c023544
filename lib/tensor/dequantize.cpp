// SPDX-License-Identifier: Apache-2.0 OR MIT
// Single rows as floats: from the packed layout (embedding lookups, which share the packed head) and from the file's
// own layout.
#include <cstring>

#include "tensor/blocks.h"
#include "tensor/half.h"
#include "tensor/pack.h"

namespace nxs::tensor {
namespace {

template <typename T>
T load(const void* data, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const uint8_t*>(data) + i * sizeof(T), sizeof(T));
  return value;
}

// The 32 values of one block; byte i of `q` is element i (one byte each) or elements i and 16 + i (nibbles).
void expand_q8_0(float* out, float d, const uint8_t* biased) {
  for (size_t i = 0; i < kBlock; ++i) out[i] = d * static_cast<float>(biased[i] - 128);
}

void expand_q4_0(float* out, float d, const uint8_t* q) {
  for (size_t i = 0; i < kBlock / 2; ++i) {
    out[i] = d * static_cast<float>((q[i] & 15) - 8);
    out[i + kBlock / 2] = d * static_cast<float>((q[i] >> 4) - 8);
  }
}

void expand_q4_1(float* out, float d, float m, const uint8_t* q) {
  for (size_t i = 0; i < kBlock / 2; ++i) {
    out[i] = d * static_cast<float>(q[i] & 15) + m;
    out[i + kBlock / 2] = d * static_cast<float>(q[i] >> 4) + m;
  }
}

// Undoes the spreading of quads in pack.cpp for one row of one block.
void gather_quads(uint8_t* bytes, const uint8_t* block, size_t n_bytes, size_t row) {
  for (size_t i = 0; i < n_bytes; i += 4) std::memcpy(bytes + i, block + i * kGroupRows + row * 4, 4);
}

// `scales` is the group's scale array, `per_block` of them a block and row.
void unpack_quantized(float* out, const PackedView& matrix, const uint8_t* group, size_t lane) {
  const size_t block_bytes = matrix.type == DType::kQ8_0 ? kBlock : kBlock / 2;
  const size_t blocks = matrix.cols / kBlock;
  const uint8_t* scales = group + blocks * kGroupRows * block_bytes;
  for (size_t b = 0; b < blocks; ++b, out += kBlock) {
    uint8_t q[kBlock];
    gather_quads(q, group + b * kGroupRows * block_bytes, block_bytes, lane);
    const auto scale = [&](size_t row) { return half_to_float(load<uint16_t>(scales, row * kGroupRows + lane)); };
    if (matrix.type == DType::kQ8_0) {
      expand_q8_0(out, scale(b), q);
    } else if (matrix.type == DType::kQ4_0) {
      expand_q4_0(out, scale(b), q);
    } else {
      expand_q4_1(out, scale(2 * b), scale(2 * b + 1), q);
    }
  }
}

}  // namespace

void unpack_row(float* out, const PackedView& matrix, size_t row) {
  const uint8_t* group = matrix.group(row / kGroupRows);
  const size_t lane = row % kGroupRows;
  for (size_t k = 0; k < matrix.cols; ++k) {
    const size_t at = k * kGroupRows + lane;
    if (matrix.type == DType::kF32) {
      out[k] = load<float>(group, at);
    } else if (matrix.type == DType::kF16) {
      out[k] = half_to_float(load<uint16_t>(group, at));
    } else if (matrix.type == DType::kBF16) {
      out[k] = bf16_to_float(load<uint16_t>(group, at));
    } else {
      return unpack_quantized(out, matrix, group, lane);
    }
  }
}

void dequantize(float* out, DType type, const void* file_data, size_t n) {
  const size_t step = info(type).block_elems;
  for (size_t i = 0; i < n / step; ++i, out += step) {
    switch (type) {
      case DType::kF32:
        *out = load<float>(file_data, i);
        break;
      case DType::kF16:
        *out = half_to_float(load<uint16_t>(file_data, i));
        break;
      case DType::kBF16:
        *out = bf16_to_float(load<uint16_t>(file_data, i));
        break;
      case DType::kQ8_0: {
        const auto block = load<BlockQ8_0>(file_data, i);
        for (size_t e = 0; e < kBlock; ++e) out[e] = half_to_float(block.d) * static_cast<float>(block.q[e]);
        break;
      }
      case DType::kQ4_0: {
        const auto block = load<BlockQ4_0>(file_data, i);
        expand_q4_0(out, half_to_float(block.d), block.q);
        break;
      }
      case DType::kQ4_1: {
        const auto block = load<BlockQ4_1>(file_data, i);
        expand_q4_1(out, half_to_float(block.d), half_to_float(block.m), block.q);
        break;
      }
    }
  }
}

}  // namespace nxs::tensor
