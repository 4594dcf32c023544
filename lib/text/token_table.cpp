// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/token_table.h"

#include <bit>
#include <functional>

namespace nxs::text {

TokenTable::TokenTable(size_t n) : slots_(std::bit_ceil(2 * n + 1), -1) {}

size_t TokenTable::slot_of(const StringTable& texts, std::string_view text) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = std::hash<std::string_view>()(text) & mask;
  while (slots_[slot] >= 0 && texts[static_cast<size_t>(slots_[slot])] != text) slot = (slot + 1) & mask;
  return slot;
}

bool TokenTable::insert(const StringTable& texts, int32_t token) {
  int32_t& slot = slots_[slot_of(texts, texts[static_cast<size_t>(token)])];
  if (slot >= 0) return false;
  slot = token;
  return true;
}

}  // namespace nxs::text
