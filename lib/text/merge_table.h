// SPDX-License-Identifier: Apache-2.0 OR MIT
// Which two tokens merge, with which rank, into what: a hash table with open addressing, since encoding looks up every
// pair. The slots hold ranks alone, for half of them are empty.
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
    int32_t left, right, token;
    bool is(int32_t l, int32_t r) const { return left == l && right == r; }
  };

  MergeTable() : MergeTable(0) {}
  /// Room for `n` merges; insert takes no more.
  explicit MergeTable(size_t n);

  /// Ranks count up from 0. A pair that is there already gets the new rank.
  void insert(int32_t left, int32_t right, int32_t token);
  Merge find(int32_t left, int32_t right) const {
    const int32_t rank = slots_[slot_of(left, right)];
    return rank < 0 ? Merge{-1, -1} : Merge{rank, entries_[static_cast<size_t>(rank)].token};
  }
  /// Those that count, in the order of their ranks.
  std::vector<Entry> by_rank() const;
  size_t bytes() const { return slots_.capacity() * sizeof(int32_t) + entries_.capacity() * sizeof(Entry); }

 private:
  /// Where the pair is, or the free slot where it would be. At most half of the slots are in use.
  size_t slot_of(int32_t left, int32_t right) const {
    const uint64_t key = static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
    size_t slot = static_cast<size_t>((key * 0x9e3779b97f4a7c15u) >> shift_);
    while (slots_[slot] >= 0 && !entries_[static_cast<size_t>(slots_[slot])].is(left, right)) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }

  unsigned shift_;
  std::vector<int32_t> slots_;  // a rank, -1 = free
  std::vector<Entry> entries_;  // by rank
};

}  // namespace nxs::text
