// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/pace.h"

#include <algorithm>

namespace nxs::decode {

namespace {

// The first token's chance changes with the text, that of the later ones hardly.
constexpr double kKeepFirst = 0.9;
constexpr double kKeepLater = 0.97;

}  // namespace

void Pace::Share::add(bool success, double keep) {
  right = right * keep + (success ? 1 : 0);
  trials = trials * keep + 1;
}

size_t Pace::length(size_t matched, size_t n) const {
  size_t best = 0;
  double best_rate = 1;  // tokens per cost of a plain step
  double tokens = 1, chance = first_[std::min(matched, kClasses - 1)].value();
  for (size_t k = 1; k <= n; ++k) {
    tokens = tokens + chance;
    chance = chance * later_.value();
    const double rate = tokens / (1 + row_cost_ * static_cast<double>(k));
    if (rate > best_rate) {
      best_rate = rate;
      best = k;
    }
  }
  return best;
}

void Pace::observe(size_t matched, bool first_right, size_t verified, size_t accepted) {
  first_[std::min(matched, kClasses - 1)].add(first_right, kKeepFirst);
  for (size_t j = 1; j < verified && j <= accepted; ++j) later_.add(j < accepted, kKeepLater);
}

}  // namespace nxs::decode
