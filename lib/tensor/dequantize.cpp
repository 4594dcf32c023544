// SPDX-License-Identifier: Apache-2.0 OR MIT
// Single rows as floats: from the packed layout (embedding lookups, which share the packed head) and from the file's
// own layout.
#include <cstring>
#include <type_traits>

#include "tensor/blocks.h"
#include "tensor/half.h"
#include "tensor/k_blocks.h"
#include "tensor/pack.h"

namespace nxs::tensor {
namespace {

// A block of 32 whose value i is d * (quant i - offset), plus m where the format has it. Bytes of `q` are quants
// (Q8_0), or pairs of nibbles, elements i and 16 + i; `bits` are the fifth bits of Q5.
struct Block32 {
  float d, m;
  uint8_t q[kBlock];
  uint32_t bits;
};

template <DType kType, int kOffset, bool kMinimum>
void expand(float* out, const Block32& block) {
  for (size_t i = 0; i < kBlock; ++i) {
    int quant = block.q[i];
    if constexpr (kType != DType::kQ8_0) {
      const int nibble = i < kBlock / 2 ? block.q[i] & 15 : block.q[i - kBlock / 2] >> 4;
      quant = nibble | static_cast<int>(block.bits >> i & 1u) << 4;
    }
    const float scaled = block.d * static_cast<float>(quant - kOffset);
    out[i] = kMinimum ? scaled + block.m : scaled;
  }
}

void expand(float* out, DType type, const Block32& block) {
  switch (type) {
    case DType::kQ8_0:
      return expand<DType::kQ8_0, 128, false>(out, block);
    case DType::kQ4_0:
      return expand<DType::kQ4_0, 8, false>(out, block);
    case DType::kQ4_1:
      return expand<DType::kQ4_1, 0, true>(out, block);
    case DType::kQ5_0:
      return expand<DType::kQ5_0, 16, false>(out, block);
    case DType::kQ5_1:
      return expand<DType::kQ5_1, 0, true>(out, block);
    default:
      return;
  }
}

// One block of file data.
template <typename Block>
Block32 block_of_file(const void* data, size_t i) {
  const auto file = load<Block>(data, i);
  Block32 block{half_to_float(file.d), 0.0f, {}, 0};
  if constexpr (requires { file.m; }) block.m = half_to_float(file.m);
  if constexpr (requires { file.qh; }) std::memcpy(&block.bits, file.qh, 4);
  for (size_t b = 0; b < sizeof file.q; ++b) {
    block.q[b] = static_cast<uint8_t>(std::is_same_v<Block, BlockQ8_0> ? file.q[b] + 128 : file.q[b]);
  }
  return block;
}

// Undoes the spreading of quads in pack.cpp for one row of one block.
void gather_quads(uint8_t* bytes, const uint8_t* block, size_t n_bytes, size_t row) {
  for (size_t i = 0; i < n_bytes; i += 4) std::memcpy(bytes + i, block + i * kGroupRows + row * 4, 4);
}

// The same for fifth bits.
uint32_t gather_bits(const uint8_t* spread, size_t row) {
  uint32_t bits = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    const size_t quad = i / 4;
    bits |= (spread[row * 4 + i % 4] >> ((quad + 4) % 8) & 1u) << i;
  }
  return bits;
}

// One lane of a group.
void unpack_quantized(float* out, const PackedView& matrix, const uint8_t* group, size_t lane) {
  const DType type = matrix.type;
  const size_t n_scales = type == DType::kQ4_1 || type == DType::kQ5_1 ? 2 : 1;
  const size_t quant_bytes = info(type).block_bytes - n_scales * sizeof(uint16_t);
  const size_t pair_bytes = type == DType::kQ8_0 ? kBlock : kBlock / 2;  // the rest are fifth bits
  const size_t blocks = matrix.cols / kBlock;
  const uint8_t* scales = group + blocks * kGroupRows * quant_bytes;
  for (size_t b = 0; b < blocks; ++b, out += kBlock) {
    const auto scale = [&](size_t row) { return half_to_float(load<uint16_t>(scales, row * kGroupRows + lane)); };
    const uint8_t* quants = group + b * kGroupRows * quant_bytes;
    Block32 block{scale(b * n_scales), scale(b * n_scales + n_scales - 1), {}, 0};
    gather_quads(block.q, quants, pair_bytes, lane);
    if (quant_bytes > pair_bytes) block.bits = gather_bits(quants + pair_bytes * kGroupRows, lane);
    expand(out, type, block);
  }
}

}  // namespace

void unpack_row(float* out, const PackedView& matrix, size_t row) {
  const uint8_t* group = matrix.group(row / kGroupRows);
  const size_t lane = row % kGroupRows;
  if (is_k(matrix.type)) return unpack_k(out, matrix.type, group, lane, matrix.cols / kBlockK);
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
      case DType::kQ8_0:
        expand(out, type, block_of_file<BlockQ8_0>(file_data, i));
        break;
      case DType::kQ4_0:
        expand(out, type, block_of_file<BlockQ4_0>(file_data, i));
        break;
      case DType::kQ4_1:
        expand(out, type, block_of_file<BlockQ4_1>(file_data, i));
        break;
      case DType::kQ5_0:
        expand(out, type, block_of_file<BlockQ5_0>(file_data, i));
        break;
      case DType::kQ5_1:
        expand(out, type, block_of_file<BlockQ5_1>(file_data, i));
        break;
      case DType::kQ4_K:
      case DType::kQ5_K:
      case DType::kQ6_K:
        dequantize_k(out, type, file_data, i);
        break;
    }
  }
}

}  // namespace nxs::tensor
