// SPDX-License-Identifier: Apache-2.0 OR MIT
// A forward as the user orders it: tokens appended to several sequences, logits of the rows that are asked for.
#pragma once

#include <cstdint>
#include <span>

#include "decode/session.h"
#include "decode/token_sequence.h"

namespace nxs::decode {

struct ForwardOrder {
  std::span<TokenSequence* const> sequences;  ///< all different
  std::span<const int32_t> counts;            ///< new tokens of each, >= 1
  std::span<const int32_t> tokens;            ///< those of the first sequence, then of the second, ...
  const uint8_t* want;                        ///< per token; NULL: the last one of each sequence
};

/// Throws kContext or, for a token outside the vocabulary, kArgument. The lengths come first: a count too large is seen
/// before tokens are read that the caller does not have.
void check(const Session& session, const ForwardOrder& order);
/// Rows that `order` wants.
size_t count_wanted(const ForwardOrder& order);

/// Of an order that has been checked. Appends the tokens, and feeds the sequences' tails before them. `logits` gets
/// count_wanted() rows of n_vocab floats. In chunks of the session's prefill_chunk rows, which changes no bit. Throws
/// kKvFull, kMemory, kCancelled or kNumeric, and then the sequences are as before.
void forward(Session& session, const ForwardOrder& order, float* logits);

}  // namespace nxs::decode
