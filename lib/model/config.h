// SPDX-License-Identifier: Apache-2.0 OR MIT
// The hyper-parameters of a `llama` model, read from a GGUF header and checked against each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/digest.h"
#include "gguf/gguf.h"

namespace nxs::model {

struct Config {
  size_t n_vocab, n_layers, n_embd, n_heads, n_heads_kv, head_dim, n_ff;
  int64_t n_ctx;  ///< trained context, tokens
  float norm_eps;
  double rope_base, rope_scale;  ///< scale = 1 / linear factor

  /// Throws kUnsupported (architecture, experts, RoPE scaling, partial rotation, by key) or kFormat (missing, zero,
  /// contradicting).
  static Config read(const gguf::File& file, size_t n_vocab);
  void add_to(Hasher& hasher) const;
};

}  // namespace nxs::model
