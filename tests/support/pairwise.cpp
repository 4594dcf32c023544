// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "support/pairwise.h"

#include <cstdint>
#include <numeric>
#include <set>
#include <tuple>

namespace nxs::test {

namespace {

using Pair = std::tuple<size_t, size_t, size_t, size_t>;  // factor a, its value, factor b > a, its value

std::set<Pair> all_pairs(const std::vector<size_t>& levels) {
  std::set<Pair> pairs;
  for (size_t a = 0; a < levels.size(); ++a)
    for (size_t b = a + 1; b < levels.size(); ++b)
      for (size_t i = 0; i < levels[a]; ++i)
        for (size_t j = 0; j < levels[b]; ++j) pairs.insert({a, i, b, j});
  return pairs;
}

Pair ordered(size_t a, size_t i, size_t b, size_t j) {
  return a < b ? Pair{a, i, b, j} : Pair{b, j, a, i};
}

}  // namespace

std::vector<std::vector<size_t>> pairwise_array(const std::vector<size_t>& levels) {
  std::set<Pair> open = all_pairs(levels);
  std::vector<size_t> used(
      std::accumulate(levels.begin(), levels.end(), size_t{0}));  // spreads values that gain nothing
  std::vector<std::vector<size_t>> rows;
  while (!open.empty()) {
    constexpr size_t kFree = SIZE_MAX;
    std::vector<size_t> row(levels.size(), kFree);
    const auto [a, i, b, j] = *open.begin();  // a row starts from a pair that is missing, so it always gains
    row[a] = i;
    row[b] = j;
    size_t base = 0;
    for (size_t f = 0; f < levels.size(); base += levels[f++]) {
      if (row[f] != kFree) continue;
      size_t best = 0;
      std::pair<size_t, size_t> best_score{0, 0};  // pairs gained, then how rarely the value was used
      for (size_t v = 0; v < levels[f]; ++v) {
        size_t gained = 0;
        for (size_t g = 0; g < levels.size(); ++g)
          if (g != f && row[g] != kFree) gained += open.count(ordered(f, v, g, row[g]));
        const std::pair<size_t, size_t> score{gained, SIZE_MAX - used[base + v]};
        if (v == 0 || score > best_score) {
          best = v;
          best_score = score;
        }
      }
      row[f] = best;
      ++used[base + best];
    }
    for (size_t f = 0; f < levels.size(); ++f)
      for (size_t g = f + 1; g < levels.size(); ++g) open.erase({f, row[f], g, row[g]});
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace nxs::test
