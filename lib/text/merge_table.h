// SPDX-License-Identifier: Apache-2.0 OR MIT
// Which two tokens merge, with which rank, into what: a hash table with open addressing, since encoding looks up every
// pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nxs::text {

struct Merge {
  int32_t rank, token;  ///< rank -1: the two do not merge
};

class MergeTable {
 public:
  struct Entry {
    int32_t left, right;
    Merge merged;
  };

  MergeTable() : MergeTable(0) {}
  /// Room for `n` merges; insert takes no more.
  explicit MergeTable(size_t n);

  /// A pair that is there already gets the new rank.
  void insert(int32_t left, int32_t right, Merge merged);
  Merge find(int32_t left, int32_t right) const { return slots_[slot_of(left, right)].merged; }
  std::vector<Entry> by_rank() const;

 private:
  /// Where the pair is, or the free slot where it would be. At most half of the slots are in use.
  size_t slot_of(int32_t left, int32_t right) const {
    const uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
    size_t slot = static_cast<size_t>((key * 0x9e3779b97f4a7c15u) >> shift_);
    while (slots_[slot].merged.rank >= 0 && (slots_[slot].left != left || slots_[slot].right != right)) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }

  unsigned shift_;
  std::vector<Entry> slots_;
};

}  // namespace nxs::text
