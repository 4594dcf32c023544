// SPDX-License-Identifier: Apache-2.0 OR MIT
// A model that meets values that are not finite.
#pragma once

#include <cstring>
#include <limits>

#include "decode_support.h"
#include "support/raw_gguf.h"

namespace nxs::decode {

inline constexpr int32_t kBadToken = 77;

/// A model in which every forward of kBadToken meets an infinity.
inline std::shared_ptr<const model::Model> model_with_bad_token() {
  selftest::TinyModelOptions options;
  options.layers = options.head = tensor::DType::kF32;
  options.tied = false;
  test::RawGguf raw = test::RawGguf::of(selftest::tiny_model(options));
  test::RawTensor& embedding = raw.tensor("token_embd.weight");
  const float infinity = std::numeric_limits<float>::infinity();
  std::memcpy(embedding.data.data() + (kBadToken * embedding.shape[0] + 3) * sizeof infinity, &infinity,
              sizeof infinity);
  return open_bytes(raw.bytes());
}

}  // namespace nxs::decode
