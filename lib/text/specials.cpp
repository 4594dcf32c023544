// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/specials.h"

#include <algorithm>

namespace nxs::text {

SpecialFinder::SpecialFinder(const Vocabulary& vocabulary, bool control) {
  for (const int32_t token : vocabulary.specials()) {
    if (!control && vocabulary.is_control(token)) continue;
    sorted_.push_back(token);
    first_[static_cast<uint8_t>(vocabulary.bytes(token)[0])] = true;
  }
  std::sort(sorted_.begin(), sorted_.end(),
            [&](int32_t a, int32_t b) { return vocabulary.bytes(a) < vocabulary.bytes(b); });
}

/// Narrows the sorted list byte by byte; a token that ends where the list still holds is a match, the last one is the
/// longest.
int32_t SpecialFinder::longest_at(const Vocabulary& vocabulary, std::string_view text) const {
  auto low = sorted_.begin(), high = sorted_.end();
  int32_t best = -1;
  for (size_t depth = 0; depth < text.size() && low != high; ++depth) {
    const auto byte = static_cast<uint8_t>(text[depth]);
    const auto at = [&](int32_t token) { return static_cast<uint8_t>(vocabulary.bytes(token)[depth]); };
    low = std::partition_point(low, high, [&](int32_t token) { return at(token) < byte; });
    high = std::partition_point(low, high, [&](int32_t token) { return at(token) == byte; });
    if (low != high && vocabulary.bytes(*low).size() == depth + 1) best = *low++;
  }
  return best;
}

SpecialFinder::Found SpecialFinder::find(const Vocabulary& vocabulary, std::string_view text, size_t from) const {
  if (!sorted_.empty()) {
    for (size_t at = from; at < text.size(); ++at) {
      if (!first_[static_cast<uint8_t>(text[at])]) continue;
      const int32_t token = longest_at(vocabulary, text.substr(at));
      if (token >= 0) return {at, token};
    }
  }
  return {text.size(), -1};
}

}  // namespace nxs::text
