// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "tensor/k_blocks.h"

#include <cstring>

#include "tensor/blocks.h"
#include "tensor/half.h"

namespace nxs::tensor {
namespace {

constexpr size_t kHalfBlock = kBlock / 2;
constexpr size_t kQuad = 4 * kGroupRows;  // bytes of a quad of 16 rows

// One row's block, however it is stored: quants as unsigned bytes, scales as the file has them.
struct KBlock {
  uint16_t d, dmin;
  uint8_t scales[16];  // Q4_K, Q5_K: the 12 bytes of 6-bit scales and minima; Q6_K: 16 int8
  uint8_t quants[kBlockK];
};

// Nibbles of 64 elements lie in 32 bytes, the first 32 elements low.
template <typename Block>
KBlock of_4_bits(const Block& file) {
  KBlock block{file.d, file.dmin, {}, {}};
  std::memcpy(block.scales, file.scales, sizeof file.scales);
  for (size_t i = 0; i < kBlockK; ++i) {
    const uint8_t pair = file.q[i / 64 * 32 + i % 32];
    block.quants[i] = static_cast<uint8_t>(i % 64 < 32 ? pair & 15 : pair >> 4);
  }
  return block;
}

KBlock of_file(const BlockQ4_K& file) {
  return of_4_bits(file);
}

// Element 32s + i has its fifth bit in bit s of byte i.
KBlock of_file(const BlockQ5_K& file) {
  KBlock block = of_4_bits(file);
  for (size_t i = 0; i < kBlockK; ++i) {
    block.quants[i] = static_cast<uint8_t>(block.quants[i] | (file.qh[i % 32] >> (i / 32) & 1) << 4);
  }
  return block;
}

// Each half of 128 elements: element 32s + i has its low bits in nibble s / 2 of byte i + 32 * (s % 2), its high ones
// in bits 2s of byte i.
KBlock of_file(const BlockQ6_K& file) {
  KBlock block{file.d, 0, {}, {}};
  std::memcpy(block.scales, file.scales, sizeof file.scales);
  for (size_t e = 0; e < kBlockK; ++e) {
    const size_t half = e / 128, s = e % 128 / 32, i = e % 32;
    const int low = file.ql[half * 64 + s % 2 * 32 + i] >> (s / 2 * 4) & 15;
    const int high = file.qh[half * 32 + i] >> (2 * s) & 3;
    block.quants[e] = static_cast<uint8_t>(low | high << 4);
  }
  return block;
}

KBlock of_file(DType type, const void* data, size_t i) {
  if (type == DType::kQ4_K) return of_file(load<BlockQ4_K>(data, i));
  if (type == DType::kQ5_K) return of_file(load<BlockQ5_K>(data, i));
  return of_file(load<BlockQ6_K>(data, i));
}

// Where the parts of block b lie in a group of `blocks`.
template <typename Byte>
struct Parts {
  Byte* quants;
  Byte* scales;
  Byte* d;     // [16] F16
  Byte* dmin;  // the same
};

template <typename Byte>
Parts<Byte> parts_of(Byte* group, DType type, size_t b, size_t blocks) {
  if (type == DType::kQ6_K) {
    Byte* const block = group + b * kQ6KBytes;
    return {block, block + kQ6KBytes - 4 * kQuad, group + blocks * kQ6KBytes + b * 32, nullptr};
  }
  const size_t bytes = info(type).block_bytes * kGroupRows;
  Byte* const end = group + (b + 1) * bytes;
  return {group + b * bytes, end - 64 - 3 * kQuad, end - 64, end - 32};
}

// How quants lie in a packed block: groups of kElems elements, their nibbles by 32, then kHigh quads of high bits.
template <DType kType>
struct Layout {
  static constexpr size_t kElems = kType == DType::kQ6_K ? 64 : 32;
  static constexpr size_t kHigh = kType == DType::kQ6_K ? 4 : kType == DType::kQ5_K ? 1 : 0;
  static constexpr size_t kNibbleBytes = kElems / kBlock * 4 * kQuad;
  static constexpr size_t kBytes = kNibbleBytes + kHigh * kQuad;
  static constexpr int kMask = kType == DType::kQ6_K ? 3 : 1;
  // Element i has its high bits in this byte of a lane's 4 * kHigh, from this bit on.
  static constexpr size_t byte_of(size_t i) { return i / 4 % kHigh * 4 + i % 4; }
  static constexpr size_t bit_of(size_t i) { return kType == DType::kQ6_K ? (i / 16 + 2) % 4 * 2 : (i / 4 + 4) % 8; }
};

template <DType kType>
void put_quants(uint8_t* out, const uint8_t* quants, size_t lane) {
  using L = Layout<kType>;
  for (size_t g = 0; g < kBlockK / L::kElems; ++g, quants += L::kElems, out += L::kBytes) {
    uint8_t bytes[(L::kNibbleBytes + L::kHigh * kQuad) / kGroupRows] = {};
    for (size_t i = 0; i < L::kElems / 2; ++i) {
      const size_t low = i / kHalfBlock * kBlock + i % kHalfBlock;
      bytes[i] = static_cast<uint8_t>((quants[low] & 15) | (quants[low + kHalfBlock] & 15) << 4);
    }
    if constexpr (L::kHigh != 0) {
      uint8_t* const high = bytes + L::kNibbleBytes / kGroupRows;
      for (size_t i = 0; i < L::kElems; ++i) {
        high[L::byte_of(i)] = static_cast<uint8_t>(high[L::byte_of(i)] | (quants[i] >> 4) << L::bit_of(i));
      }
    }
    for (size_t i = 0; i < sizeof bytes; i += 4) std::memcpy(out + i * kGroupRows + lane * 4, bytes + i, 4);
  }
}

template <DType kType>
void take_quants(uint8_t* quants, const uint8_t* in, size_t lane) {
  using L = Layout<kType>;
  for (size_t g = 0; g < kBlockK / L::kElems; ++g, quants += L::kElems, in += L::kBytes) {
    uint8_t bytes[L::kBytes / kGroupRows];
    for (size_t i = 0; i < sizeof bytes; i += 4) std::memcpy(bytes + i, in + i * kGroupRows + lane * 4, 4);
    for (size_t i = 0; i < L::kElems; ++i) {
      const uint8_t pair = bytes[i / kBlock * kHalfBlock + i % kHalfBlock];
      int quant = i % kBlock < kHalfBlock ? pair & 15 : pair >> 4;
      if constexpr (L::kHigh != 0) {
        const uint8_t high = bytes[L::kNibbleBytes / kGroupRows + L::byte_of(i)];
        quant |= (high >> L::bit_of(i) & L::kMask) << 4;
      }
      quants[i] = static_cast<uint8_t>(quant);
    }
  }
}

// 4-byte pieces of a lane's scales: three for Q4_K and Q5_K, four for Q6_K.
size_t scale_bytes(DType type) {
  return type == DType::kQ6_K ? 16 : 12;
}

void expand(float* out, DType type, const KBlock& block) {
  const float d = half_to_float(block.d), dmin = half_to_float(block.dmin);
  for (size_t i = 0; i < kBlockK; ++i) {
    if (type == DType::kQ6_K) {
      const auto scale = static_cast<int8_t>(block.scales[i / 16]);
      out[i] = d * static_cast<float>(scale) * static_cast<float>(block.quants[i] - 32);
    } else {
      const SixBits six = six_bits(block.scales, i / kBlock);
      out[i] = d * static_cast<float>(six.scale) * static_cast<float>(block.quants[i]) -
               dmin * static_cast<float>(six.minimum);
    }
  }
}

void take_quants(uint8_t* quants, DType type, const uint8_t* in, size_t lane) {
  if (type == DType::kQ4_K) return take_quants<DType::kQ4_K>(quants, in, lane);
  if (type == DType::kQ5_K) return take_quants<DType::kQ5_K>(quants, in, lane);
  take_quants<DType::kQ6_K>(quants, in, lane);
}

void put_quants(uint8_t* out, DType type, const uint8_t* quants, size_t lane) {
  if (type == DType::kQ4_K) return put_quants<DType::kQ4_K>(out, quants, lane);
  if (type == DType::kQ5_K) return put_quants<DType::kQ5_K>(out, quants, lane);
  put_quants<DType::kQ6_K>(out, quants, lane);
}

}  // namespace

void pack_k(uint8_t* group, DType type, const void* file_rows, size_t n, size_t blocks) {
  for (size_t r = 0; r < n; ++r) {
    for (size_t b = 0; b < blocks; ++b) {
      const KBlock block = of_file(type, file_rows, r * blocks + b);
      const auto parts = parts_of(group, type, b, blocks);
      put_quants(parts.quants, type, block.quants, r);
      for (size_t i = 0; i < scale_bytes(type); i += 4) {
        std::memcpy(parts.scales + i * kGroupRows + r * 4, block.scales + i, 4);
      }
      std::memcpy(parts.d + r * sizeof block.d, &block.d, sizeof block.d);
      if (parts.dmin != nullptr) std::memcpy(parts.dmin + r * sizeof block.d, &block.dmin, sizeof block.d);
    }
  }
}

void unpack_k(float* out, DType type, const uint8_t* group, size_t lane, size_t blocks) {
  for (size_t b = 0; b < blocks; ++b) {
    const auto parts = parts_of(group, type, b, blocks);
    KBlock block{load<uint16_t>(parts.d, lane), 0, {}, {}};
    if (parts.dmin != nullptr) block.dmin = load<uint16_t>(parts.dmin, lane);
    for (size_t i = 0; i < scale_bytes(type); i += 4) {
      std::memcpy(block.scales + i, parts.scales + i * kGroupRows + lane * 4, 4);
    }
    take_quants(block.quants, type, parts.quants, lane);
    expand(out + b * kBlockK, type, block);
  }
}

void dequantize_k(float* out, DType type, const void* file_data, size_t i) {
  expand(out, type, of_file(type, file_data, i));
}

}  // namespace nxs::tensor
