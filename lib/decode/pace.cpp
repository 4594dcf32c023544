// SPDX-License-Identifier: Apache-2.0 OR MIT
// The figures are from replies of a small model to the 240 prompts of Spec-Bench and from measured costs of forwards,
// on fast and on slow memory: odds grow with the tokens matched, three times better where two places agree.
#include "decode/pace.h"

#include <algorithm>

namespace nxs::decode {

namespace {

/// How much one token's fate changes the odds of the next ones.
constexpr double kLearning = 0.25;
/// Tokens that the time of a plain step is worth: elsewhere drafts win too.
constexpr double kWorth = 1.2;
/// Attention makes rows dearer: twice at so many keys.
constexpr double kKeysTwice = 6000;

/// The j-th further row beside the mean of the first six: weights are unpacked once for all rows and first rows hide
/// behind memory, the later ones do not, and from the seventh on each costs the same.
double shape(size_t j) {
  return static_cast<double>(std::min<size_t>(j + 1, 8)) * (2.0 / 9);
}

}  // namespace

double Pace::chance(Evidence token) const {
  const double odds = odds_[static_cast<size_t>(token.earlier)] * token.matched;
  return odds / (1 + odds);
}

void Pace::learn(Evidence token, bool right) {
  odds_[static_cast<size_t>(token.earlier)] *= 1 + kLearning * ((right ? 1 : 0) - chance(token));
}

/// The length whose expected tokens, less the worth of the time, are most.
size_t Pace::length(std::span<const Evidence> draft, size_t keys) const {
  const double row = kWorth * row_cost_ * (1 + static_cast<double>(keys) / kKeysTwice);
  size_t best = 0;
  double gain = 0, best_gain = 0, reached = 1;
  for (size_t j = 1; j <= draft.size(); ++j) {
    reached *= chance(draft[j - 1]);
    gain += reached - row * shape(j);
    if (gain > best_gain) {
      best_gain = gain;
      best = j;
    }
  }
  return best;
}

void Pace::observe(std::span<const Evidence> draft, bool first_right, size_t verified, size_t accepted) {
  if (draft.empty()) return;
  learn(draft[0], first_right);
  for (size_t j = 1; j < verified && j <= accepted; ++j) learn(draft[j], j < accepted);
}

}  // namespace nxs::decode
