// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model/attention.h"

#include <algorithm>

namespace nxs::model {
namespace {

constexpr auto kChunk = static_cast<int64_t>(kernels::kChunk);

constexpr size_t kBlockQueries = 96;
constexpr size_t kBlockRows = 32;
// More partial results than this are not stored; such forwards have rows enough to walk.
constexpr size_t kPartialFloats = size_t{1} << 24;
constexpr const char* kWhat = "partial results of attention";

/// Where the results of a unit's queries go: m, l and o [head_dim_padded] of each, by index in the block (row by row,
/// its query heads side by side).
struct Partial {
  float* m;
  float* l;
  float* o;
};

/// One unit's view of the forward.
struct Unit {
  const AttentionInput& in;
  const RowBlock& block;
  size_t head;  ///< KV head
  WorkerScratch& scratch;
  const kv::PageLayout& layout;

  Unit(const AttentionInput& input, const RowBlock& rows, size_t kv_head, WorkerScratch& own)
      : in(input), block(rows), head(kv_head), scratch(own), layout(sequence().pool().layout()) {}

  const kv::Sequence& sequence() const { return *in.sequences[in.rows[block.first_row].sequence]; }
  size_t offset(size_t row, size_t g) const {
    return ((block.first_row + row) * in.n_heads + head * in.group + g) * layout.head_dim;
  }
};

// The partial results of all rows that see one chunk.
void attend_chunk(const Unit& u, int64_t chunk, const Partial& to) {
  const size_t padded = u.layout.head_dim_padded;
  size_t n = 0;
  for (size_t row = u.block.first_row_of(chunk); row < u.block.n_rows; ++row) {
    for (size_t g = 0; g < u.in.group; ++g) {
      const size_t i = row * u.in.group + g;
      u.scratch.queries[n++] = {u.in.q + u.offset(row, g), u.block.n_keys(row, chunk), to.m + i, to.l + i,
                                to.o + i * padded};
    }
  }
  kernels::KvTile tiles[kernels::kChunk / kernels::kTile];
  const uint32_t most = u.block.n_keys(u.block.n_rows - 1, chunk);
  const size_t n_tiles = kv::chunk_tiles(tiles, u.scratch.gather.data(), u.sequence(), u.in.layer, u.head, chunk, most);
  const kernels::AttentionChunk job{tiles, n_tiles, u.layout.head_dim, u.layout.f32, u.scratch.kernel.data()};
  u.in.kernels.attend(job, u.scratch.queries.data(), n);
}

void merge_chunk(const Unit& u, int64_t chunk, const Partial& state, const Partial& next) {
  const size_t padded = u.layout.head_dim_padded;
  for (size_t i = u.block.first_row_of(chunk) * u.in.group; i < u.block.n_rows * u.in.group; ++i) {
    u.in.kernels.attend_merge(state.m + i, state.l + i, state.o + i * padded, next.m[i], next.l[i], next.o + i * padded,
                              padded);
  }
}

void finish(const Unit& u, const Partial& state) {
  for (size_t row = 0; row < u.block.n_rows; ++row) {
    for (size_t g = 0; g < u.in.group; ++g) {
      const size_t i = row * u.in.group + g;
      u.in.kernels.attend_finish(u.in.out + u.offset(row, g), state.o + i * u.layout.head_dim_padded, state.l[i],
                                 u.layout.head_dim);
    }
  }
}

// Walks the chunks in ascending order and merges each as it comes: no results but one block's are stored.
void walk(const Unit& u) {
  const Partial state{u.scratch.m.data(), u.scratch.l.data(), u.scratch.o.data()};
  const Partial next{u.scratch.m2.data(), u.scratch.l2.data(), u.scratch.o2.data()};
  attend_chunk(u, 0, state);
  for (int64_t chunk = 1; chunk < u.block.n_chunks(); ++chunk) {
    attend_chunk(u, chunk, next);
    merge_chunk(u, chunk, state, next);
  }
  finish(u, state);
}

Partial partial_of(AttentionPlan& plan, size_t item, size_t head, size_t n_heads_kv, size_t padded) {
  const size_t at = (item * n_heads_kv + head) * plan.stride;
  return {plan.partial_m.data() + at, plan.partial_l.data() + at, plan.partial_o.data() + at * padded};
}

void attend_walking(const AttentionInput& in, AttentionPlan& plan, size_t n_heads_kv) {
  const size_t n = plan.blocks.size() * n_heads_kv;
  // Later blocks see more keys: the longest units first, so that no thread is left with one at the end.
  in.workers.run(static_cast<uint32_t>(n), [&](uint32_t unit, unsigned worker) {
    const size_t i = n - 1 - unit;
    walk(Unit(in, plan.blocks[i / n_heads_kv], i % n_heads_kv, in.scratch[worker]));
  });
}

// Few rows, many keys: chunks in parallel, then each block's partial results merged in ascending order.
void attend_split(const AttentionInput& in, AttentionPlan& plan, const kv::PageLayout& layout) {
  const size_t heads = layout.n_heads_kv, padded = layout.head_dim_padded;
  in.workers.run(static_cast<uint32_t>(plan.items.size() * heads), [&](uint32_t unit, unsigned worker) {
    const size_t item = unit / heads, head = unit % heads;
    const Unit u(in, plan.blocks[plan.items[item].block], head, in.scratch[worker]);
    attend_chunk(u, plan.items[item].chunk, partial_of(plan, item, head, heads, padded));
  });
  in.workers.run(static_cast<uint32_t>(plan.blocks.size() * heads), [&](uint32_t unit, unsigned worker) {
    const size_t block = unit / heads, head = unit % heads, first = plan.first_item[block];
    const Unit u(in, plan.blocks[block], head, in.scratch[worker]);
    const Partial state = partial_of(plan, first, head, heads, padded);
    for (int64_t chunk = 1; chunk < u.block.n_chunks(); ++chunk) {
      const size_t item = first + static_cast<size_t>(chunk);
      merge_chunk(u, chunk, state, partial_of(plan, item, head, heads, padded));
    }
    finish(u, state);
  });
}

std::vector<RowBlock> make_blocks(std::span<const Row> rows, size_t most) {
  std::vector<RowBlock> blocks;
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool follows = i > 0 && rows[i].sequence == rows[i - 1].sequence;
    if (follows && blocks.back().n_rows < most) {
      ++blocks.back().n_rows;
    } else {
      blocks.push_back({i, 1, rows[i].position});
    }
  }
  return blocks;
}

void grow(Buffer<float>& buffer, size_t n) {
  if (buffer.size() < n) buffer = Buffer<float>(std::max(n, 2 * buffer.size()), kWhat);
}

}  // namespace

