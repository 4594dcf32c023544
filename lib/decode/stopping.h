// SPDX-License-Identifier: Apache-2.0 OR MIT
// Why a run ends, and the search for stop strings in a growing text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decode/token_sequence.h"

namespace nxs::decode {

/// Equal to NXS_STOP_* (capi asserts it). When several apply at once, the first of this order is given.
enum class Stop : uint32_t { kNone = 0, kToken = 1, kText = 2, kMaxNew = 3, kContext = 4, kKvFull = 5, kCancelled = 6 };

/// Looks for several stop strings at once, byte by byte (Knuth-Morris-Pratt), so that nothing depends on where tokens
/// are cut.
class StopText {
 public:
  explicit StopText(const StopStrings& strings);

  /// Takes more text. True when a stop string is complete: the one that ends first, among those the longest; cut() is
  /// where it begins.
  bool push(std::string_view text);
  size_t cut() const { return cut_; }
  /// How much of the text no stop string can begin in any more.
  size_t safe() const { return safe_; }

 private:
  struct Pattern {
    std::string_view text;
    std::vector<uint32_t> border;  ///< border[i]: longest proper border of the first i + 1 bytes
    size_t matched = 0;            ///< bytes of it that the text ends with
  };

  StopStrings strings_;  ///< owns the patterns' text
  std::vector<Pattern> patterns_;
  size_t size_ = 0, safe_ = 0, cut_ = 0;
};

}  // namespace nxs::decode
