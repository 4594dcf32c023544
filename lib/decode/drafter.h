// SPDX-License-Identifier: Apache-2.0 OR MIT
// Who proposes tokens for verification. A drafter can change the speed, never the output.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/prompt_lookup.h"

namespace nxs::decode {

class Drafter {
 public:
  virtual ~Drafter() = default;
  /// Most tokens of one draft.
  virtual size_t draft_max() const = 0;
  /// Before a run: throws kArgument when this drafter cannot work with a vocabulary of that size, with both sizes.
  virtual void check(int32_t n_vocab) const = 0;
  /// Writes at most out.size() tokens that may follow `context`, returns how many. `caller_word` is the float state for
  /// callbacks. Ids outside the vocabulary are kCallback.
  virtual size_t draft(std::span<const int32_t> context, std::span<int32_t> out, uint64_t caller_word) = 0;
  /// Whether only as much of a draft is verified as pays (pace.h).
  virtual bool adaptive() const { return false; }
  /// What a further row costs (pace.h); 0 = by the kind of weights.
  virtual double row_cost() const { return 0; }
  /// What speaks for each token of the last draft, of an adaptive drafter.
  virtual std::span<const Evidence> evidence() const { return {}; }
};

/// Prompt lookup. Keeps its index from run to run, so that the next turn of a conversation adds only what is new.
class LookupDrafter final : public Drafter {
 public:
  explicit LookupDrafter(const LookupLimits& limits) : lookup_(limits) {}
  PromptLookup& lookup() { return lookup_; }

  size_t draft_max() const override { return lookup_.limits().draft_max; }
  void check(int32_t n_vocab) const override;
  size_t draft(std::span<const int32_t> context, std::span<int32_t> out, uint64_t caller_word) override;
  bool adaptive() const override { return lookup_.limits().adaptive; }
  double row_cost() const override { return lookup_.limits().row_cost; }
  std::span<const Evidence> evidence() const override { return evidence_; }

 private:
  PromptLookup lookup_;
  std::vector<Evidence> evidence_;
};

/// A function of the library's user (nxs_draft_fn).
class CustomDrafter final : public Drafter {
 public:
  using Function = int32_t(void* user, const int32_t* context, size_t n_context, int32_t* draft, size_t capacity);
  CustomDrafter(Function* function, void* user, size_t draft_max)
      : function_(function), user_(user), draft_max_(draft_max) {}

  size_t draft_max() const override { return draft_max_; }
  void check(int32_t) const override {}
  size_t draft(std::span<const int32_t> context, std::span<int32_t> out, uint64_t caller_word) override;

 private:
  Function* function_;
  void* user_;
  size_t draft_max_;
};

}  // namespace nxs::decode
