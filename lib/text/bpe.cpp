// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/bpe.h"

#include <algorithm>
#include <functional>

namespace nxs::text {

/// Looks the pair at `left` up again after a neighbour changed; whether it merges.
bool BytePairMerger::look_up(int32_t left) {
  Node& node = nodes_[static_cast<size_t>(left)];
  const Merge pair =
      node.next < 0 ? Merge{-1, -1} : vocabulary_.merge(node.token, nodes_[static_cast<size_t>(node.next)].token);
  node.rank = pair.rank;
  node.merged = pair.token;
  if (pair.rank < 0) return false;
  heap_.push_back(static_cast<uint64_t>(pair.rank) << 32 | static_cast<uint32_t>(left));
  return true;
}

void BytePairMerger::refresh(int32_t left) {
  if (left >= 0 && look_up(left)) std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

void BytePairMerger::merge(std::vector<int32_t>& tokens) {
  if (tokens.size() < 2) return;
  const auto n = static_cast<int32_t>(tokens.size());
  nodes_.resize(tokens.size());
  heap_.clear();
  for (int32_t i = 0; i < n; ++i) {
    nodes_[static_cast<size_t>(i)] = {tokens[static_cast<size_t>(i)], i - 1, i + 1 < n ? i + 1 : -1, -1, -1};
  }
  for (int32_t i = 0; i < n; ++i) look_up(i);
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  while (!heap_.empty()) {
    const auto rank = static_cast<int32_t>(heap_.front() >> 32);
    const auto left = static_cast<int32_t>(heap_.front() & UINT32_MAX);
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    Node& node = nodes_[static_cast<size_t>(left)];
    if (node.rank != rank) continue;
    Node& gone = nodes_[static_cast<size_t>(node.next)];
    node.token = node.merged;
    node.next = gone.next;
    gone.rank = -1;
    if (node.next >= 0) nodes_[static_cast<size_t>(node.next)].previous = left;
    refresh(left);
    refresh(node.previous);
  }
  tokens.clear();
  for (int32_t i = 0; i >= 0; i = nodes_[static_cast<size_t>(i)].next)
    tokens.push_back(nodes_[static_cast<size_t>(i)].token);
}

}  // namespace nxs::text
