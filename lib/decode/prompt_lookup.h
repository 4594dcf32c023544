// SPDX-License-Identifier: Apache-2.0 OR MIT
// Prompt lookup: what followed the latest earlier place where the context's last tokens stand is what may follow now.
// Pure: tokens in, draft out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/ngram_index.h"
#include "decode/pace.h"

namespace nxs::decode {

struct LookupLimits {
  size_t draft_max = 6;  ///< most tokens of a draft
  size_t ngram_max = 3;  ///< longest suffix that is looked up
  size_t ngram_min = 2;  ///< shortest; 1 <= ngram_min <= ngram_max
  bool adaptive = true;  ///< verify only as much of a draft as pays
  double row_cost = 0;   ///< of Pace; 0 = by the kind of weights
};

class PromptLookup {
 public:
  explicit PromptLookup(const LookupLimits& limits);

  const LookupLimits& limits() const { return limits_; }
  /// Makes `context` the text: keeps what it has in common with the one before, rewinds the rest.
  void set_context(std::span<const int32_t> context);
  /// More text, which is looked in after the context. n-grams do not cross from one text to the next.
  void add_text(std::span<const int32_t> tokens);
  /// The largest id in added texts, -1 without any.
  int32_t largest_added() const { return largest_added_; }

  /// For g = ngram_max down to ngram_min: the most recent earlier place of the context's last g tokens. Writes the
  /// tokens that followed it, at most min(draft_max, out.size()) and not past the end of the text. Returns how many; 0:
  /// no such place. `evidence` (may be NULL) gets what speaks for each of them.
  size_t draft(std::span<int32_t> out, std::vector<Evidence>* evidence = nullptr) const;

 private:
  LookupLimits limits_;
  NgramIndex context_, added_;
  int32_t largest_added_ = -1;
};

}  // namespace nxs::decode
