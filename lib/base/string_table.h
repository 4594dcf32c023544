// SPDX-License-Identifier: Apache-2.0 OR MIT
// Many short strings in one piece of memory, for vocabularies: a std::string each would take several times the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace nxs {

class StringTable {
 public:
  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  /// Valid until the next push_back, and no longer than the table stays where it is.
  std::string_view operator[](size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return {text_.data() + begin, ends_[i] - begin};
  }
  /// Throws kUnsupported past 4 GiB of text.
  void push_back(std::string_view string) {
    text_.resize(ends_.empty() ? 0 : ends_.back());  // what a push_back without memory has left
    if (string.size() > UINT32_MAX - text_.size())
      fail(Status::kUnsupported, "more than 4 GiB of strings in one array");
    text_.append(string);
    ends_.push_back(static_cast<uint32_t>(text_.size()));
  }
  void shrink_to_fit() {
    text_.shrink_to_fit();
    ends_.shrink_to_fit();
  }
  size_t bytes() const { return text_.capacity() + ends_.capacity() * sizeof(uint32_t); }

 private:
  std::string text_;
  std::vector<uint32_t> ends_;
};

}  // namespace nxs
