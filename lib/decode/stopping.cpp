// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/stopping.h"

#include <algorithm>

namespace nxs::decode {

namespace {

/// For each beginning of the text, the longest beginning that is also its end (and is shorter).
std::vector<uint32_t> borders(std::string_view text) {
  std::vector<uint32_t> border(text.size());
  for (size_t i = 1; i < text.size(); ++i) {
    uint32_t b = border[i - 1];
    while (b > 0 && text[i] != text[b]) b = border[b - 1];
    border[i] = b + (text[i] == text[b] ? 1u : 0u);
  }
  return border;
}

}  // namespace

StopText::StopText(const StopStrings& strings) : strings_(strings) {
  for (const std::string& text : *strings_) patterns_.push_back({text, borders(text)});
}

bool StopText::push(std::string_view text) {
  for (const char c : text) {
    size_t held = 0, found = 0;
    ++size_;
    for (Pattern& p : patterns_) {
      while (p.matched > 0 && (p.matched == p.text.size() || p.text[p.matched] != c))
        p.matched = p.border[p.matched - 1];
      if (p.text[p.matched] == c) ++p.matched;
      held = std::max(held, p.matched);
      if (p.matched == p.text.size()) found = std::max(found, p.matched);
    }
    safe_ = size_ - held;
    if (found > 0) {
      cut_ = size_ - found;
      return true;
    }
  }
  return false;
}

}  // namespace nxs::decode
