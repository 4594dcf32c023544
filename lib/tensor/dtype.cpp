// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "tensor/dtype.h"

#include "tensor/blocks.h"

namespace nxs::tensor {
namespace {

// In the order of DType.
constexpr DTypeInfo kInfo[kDTypes] = {
    {"F32", 0, 1, sizeof(float), false},
    {"F16", 1, 1, sizeof(uint16_t), false},
    {"BF16", 30, 1, sizeof(uint16_t), false},
    {"Q8_0", 8, kBlock, sizeof(BlockQ8_0), true},
    {"Q4_0", 2, kBlock, sizeof(BlockQ4_0), true},
    {"Q4_1", 3, kBlock, sizeof(BlockQ4_1), true},
    {"Q5_0", 6, kBlock, sizeof(BlockQ5_0), true},
    {"Q5_1", 7, kBlock, sizeof(BlockQ5_1), true},
    {"Q4_K", 12, kBlockK, sizeof(BlockQ4_K), true},
    {"Q5_K", 13, kBlockK, sizeof(BlockQ5_K), true},
    {"Q6_K", 14, kBlockK, sizeof(BlockQ6_K), true},
};

// Every number that GGUF files carry; gaps are formats that were withdrawn.
constexpr const char* kGgmlNames[] = {
    "F32",    "F16",   "Q4_0",  "Q4_1",   nullptr, nullptr, "Q5_0",    "Q5_1",   "Q8_0",    "Q8_1",
    "Q2_K",   "Q3_K",  "Q4_K",  "Q5_K",   "Q6_K",  "Q8_K",  "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S",
    "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS", "I8",    "I16",   "I32",     "I64",    "F64",     "IQ1_M",
    "BF16",   nullptr, nullptr, nullptr,  "TQ1_0", "TQ2_0", nullptr,   nullptr,  nullptr,   "MXFP4",
};
constexpr size_t kGgmlTypes = sizeof kGgmlNames / sizeof kGgmlNames[0];

}  // namespace

const DTypeInfo& info(DType type) {
  return kInfo[static_cast<size_t>(type)];
}

const char* ggml_type_name(uint32_t ggml_type) {
  return ggml_type < kGgmlTypes ? kGgmlNames[ggml_type] : nullptr;
}

bool from_ggml(uint32_t ggml_type, DType* out) {
  for (size_t i = 0; i < kDTypes; ++i) {
    if (kInfo[i].ggml_type != ggml_type) continue;
    *out = static_cast<DType>(i);
    return true;
  }
  return false;
}

}  // namespace nxs::tensor
