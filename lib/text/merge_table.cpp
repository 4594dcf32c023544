// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/merge_table.h"

#include <algorithm>

namespace nxs::text {

MergeTable::MergeTable(size_t n) : shift_(63) {
  while ((uint64_t{1} << (64 - shift_)) < 2 * n) --shift_;
  slots_.resize(size_t{1} << (64 - shift_), Entry{-1, -1, {-1, -1}});
}

void MergeTable::insert(int32_t left, int32_t right, Merge merged) {
  slots_[slot_of(left, right)] = {left, right, merged};
}

std::vector<MergeTable::Entry> MergeTable::by_rank() const {
  std::vector<Entry> entries;
  std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(entries),
               [](const Entry& e) { return e.merged.rank >= 0; });
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.merged.rank < b.merged.rank; });
  return entries;
}

}  // namespace nxs::text
