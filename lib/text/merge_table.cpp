// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/merge_table.h"

namespace nxs::text {

MergeTable::MergeTable(size_t n) : shift_(63) {
  while ((uint64_t{1} << (64 - shift_)) < 2 * n) --shift_;
  slots_.resize(size_t{1} << (64 - shift_), -1);
  entries_.reserve(n);
}

void MergeTable::insert(int32_t left, int32_t right, int32_t token) {
  const size_t slot = slot_of(left, right);
  slots_[slot] = static_cast<int32_t>(entries_.size());
  entries_.push_back({left, right, token});
}

std::vector<MergeTable::Entry> MergeTable::by_rank() const {
  std::vector<Entry> entries;
  for (size_t rank = 0; rank < entries_.size(); ++rank) {
    const Entry& e = entries_[rank];
    if (slots_[slot_of(e.left, e.right)] == static_cast<int32_t>(rank)) entries.push_back(e);
  }
  return entries;
}

}  // namespace nxs::text
