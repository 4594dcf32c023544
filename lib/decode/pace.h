// SPDX-License-Identifier: Apache-2.0 OR MIT
// How much of a draft is worth verifying, from what became of the drafts so far: counts, never clocks, so that one run
// always drafts alike. Chooses the length whose expected tokens per cost are most; 0 where drafting does not pay. The
// first token of each draft is compared with the model's choice whether it was verified or not, so a pause ends when
// drafts become right again.
#pragma once

#include <array>
#include <cstddef>

namespace nxs::decode {

class Pace {
 public:
  /// `row_cost`: what each further row of a forward costs, as a share of a forward of one row.
  explicit Pace(double row_cost) : row_cost_(row_cost) {}

  /// How many of `n` drafted tokens to verify; `matched` is the length of the suffix that found them (0 = unknown).
  size_t length(size_t matched, size_t n) const;
  /// A draft's first token was (not) the model's choice; `verified` of its tokens were in the forward, `accepted` of
  /// them taken.
  void observe(size_t matched, bool first_right, size_t verified, size_t accepted);

 private:
  /// A share that forgets: both counts fade with each trial.
  struct Share {
    double right, trials;
    double value() const { return right / trials; }
    void add(bool success, double keep);
  };
  static constexpr size_t kClasses = 5;  ///< unknown, 1, 2, 3, 4 and more tokens matched

  double row_cost_;
  std::array<Share, kClasses> first_{{{0.7, 2}, {0.5, 2}, {0.7, 2}, {1.0, 2}, {1.2, 2}}};
  Share later_{3.2, 4};  ///< of tokens behind an accepted one
};

}  // namespace nxs::decode