int64_t RowBlock::n_chunks() const {
  return (position + static_cast<int64_t>(n_rows) - 1) / kChunk + 1;
}

size_t RowBlock::first_row_of(int64_t chunk) const {
  return static_cast<size_t>(std::max<int64_t>(0, chunk * kChunk - position));
}

uint32_t RowBlock::n_keys(size_t row, int64_t chunk) const {
  return static_cast<uint32_t>(std::min(kChunk, position + static_cast<int64_t>(row) + 1 - chunk * kChunk));
}

size_t block_rows(size_t group) {
  return std::clamp<size_t>(kBlockQueries / group, 1, kBlockRows);
}

void AttentionPlan::make(std::span<const Row> rows, const kv::PageLayout& layout, size_t group, unsigned n_threads,
                         AttentionMode mode) {
  blocks = make_blocks(rows, block_rows(group));
  items.clear();
  first_item.clear();
  size_t n_items = 0;
  stride = 0;
  for (const RowBlock& block : blocks) {
    n_items += static_cast<size_t>(block.n_chunks());
    stride = std::max(stride, block.n_rows * group);
  }
  const size_t n = n_items * layout.n_heads_kv * stride;

  const bool busy = blocks.size() * layout.n_heads_kv >= size_t{2} * n_threads || n_threads == 1;
  const bool idle = !busy && n_items > blocks.size() && n * layout.head_dim_padded <= kPartialFloats;
  if (mode == AttentionMode::kWalk || (mode == AttentionMode::kAuto && !idle)) return;
  grow(partial_m, n);
  grow(partial_l, n);
  grow(partial_o, n * layout.head_dim_padded);
  for (size_t b = 0; b < blocks.size(); ++b) {
    first_item.push_back(items.size());
    for (int64_t chunk = 0; chunk < blocks[b].n_chunks(); ++chunk) items.push_back({static_cast<uint32_t>(b), chunk});
  }
}

size_t AttentionPlan::bytes() const {
  return partial_m.bytes() + partial_l.bytes() + partial_o.bytes();
}

void attend(const AttentionInput& in, AttentionPlan& plan) {
  const kv::PageLayout& layout = in.sequences[in.rows[0].sequence]->pool().layout();
  if (plan.items.empty()) {
    attend_walking(in, plan, layout.n_heads_kv);
  } else {
    attend_split(in, plan, layout);
  }
}

}  // namespace nxs::model
