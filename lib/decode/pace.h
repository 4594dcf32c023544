// SPDX-License-Identifier: Apache-2.0 OR MIT
// How much of a draft is worth verifying, from what speaks for its tokens and what became of the drafts so far: counts,
// never clocks, so that one run always drafts alike. The first token of each draft is compared with the model's choice
// whether it was verified or not, so a pause ends when drafts become right again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace nxs::decode {

/// What speaks for a drafted token that followed the same tokens earlier.
struct Evidence {
  /// What followed at the place before the latest one: nothing is known, this token too, another one.
  enum class Earlier : uint8_t { kNone, kSame, kOther };
  static constexpr uint8_t kMostMatched = 16;

  uint8_t matched;  ///< how many tokens before it are the same there, drafted ones included; 1..kMostMatched
  Earlier earlier;
};

class Pace {
 public:
  /// `row_cost`: what each of six further rows of a forward costs on average, as a share of a forward of one row, while
  /// there are few keys.
  explicit Pace(double row_cost) : row_cost_(row_cost) {}

  /// How many of the drafted tokens to verify behind a sequence of `keys` tokens.
  size_t length(std::span<const Evidence> draft, size_t keys) const;
  /// A draft's first token was (not) the model's choice; `verified` of its tokens were in the forward, `accepted` of
  /// them taken.
  void observe(std::span<const Evidence> draft, bool first_right, size_t verified, size_t accepted);

 private:
  double chance(Evidence token) const;
  void learn(Evidence token, bool right);

  double row_cost_;
  /// Odds that a token is right for each token matched, by Evidence::Earlier.
  std::array<double, 3> odds_{0.6, 1.7, 0.1};
};

}  // namespace nxs::decode
