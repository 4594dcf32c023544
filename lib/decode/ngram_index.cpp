// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/ngram_index.h"

#include <algorithm>

#include "base/status.h"

namespace nxs::decode {

namespace {

constexpr size_t kLeastBuckets = 256;

uint64_t hash_of(const int32_t* gram, size_t n) {
  uint64_t h = n;
  for (size_t i = 0; i < n; ++i) {
    h = (h ^ static_cast<uint32_t>(gram[i])) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  }
  return h;
}

}  // namespace

NgramIndex::NgramIndex(size_t shortest, size_t longest) {
  for (size_t n = shortest; n <= longest; ++n) levels_.push_back({n, std::vector<uint32_t>(kLeastBuckets), {}});
}

size_t NgramIndex::bucket(const Level& level, const int32_t* gram) const {
  return hash_of(gram, level.length) & (level.head.size() - 1);
}

void NgramIndex::insert(Level& level, size_t position) {
  uint32_t& head = level.head[bucket(level, tokens_.data() + position)];
  level.previous[position] = head;
  head = static_cast<uint32_t>(position + 1);
}

/// Buckets stay more than there are tokens, so chains stay short. Chains are made anew in the order of positions.
void NgramIndex::rebuild(size_t buckets) {
  for (Level& level : levels_) {
    level.head.assign(buckets, 0);
    for (size_t p = 0; p + level.length <= tokens_.size(); ++p) insert(level, p);
  }
}

void NgramIndex::append(std::span<const int32_t> tokens) {
  const size_t before = tokens_.size(), after = before + tokens.size();
  if (after >= UINT32_MAX) fail(Status::kMemory, "n-gram index: %zu tokens are too many", after);
  size_t buckets = levels_.front().head.size();
  while (buckets <= after) buckets *= 2;
  tokens_.reserve(after);
  for (Level& level : levels_) {
    level.previous.resize(after);
    level.head.reserve(buckets);
  }
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  if (buckets != levels_.front().head.size()) return rebuild(buckets);
  for (Level& level : levels_) {
    for (size_t p = before >= level.length ? before - level.length + 1 : 0; p + level.length <= after; ++p)
      insert(level, p);
  }
}

/// Positions leave in the reverse of their order, so each is the head of its chain when its turn comes.
void NgramIndex::rewind(size_t length) noexcept {
  const size_t size = tokens_.size();
  for (Level& level : levels_) {
    if (size < level.length) continue;
    const size_t keep = length >= level.length ? length - level.length + 1 : 0;
    for (size_t p = size - level.length + 1; p-- > keep;)
      level.head[bucket(level, tokens_.data() + p)] = level.previous[p];
  }
  tokens_.resize(std::min(size, length));
}

size_t NgramIndex::find(std::span<const int32_t> gram, size_t before) const {
  const size_t n = gram.size();
  const Level& level = levels_[n - levels_.front().length];
  uint32_t at = before == kNone ? level.head[bucket(level, gram.data())] : level.previous[before];
  for (; at != 0; at = level.previous[at - 1]) {
    const size_t p = at - 1;
    if (p + n >= tokens_.size() || tokens_[p + n] == kBorder) continue;
    if (std::equal(gram.begin(), gram.end(), tokens_.begin() + static_cast<ptrdiff_t>(p))) return p;
  }
  return kNone;
}

}  // namespace nxs::decode
