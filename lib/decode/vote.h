// SPDX-License-Identifier: Apache-2.0 OR MIT
// Counting answers. Pure: answers in, ranks out; nothing depends on how the samples were computed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "decode/answer.h"

namespace nxs::decode {

/// One answer and the samples that gave it.
struct Ranked {
  std::string answer;
  int32_t votes;
  int32_t first;  ///< lowest sample
};

/// Most votes first, then the lowest sample. `answers[s]` is sample s's; those without one cast no vote.
std::vector<Ranked> rank(std::span<const Answer> answers);
/// Whether the second answer has as many votes as the first.
bool is_tie(std::span<const Ranked> ranks);
/// Whether `n_left` more samples, all higher than those counted, can no longer change who is first.
bool is_decided(std::span<const Ranked> ranks, int64_t n_left);
/// The first answer as a number. Throws kNoAnswer or kRange (no integer, or none of 64 bits).
int64_t winner_int64(std::span<const Ranked> ranks);

/// "1:" and 32 hex digits over the samples' receipts and answers; docs/receipt.md has the recipe.
std::string vote_receipt(std::span<const std::string> receipts, std::span<const Answer> answers);

}  // namespace nxs::decode
