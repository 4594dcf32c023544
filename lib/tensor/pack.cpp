// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "tensor/pack.h"

#include <cstring>

#include "base/checked.h"
#include "tensor/blocks.h"
#include "tensor/k_blocks.h"

namespace nxs::tensor {
namespace {

// Elements [n][cols] to [cols][16], as integers of the element's size.
template <typename T>
void pack_elements(uint8_t* group, const void* file_rows, size_t n, size_t cols) {
  T* out = reinterpret_cast<T*>(group);
  for (size_t r = 0; r < n; ++r) {
    for (size_t k = 0; k < cols; ++k) out[k * kGroupRows + r] = load<T>(file_rows, r * cols + k);
  }
}

// Bytes of one block of one row, spread so that four of them stay together: out[v][row][4].
void spread_quads(uint8_t* out, const void* bytes, size_t n_bytes, size_t row) {
  for (size_t i = 0; i < n_bytes; i += 4)
    std::memcpy(out + i * kGroupRows + row * 4, static_cast<const uint8_t*>(bytes) + i, 4);
}

// The fifth bits of a block's 32 elements: element 4v + b goes to bit 4 + v of byte b, element 16 + 4v + b to bit v.
void spread_bits(uint8_t* out, const uint8_t* bits, size_t row) {
  uint32_t all = 0;
  std::memcpy(&all, bits, 4);
  for (size_t b = 0; b < 4; ++b) {
    uint32_t x = all >> b & 0x11111111u;  // every fourth bit, gathered into a byte
    x = (x | x >> 3) & 0x03030303u;
    x = (x | x >> 6) & 0x000f000fu;
    x = (x | x >> 12) & 0xffu;
    out[row * 4 + b] = static_cast<uint8_t>(x << 4 | x >> 4);
  }
}

// The quants of one block of one row.
void put_quants(uint8_t* out, const BlockQ8_0& block, size_t row) {
  uint8_t biased[kBlock];
  for (size_t i = 0; i < kBlock; ++i) biased[i] = static_cast<uint8_t>(block.q[i] + 128);
  spread_quads(out, biased, kBlock, row);
}

template <typename Block>
void put_quants(uint8_t* out, const Block& block, size_t row) {
  spread_quads(out, block.q, sizeof block.q, row);
  if constexpr (requires { block.qh; }) spread_bits(out + sizeof block.q * kGroupRows, block.qh, row);
}

template <typename Block>
void pack_blocks(uint8_t* group, const void* file_rows, size_t n, size_t blocks) {
  constexpr bool kMinimum = requires(Block block) {
    block.m;
  };
  constexpr size_t kScales = kMinimum ? 2 : 1;
  constexpr size_t kQuantBytes = (sizeof(Block) - kScales * sizeof(uint16_t)) * kGroupRows;
  uint16_t* scales = reinterpret_cast<uint16_t*>(group + blocks * kQuantBytes);
  for (size_t r = 0; r < n; ++r) {
    for (size_t b = 0; b < blocks; ++b) {
      const auto block = load<Block>(file_rows, r * blocks + b);
      put_quants(group + b * kQuantBytes, block, r);
      scales[b * kScales * kGroupRows + r] = block.d;
      if constexpr (kMinimum) scales[(b * kScales + 1) * kGroupRows + r] = block.m;
    }
  }
}

}  // namespace

size_t group_bytes(DType type, size_t cols) {
  const DTypeInfo& format = info(type);
  const size_t row = checked_mul(cols / format.block_elems, format.block_bytes, "a row of a matrix");
  return round_up(checked_mul(row, kGroupRows, "16 rows of a matrix"), 64);
}

PackedMatrix::PackedMatrix(DType type, size_t rows, size_t cols, const char* what) {
  view_ = {nullptr, rows, cols, tensor::group_bytes(type, cols), type};
  data_ = Buffer<uint8_t>(checked_mul(view_.groups(), view_.group_bytes, what), what);
  view_.data = data_.data();
}

PackedView PackedMatrix::view() const {
  return view_;
}

void PackedMatrix::pack_group(size_t g, const void* file_rows, size_t n) {
  uint8_t* group = data_.data() + g * view_.group_bytes;
  const size_t blocks = view_.cols / info(view_.type).block_elems;
  switch (view_.type) {
    case DType::kF32:
      return pack_elements<uint32_t>(group, file_rows, n, blocks);
    case DType::kF16:
    case DType::kBF16:
      return pack_elements<uint16_t>(group, file_rows, n, blocks);
    case DType::kQ8_0:
      return pack_blocks<BlockQ8_0>(group, file_rows, n, blocks);
    case DType::kQ4_0:
      return pack_blocks<BlockQ4_0>(group, file_rows, n, blocks);
    case DType::kQ4_1:
      return pack_blocks<BlockQ4_1>(group, file_rows, n, blocks);
    case DType::kQ5_0:
      return pack_blocks<BlockQ5_0>(group, file_rows, n, blocks);
    case DType::kQ5_1:
      return pack_blocks<BlockQ5_1>(group, file_rows, n, blocks);
    case DType::kQ4_K:
    case DType::kQ5_K:
    case DType::kQ6_K:
      return pack_k(group, view_.type, file_rows, n, blocks);
  }
}

}  // namespace nxs::tensor
