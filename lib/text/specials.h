// SPDX-License-Identifier: Apache-2.0 OR MIT
// Finds special tokens in text: the leftmost, and the longest of those that begin there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace nxs::text {

class SpecialFinder {
 public:
  /// User-defined tokens, and control tokens too if `control`. The vocabulary is handed in again, because it may have
  /// moved.
  SpecialFinder(const Vocabulary& vocabulary, bool control);

  struct Found {
    size_t begin;
    int32_t token;  ///< -1: none, begin is the end of the text
  };
  Found find(const Vocabulary& vocabulary, std::string_view text, size_t from) const;

 private:
  int32_t longest_at(const Vocabulary& vocabulary, std::string_view text) const;

  std::vector<int32_t> sorted_;  // by text
  bool first_[256] = {};         // whether a token begins with this byte
};

}  // namespace nxs::text
