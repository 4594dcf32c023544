// SPDX-License-Identifier: Apache-2.0 OR MIT
// Byte-pair merging of one piece: always the pair of the lowest rank, the leftmost among equals. n log n, no recursion.
#pragma once

#include <cstdint>
#include <vector>

#include "text/vocabulary.h"

namespace nxs::text {

/// Keeps its memory between pieces; one per call of encode.
class BytePairMerger {
 public:
  explicit BytePairMerger(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  /// Merges until no neighbours merge.
  void merge(std::vector<int32_t>& tokens);

 private:
  /// A token in the list; `rank` and `merged` are those of its pair with the next one, rank -1 when they do not merge.
  struct Node {
    int32_t token, previous, next, rank, merged;
  };
  bool look_up(int32_t left);
  void refresh(int32_t left);

  const Vocabulary& vocabulary_;
  std::vector<Node> nodes_;
  std::vector<uint64_t> heap_;  ///< rank << 32 | left node; an entry is stale when the node's rank differs
};

}  // namespace nxs::text
