// SPDX-License-Identifier: Apache-2.0 OR MIT
// What decides the tokens of a run beside model and prompt; part of its receipt.
#pragma once

#include <cstdint>

namespace nxs::decode {

/// How a row of logits becomes a token; the fields of nxs_decode_params, within their ranges.
struct Sampling {
  int64_t seed = 0;
  float temperature = 0;  ///< 0: the largest logit
  float top_p = 1;
  float min_p = 0;
  int32_t top_k = 0;  ///< 0: off
  float repeat_penalty = 1;
  int32_t repeat_last = 64;
};

struct Params {
  int64_t max_new = 256;     ///< most tokens to emit, -1: until a stop or the end of the context
  bool ignore_stop = false;  ///< stop tokens are emitted like any other
  bool logprobs = false;     ///< keep the log-probability of each token; not in the receipt
  Sampling sampling{};
};

/// The same with defaults in all fields of `sampling` that have no effect in a vocabulary of n_vocab tokens, and no -0:
/// equal values for equal choices. Receipts are made of these.
Params effective(const Params& params, int64_t n_vocab);

}  // namespace nxs::decode
