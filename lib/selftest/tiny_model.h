// SPDX-License-Identifier: Apache-2.0 OR MIT
// A small random llama model as GGUF bytes, the same for one seed on every machine: for nxs_selftest and for tests that
// need no file.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/dtype.h"

namespace nxs::selftest {

struct TinyModelOptions {
  uint64_t seed = 1;
  uint32_t n_vocab = 320;  ///< 256 byte tokens, a few merges, control tokens <|endoftext|>, <|im_start|>, <|im_end|>
  uint32_t n_layers = 2, n_embd = 64, n_heads = 4, n_heads_kv = 2, n_ff = 128;
  uint32_t n_ctx = 2048;
  tensor::DType layers = tensor::DType::kQ4_1;
  tensor::DType head = tensor::DType::kQ8_0;  ///< of token_embd (and output when untied)
  bool tied = true;
  bool rope_factors = false;
  bool chat_template = true;  ///< SmolLM2's, so that chat format works
  /// Above 0: the weights are arranged so that greedy text repeats itself often (drafts get accepted and rejected
  /// both). 0..1.
  float echo = 0.5f;
};

std::vector<uint8_t> tiny_model(const TinyModelOptions& options);

}  // namespace nxs::selftest
