// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model/attention.h"

#include <algorithm>

namespace nxs::model {
namespace {

constexpr auto kChunk = static_cast<int64_t>(kernels::kChunk);
constexpr size_t kChunkTiles = kernels::kChunk / kernels::kTile;

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

  const Row& row(size_t i) const { return in.rows[block.first_row + i]; }
  const kv::Sequence& sequence(size_t i = 0) const { return *in.sequences[row(i).sequence]; }
  uint32_t n_keys(size_t i, int64_t chunk) const {
    return static_cast<uint32_t>(std::min(kChunk, row(i).position + 1 - chunk * kChunk));
  }
  size_t offset(size_t row, size_t g) const {
    return ((block.first_row + row) * in.n_heads + head * in.group + g) * layout.head_dim;
  }
};

// Keys that this thread will probably read after those of a chunk.
struct Ahead {
  kernels::KvTile tiles[4];
  size_t n = 0;

  void name(const Unit& u, int64_t chunk) {
    if (u.layout.lanes != kernels::kTile || chunk >= u.block.n_chunks()) return;
    const size_t keys = std::min(u.block.common_keys(chunk), 4 * kernels::kTile);
    n = kv::chunk_tiles(tiles, nullptr, u.sequence(), u.in.layer, u.head, chunk, keys);
  }
};

// Where a row's sequence has the chunk's keys and values behind the first n_common tiles; `own`: the previous row's.
const kernels::KvTile* own_tiles(const Unit& u, int64_t chunk, size_t row, size_t n_common,
                                 const kernels::KvTile* own) {
  if (row > 0 && u.row(row).sequence == u.row(row - 1).sequence) return own;
  kernels::KvTile* tiles = u.scratch.own.data() + row * kChunkTiles;
  const auto n_keys = static_cast<size_t>(std::min(kChunk, u.sequence(row).length() - chunk * kChunk));
  kv::chunk_tiles(tiles, nullptr, u.sequence(row), u.in.layer, u.head, chunk, n_keys);
  return tiles + n_common;
}

// The partial results of all rows that see one chunk.
void attend_chunk(const Unit& u, int64_t chunk, const Partial& to, const Ahead& ahead) {
  const size_t padded = u.layout.head_dim_padded, common = u.block.common_keys(chunk);
  kernels::KvTile tiles[kChunkTiles];
  const size_t n_tiles =
      kv::chunk_tiles(tiles, u.scratch.gather.data(), u.sequence(), u.in.layer, u.head, chunk, common);
  const kernels::KvTile* own = nullptr;
  size_t n = 0;
  for (size_t row = u.block.first_row_of(chunk); row < u.block.n_rows; ++row) {
    const uint32_t n_keys = u.n_keys(row, chunk);
    if (n_keys > common) own = own_tiles(u, chunk, row, n_tiles, own);
    for (size_t g = 0; g < u.in.group; ++g) {
      const size_t i = row * u.in.group + g;
      u.scratch.queries[n++] = {u.in.q + u.offset(row, g), n_keys, to.m + i, to.l + i, to.o + i * padded, own};
    }
  }
  const kernels::AttentionChunk job{tiles,       n_tiles, u.layout.head_dim, u.layout.f32, u.scratch.kernel.data(),
                                    ahead.tiles, ahead.n};
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

Partial partial_of(AttentionPlan& plan, size_t item, size_t head, const kv::PageLayout& layout, size_t query) {
  const size_t at = (item * layout.n_heads_kv + head) * plan.stride + query;
  return {plan.partial_m.data() + at, plan.partial_l.data() + at, plan.partial_o.data() + at * layout.head_dim_padded};
}

// Stored results of one of the block's chunks; false when there are none yet.
bool find_stored(const Unit& u, AttentionPlan& plan, int64_t chunk, Partial* found) {
  if (chunk < u.block.n_shared) {
    const size_t item = plan.first_item[u.block.shared] + static_cast<size_t>(chunk);
    *found = partial_of(plan, item, u.head, u.layout, u.block.shared_row * u.in.group);
    return true;
  }
  if (!plan.split()) return false;
  const auto block = static_cast<size_t>(&u.block - plan.blocks.data());
  const size_t item = plan.first_item[plan.shared.size() + block] + static_cast<size_t>(chunk - u.block.n_shared);
  *found = partial_of(plan, item, u.head, u.layout, 0);
  return true;
}

// Merges a block's chunks in ascending order; what is not stored is computed as it comes, so that no results but one
// chunk's lie about. `next`: what the thread will probably do afterwards.
void walk(const Unit& u, AttentionPlan& plan, const Unit* next) {
  const Partial own{u.scratch.m.data(), u.scratch.l.data(), u.scratch.o.data()};
  const Partial own2{u.scratch.m2.data(), u.scratch.l2.data(), u.scratch.o2.data()};
  Partial state = own;
  for (int64_t chunk = 0; chunk < u.block.n_chunks(); ++chunk) {
    Partial part = chunk == 0 ? own : own2;
    if (!find_stored(u, plan, chunk, &part)) {
      Ahead ahead;
      if (chunk + 1 < u.block.n_chunks()) {
        ahead.name(u, chunk + 1);
      } else if (next != nullptr) {
        ahead.name(*next, next->block.n_shared);
      }
      attend_chunk(u, chunk, part, ahead);
    }
    if (chunk == 0) {
      state = part;
    } else {
      merge_chunk(u, chunk, state, part);
    }
  }
  finish(u, state);
}

// The chunks whose results are stored, in parallel.
void attend_items(const AttentionInput& in, AttentionPlan& plan, const kv::PageLayout& layout) {
  const size_t heads = layout.n_heads_kv, n = plan.items.size() * heads;
  in.workers.run(static_cast<uint32_t>(n), [&](uint32_t unit, unsigned worker) {
    const auto unit_at = [&](size_t i) { return Unit(in, *plan.items[i / heads].rows, i % heads, in.scratch[worker]); };
    Ahead ahead;
    if (unit + 1 < n) ahead.name(unit_at(unit + 1), plan.items[(unit + 1) / heads].chunk);
    const Unit u = unit_at(unit);
    attend_chunk(u, plan.items[unit / heads].chunk, partial_of(plan, unit / heads, u.head, layout, 0), ahead);
  });
}

}  // namespace

void attend(const AttentionInput& in, AttentionPlan& plan) {
  const kv::PageLayout& layout = in.sequences[in.rows[0].sequence]->pool().layout();
  const size_t heads = layout.n_heads_kv, n = plan.blocks.size() * heads;
  if (!plan.items.empty()) attend_items(in, plan, layout);
  // Later blocks see more keys: the longest units first, so that no thread is left with one at the end.
  in.workers.run(static_cast<uint32_t>(n), [&](uint32_t unit, unsigned worker) {
    const auto unit_at = [&](size_t i) { return Unit(in, plan.blocks[i / heads], i % heads, in.scratch[worker]); };
    const Unit u = unit_at(n - 1 - unit);
    if (unit + 1 == n) return walk(u, plan, nullptr);
    const Unit next = unit_at(n - 2 - unit);
    walk(u, plan, &next);
  });
}

}  // namespace nxs::model
