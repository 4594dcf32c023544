// SPDX-License-Identifier: Apache-2.0 OR MIT
// Element formats of weights. A new format is added here, in blocks.h, in pack.cpp and dequantize.cpp (or k_blocks.cpp)
// and as one matmul file per ISA folder.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace nxs::tensor {

enum class DType : uint8_t { kF32, kF16, kBF16, kQ8_0, kQ4_0, kQ4_1, kQ5_0, kQ5_1, kQ4_K, kQ5_K, kQ6_K };
inline constexpr size_t kDTypes = 11;

struct DTypeInfo {
  const char* name;      ///< as GGUF tools print it: "Q4_1"
  uint32_t ggml_type;    ///< number in a GGUF file
  uint32_t block_elems;  ///< consecutive elements of a row that share scales; 1 for floats
  uint32_t block_bytes;  ///< their size in the file
  bool quantized;
};

const DTypeInfo& info(DType type);
/// The name of any GGML type number, "type 99" style for unknown ones is the caller's business: NULL when unknown.
const char* ggml_type_name(uint32_t ggml_type);
/// False when this version has no such format.
bool from_ggml(uint32_t ggml_type, DType* out);

}  // namespace nxs::tensor
