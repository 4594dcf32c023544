// SPDX-License-Identifier: Apache-2.0 OR MIT
// Finds tokens by their text: a hash table of ids with open addressing, over texts that lie elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_table.h"

namespace nxs::text {

class TokenTable {
 public:
  TokenTable() : TokenTable(0) {}
  /// Room for `n` tokens; insert takes no more.
  explicit TokenTable(size_t n);

  /// Enters texts[token]; false, and nothing changes, when an equal text is there already.
  bool insert(const StringTable& texts, int32_t token);
  /// The token with this text, -1 when none. `texts` as for insert; handed in, because it may have moved.
  int32_t find(const StringTable& texts, std::string_view text) const { return slots_[slot_of(texts, text)]; }
  size_t bytes() const { return slots_.capacity() * sizeof(int32_t); }

 private:
  /// Where the text is, or the free slot where it would be. At least half of the slots are free.
  size_t slot_of(const StringTable& texts, std::string_view text) const;

  std::vector<int32_t> slots_;  // a power of two, -1 = free
};

}  // namespace nxs::text
