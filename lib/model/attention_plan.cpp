// SPDX-License-Identifier: Apache-2.0 OR MIT
// Which rows read keys and values together, and whose partial results are stored.
#include <algorithm>

#include "model/attention.h"

namespace nxs::model {
namespace {

constexpr auto kChunk = static_cast<int64_t>(kernels::kChunk);
constexpr size_t kBlockQueries = 96;
constexpr size_t kBlockRows = 32;
constexpr size_t kSetsPerThread = 4;
// More partial results than this are not stored; such forwards have rows enough to walk.
constexpr size_t kPartialFloats = size_t{1} << 24;
constexpr const char* kWhat = "partial results of attention";

std::vector<RowBlock> make_blocks(std::span<const Row> rows, size_t most) {
  std::vector<RowBlock> blocks;
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool follows = i > 0 && rows[i].sequence == rows[i - 1].sequence;
    if (follows && blocks.back().n_rows < most) {
      ++blocks.back().n_rows;
      ++blocks.back().common;
    } else {
      blocks.push_back({i, 1, rows[i].position, rows[i].position + 1});
    }
  }
  return blocks;
}

// Keys at the front of both that lie in the same pages: whole tiles, or whole chunks where tiles must be gathered. Only
// full pages count: an open one is copied when it grows.
int64_t common_keys(const kv::Sequence& a, const kv::Sequence& b) {
  const kv::PageLayout& layout = a.pool().layout();
  const auto page = static_cast<int64_t>(layout.page_tokens);
  const std::span<const kv::PageId> pages = a.pages(), others = b.pages();
  const auto end = pages.begin() + std::min(a.length(), b.length()) / page;
  const int64_t keys = (std::mismatch(pages.begin(), end, others.begin()).first - pages.begin()) * page;
  return layout.lanes == kernels::kTile ? keys : keys / kChunk * kChunk;
}

// Joins neighbouring blocks that begin with the same pages, as forks of one prompt do, up to `most` rows. A block that
// has less in common than the others stays out where joining would cost more reading than it saves.
std::vector<RowBlock> share_chunks(std::span<RowBlock> blocks, std::span<kv::Sequence* const> sequences,
                                   std::span<const Row> rows, size_t most) {
  std::vector<RowBlock> shared;
  const auto sequence_of = [&](const RowBlock& block) -> const kv::Sequence& {
    return *sequences[rows[block.first_row].sequence];
  };
  for (size_t first = 0, last = 0; first < blocks.size(); first = last) {
    RowBlock all = blocks[first];
    for (last = first + 1; last < blocks.size() && all.n_rows + blocks[last].n_rows <= most; ++last) {
      const int64_t n = std::min(all.common, common_keys(sequence_of(all), sequence_of(blocks[last])));
      const auto joined = static_cast<int64_t>(last - first);
      if (n == 0 || n * joined < all.common * (joined - 1)) break;
      all.common = n;
      all.n_rows += blocks[last].n_rows;
      all.position = std::min(all.position, blocks[last].position);
    }
    if (last - first < 2) continue;
    all.n_shared = (all.common + kChunk - 1) / kChunk;
    for (size_t b = first; b < last; ++b) {
      blocks[b].n_shared = all.n_shared;
      blocks[b].shared = shared.size();
      blocks[b].shared_row = blocks[b].first_row - all.first_row;
    }
    shared.push_back(all);
  }
  return shared;
}

size_t count_chunks(std::span<const RowBlock> blocks) {
  size_t n = 0;
  for (const RowBlock& block : blocks) n += static_cast<size_t>(block.n_chunks() - block.n_shared);
  return n;
}

void grow(Buffer<float>& buffer, size_t n) {
  if (buffer.size() < n) buffer = Buffer<float>(std::max(n, 2 * buffer.size()), kWhat);
}

void add_items(AttentionPlan& plan, std::span<const RowBlock> sets, bool shared) {
  for (const RowBlock& rows : sets) {
    plan.first_item.push_back(plan.items.size());
    const int64_t last = shared ? rows.n_shared : rows.n_chunks();
    for (int64_t chunk = shared ? 0 : rows.n_shared; chunk < last; ++chunk) plan.items.push_back({&rows, chunk});
  }
}

}  // namespace

int64_t RowBlock::n_chunks() const {
  return (position + static_cast<int64_t>(n_rows) - 1) / kChunk + 1;
}

size_t RowBlock::first_row_of(int64_t chunk) const {
  return static_cast<size_t>(std::max<int64_t>(0, chunk * kChunk - position));
}

size_t RowBlock::common_keys(int64_t chunk) const {
  return static_cast<size_t>(std::min(kChunk, common - chunk * kChunk));
}

size_t block_rows(size_t group) {
  return std::clamp<size_t>(kBlockQueries / group, 1, kBlockRows);
}

void AttentionPlan::make(std::span<kv::Sequence* const> sequences, std::span<const Row> rows, size_t group,
                         unsigned n_threads, AttentionMode mode) {
  items.clear();
  first_item.clear();
  shared.clear();
  stride = 0;
  blocks = make_blocks(rows, block_rows(group));
  if (rows.empty()) return;
  const kv::PageLayout& layout = sequences[rows[0].sequence]->pool().layout();
  if (mode != AttentionMode::kWalk) {
    // Sets small enough that all threads have some to do.
    const size_t units = rows.size() * layout.n_heads_kv * static_cast<size_t>(blocks[0].n_chunks());
    const size_t most = std::clamp<size_t>(units / (kSetsPerThread * n_threads), 2, block_rows(group));
    shared = share_chunks(blocks, sequences, rows, most);
  }

  for (const RowBlock& block : blocks) stride = std::max(stride, block.n_rows * group);
  for (const RowBlock& all : shared) stride = std::max(stride, all.n_rows * group);
  size_t n_shared = 0;
  for (const RowBlock& all : shared) n_shared += static_cast<size_t>(all.n_shared);
  const size_t n_own = count_chunks(blocks), per_item = layout.n_heads_kv * stride;
  const auto too_many = [&](size_t n) { return n * per_item * layout.head_dim_padded > kPartialFloats; };
  const bool busy = blocks.size() * layout.n_heads_kv >= size_t{2} * n_threads || n_threads == 1;
  const bool idle = !busy && n_own > blocks.size() && !too_many(n_shared + n_own);
  const bool splits = mode == AttentionMode::kSplit || (mode == AttentionMode::kAuto && idle);
  if (mode == AttentionMode::kAuto && !splits && too_many(n_shared)) {
    for (RowBlock& block : blocks) block.n_shared = 0;
    shared.clear();
    n_shared = 0;
  }
  const size_t n = (n_shared + (splits ? n_own : 0)) * per_item;
  grow(partial_m, n);
  grow(partial_l, n);
  grow(partial_o, n * layout.head_dim_padded);
  add_items(*this, shared, true);
  if (splits) add_items(*this, blocks, false);
}

size_t AttentionPlan::bytes() const {
  return partial_m.bytes() + partial_l.bytes() + partial_o.bytes();
}

}  // namespace nxs::model
