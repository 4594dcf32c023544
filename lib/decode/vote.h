// SPDX-License-Identifier: Apache-2.0 OR MIT
// Counting answers. Pure: answers in, ranks out; nothing depends on how the samples were computed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decode/answer.h"
#include "decode/receipt.h"

namespace nxs::decode {

/// One answer and the samples that gave it.
struct Ranked {
  std::string answer;
  int32_t votes;
  int32_t first;  ///< lowest sample
};

/// The answers of samples 0, 1, ..., counted as they come and as they are replaced.
class Tally {
 public:
  /// Takes the next sample's answer.
  void add(const Answer& answer);
  /// Replaces that of a sample below size(). When it throws, nothing has changed.
  void set(size_t sample, const Answer& answer);

  size_t size() const { return of_sample_.size(); }
  /// NULL: none. Borrowed until that answer is replaced.
  const std::string* answer(size_t sample) const;
  size_t n_answers() const { return entries_.size(); }

  /// Most votes first, then the lowest sample. The first call after a change sorts; it never fails. Borrowed until the
  /// next change.
  std::span<const Ranked* const> ranks() noexcept;
  /// Whether `n_left` more samples can no longer change who is first. For a tally without set().
  bool is_decided(int64_t n_left) const;

 private:
  Ranked* entry_of(const Answer& answer, size_t sample);

  std::unordered_map<std::string_view, std::unique_ptr<Ranked>> entries_;  ///< by their own answer
  std::vector<Ranked*> of_sample_;
  std::vector<const Ranked*> ranks_;  ///< has room for all entries
  bool sorted_ = true;
  std::array<const Ranked*, 2> best_{};  ///< first and second of those added
};

/// Whether the second answer has as many votes as the first.
bool is_tie(std::span<const Ranked* const> ranks);
/// The first answer as a number. Throws kNoAnswer or kRange (no integer, or none of 64 bits).
int64_t winner_int64(std::span<const Ranked* const> ranks);

/// The receipt of a vote, over its samples' receipts and answers; docs/receipt.md has the recipe.
class VoteReceipt {
 public:
  void begin(size_t n_samples) noexcept;
  void add(std::string_view receipt, const std::string* answer) noexcept;
  ReceiptText finish() const noexcept { return receipt_text(hasher_.finish()); }

 private:
  Hasher hasher_;
};

}  // namespace nxs::decode
