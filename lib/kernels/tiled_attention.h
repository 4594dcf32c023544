// SPDX-License-Identifier: Apache-2.0 OR MIT
// attend for instruction sets with registers: the loops, written over a type `L` that holds 16 lanes. Included by one
// attention.cpp per ISA folder, which gives L; everything here is in an unnamed namespace, so that no ISA's code can be
// linked in place of another's.
//
// L has: Reg (16 floats); kQueries, kTiles, kChannels (the register block: kQueries * kTiles and kQueries * kChannels
// accumulators) and kLeastQueries (no group is smaller); zero, load (of float or of F16 as uint16_t, widened), store,
// spread (of one float), fma, add, sub, max, exp (arguments <= 88), first_or_lowest (lanes n and later become -inf),
// tree_sum and max_lane.
//
// Lanes are keys in the scores and channels in the weighted sum, so every chain is the definition's, whatever the
// blocking.
#pragma once

#include "kernels/kernels.h"

namespace nxs::kernels {
namespace {

/// Queries that share the loads of K and V, with pointers side by side and the largest n_keys among them.
template <class L>
struct QueryGroup {
  const float* q[L::kQueries];
  float* o[L::kQueries];
  float* s;  ///< [n][kChunk] scores, then e
  size_t n;
  size_t n_keys;
};

/// Up to kTiles consecutive tiles of K or of V, and for each a later tile to fetch while it is worked on, as far from
/// ahead[t] as the work is from tile[t]: few queries are as fast as memory is read, and without this half as fast.
template <class L, typename T>
struct TileBlock {
  const T* tile[L::kTiles];
  const char* ahead[L::kTiles];
  size_t ahead_size;  ///< bytes of an element there; 0: nothing to fetch

  [[gnu::always_inline]] void fetch(size_t t, size_t element) const {
    __builtin_prefetch(ahead[t] + element * ahead_size);
  }
};

/// s[i][16 * t + lane] = q[i] . key, for NQ queries and NT tiles.
template <class L, size_t NQ, size_t NT, typename T>
void score_block(float* s, const QueryGroup<L>& group, const TileBlock<L, T>& k, size_t head_dim) {
  typename L::Reg sum[NQ][NT];
#pragma GCC unroll 16
  for (size_t i = 0; i < NQ; ++i) {
#pragma GCC unroll 16
    for (size_t t = 0; t < NT; ++t) sum[i][t] = L::zero();
  }
  constexpr size_t kLineRows = 4 / sizeof(T);  // of the tile fetched: two F16 rows are a cache line
  for (size_t line = 0; line < head_dim; line += kLineRows) {
#pragma GCC unroll 2
    for (size_t d = line; d < line + kLineRows; ++d) {
      typename L::Reg key[NT];
#pragma GCC unroll 16
      for (size_t t = 0; t < NT; ++t) {
        key[t] = L::load(k.tile[t] + d * kTile);
        if (d == line) k.fetch(t, d * kTile);
      }
#pragma GCC unroll 16
      for (size_t i = 0; i < NQ; ++i) {
        const typename L::Reg x = L::spread(group.q[i][d]);
#pragma GCC unroll 16
        for (size_t t = 0; t < NT; ++t) sum[i][t] = L::fma(key[t], x, sum[i][t]);
      }
    }
  }
  // The definition's 0 + a: head_dim <= 256 makes one partial sum, and -0 becomes +0.
#pragma GCC unroll 16
  for (size_t i = 0; i < NQ; ++i) {
#pragma GCC unroll 16
    for (size_t t = 0; t < NT; ++t) L::store(s + i * kChunk + t * kTile, L::add(L::zero(), sum[i][t]));
  }
}

/// Calls score_block for the group's number of queries (at most NQ) and n_tiles (at most NT).
template <class L, size_t NQ, size_t NT, typename T>
void score(float* s, const QueryGroup<L>& group, const TileBlock<L, T>& k, size_t n_tiles, size_t head_dim) {
  if constexpr (NQ > L::kLeastQueries) {
    if (group.n < NQ) return score<L, NQ - 1, NT, T>(s, group, k, n_tiles, head_dim);
  }
  if constexpr (NT > 1) {
    if (n_tiles < NT) return score<L, NQ, NT - 1, T>(s, group, k, n_tiles, head_dim);
  }
  score_block<L, NQ, NT, T>(s, group, k, head_dim);
}

/// o[i][c..] = fma(e[i][j], v[j][c..], o[i][c..]) for NQ queries, NC * 16 channels and keys j = 0..n_keys-1 of a block.
template <class L, size_t NQ, size_t NC, typename T>
void weigh_block(const float* e, const QueryGroup<L>& group, const TileBlock<L, T>& v, size_t n_keys, size_t width,
                 size_t c) {
  typename L::Reg sum[NQ][NC];
#pragma GCC unroll 16
  for (size_t i = 0; i < NQ; ++i) {
#pragma GCC unroll 16
    for (size_t t = 0; t < NC; ++t) sum[i][t] = L::load(group.o[i] + c + t * kTile);
  }
  for (size_t first = 0; first < n_keys; first += kTile) {
    const size_t n = n_keys - first < kTile ? n_keys - first : kTile;
    const T* row = v.tile[first / kTile] + c;
    for (size_t j = 0; j < n; ++j, row += width) {
      typename L::Reg value[NC];
#pragma GCC unroll 16
      for (size_t t = 0; t < NC; ++t) {
        value[t] = L::load(row + t * kTile);
        if (sizeof(T) == 4 || t % 2 == 0) v.fetch(first / kTile, j * width + c + t * kTile);
      }
#pragma GCC unroll 16
      for (size_t i = 0; i < NQ; ++i) {
        const typename L::Reg x = L::spread(e[i * kChunk + first + j]);
#pragma GCC unroll 16
        for (size_t t = 0; t < NC; ++t) sum[i][t] = L::fma(x, value[t], sum[i][t]);
      }
    }
  }
#pragma GCC unroll 16
  for (size_t i = 0; i < NQ; ++i) {
#pragma GCC unroll 16
    for (size_t t = 0; t < NC; ++t) L::store(group.o[i] + c + t * kTile, sum[i][t]);
  }
}

/// All channels of the block, kChannels registers at a time.
template <class L, size_t NQ, size_t NC, typename T>
void weigh(const float* e, const QueryGroup<L>& group, const TileBlock<L, T>& v, size_t n_keys, size_t width,
           size_t c) {
  if constexpr (NQ > L::kLeastQueries) {
    if (group.n < NQ) return weigh<L, NQ - 1, NC, T>(e, group, v, n_keys, width, c);
  }
  for (; c + NC * kTile <= width; c += NC * kTile) weigh_block<L, NQ, NC, T>(e, group, v, n_keys, width, c);
  if constexpr (NC > 1) {
    if (c < width) weigh<L, NQ, NC - 1, T>(e, group, v, n_keys, width, c);
  }
}

/// Turns a query's scores into e, and gives its m and l. Keys from n_keys up to padded_keys get e = +0: others of its
/// group see them.
template <class L>
void soften(float* s, const AttentionQuery& query, size_t padded_keys) {
  const size_t n_keys = query.n_keys;
  const size_t last = (n_keys - 1) / kTile * kTile;
  const typename L::Reg tail = L::first_or_lowest(L::load(s + last), n_keys - last);
  L::store(s + last, tail);
  typename L::Reg largest = tail;
  for (size_t j = 0; j < last; j += kTile) largest = L::max(largest, L::load(s + j));
  const float m = L::max_lane(largest);
  const typename L::Reg all_m = L::spread(m);
  typename L::Reg sum = L::zero();
  for (size_t j = 0; j <= last; j += kTile) {
    const typename L::Reg e = L::exp(L::sub(L::load(s + j), all_m));
    L::store(s + j, e);
    sum = L::add(sum, e);
  }
  for (size_t j = last + kTile; j < padded_keys; j += kTile) L::store(s + j, L::zero());
  *query.m = m;
  *query.l = L::tree_sum(sum);
}

/// What of a chunk some queries see together: all of them the shared tiles, or those of one set its own tiles.
struct Part {
  const AttentionChunk* chunk;
  const AttentionQuery* queries;
  size_t n_queries;
  float* s;             ///< [n_queries][kChunk]: their scores, then e
  const KvTile* tiles;  ///< the first one holds key `begin` of the chunk
  size_t begin, end;    ///< keys
  float* wide;          ///< room for kTiles widened tiles
  // What is read afterwards.
  const KvTile* next = nullptr;
  size_t n_next = 0;
  bool next_values = false;

  size_t n_tiles() const { return end > begin ? (end - begin + kTile - 1) / kTile : 0; }
};

size_t most_keys(const AttentionQuery* queries, size_t n) {
  size_t most = 0;
  for (size_t i = 0; i < n; ++i) most = queries[i].n_keys > most ? queries[i].n_keys : most;
  return most;
}

/// The queries from `first` on that have the same tiles of their own.
Part set_from(const Part& shared, const AttentionQuery* queries, size_t first, size_t n) {
  size_t last = first + 1;
  while (last < n && queries[last].own == queries[first].own) ++last;
  const size_t begin = shared.chunk->n_tiles * kTile, end = most_keys(queries + first, last - first);
  float* s = shared.chunk->scratch + first * kChunk;
  return {shared.chunk, queries + first, last - first, s, queries[first].own, begin, end, shared.wide};
}

/// Calls step with each part: the shared tiles first, so that keys come in ascending order for every query.
template <class Step>
void each_part(const AttentionChunk& chunk, const AttentionQuery* queries, size_t n, bool values, Step step) {
  const size_t shared = chunk.n_tiles * kTile, most = most_keys(queries, n);
  const size_t end = most < shared ? most : shared;
  const Part all = {&chunk, queries, n, chunk.scratch, chunk.tiles, 0, end, chunk.scratch + n * kChunk};
  Part part = all;
  for (size_t first = most > shared ? 0 : n;;) {
    if (first == n) {
      // Keys are followed by the chunk's values, values by the next chunk's keys.
      part.next = values ? chunk.next : chunk.tiles;
      part.n_next = values ? chunk.n_next : all.n_tiles();
      part.next_values = !values;
      return step(part);
    }
    const Part set = set_from(all, queries, first, n);
    part.next = set.tiles;
    part.n_next = set.n_tiles();
    part.next_values = values;
    step(part);
    part = set;
    first += set.n_queries;
  }
}

/// n tiles of K or V as they are.
template <class L, typename T>
TileBlock<L, T> tiles_in_place(const KvTile* tiles, size_t n, bool values) {
  TileBlock<L, T> block = {};
  for (size_t t = 0; t < n; ++t) {
    block.tile[t] = static_cast<const T*>(values ? tiles[t].v : tiles[t].k);
    block.ahead[t] = reinterpret_cast<const char*>(block.tile[t]);
  }
  return block;
}

/// The same tiles widened to float in `wide`, one after another; `floats` in each.
template <class L>
TileBlock<L, float> tiles_widened(const KvTile* tiles, size_t n, bool values, float* wide, size_t floats) {
  const TileBlock<L, uint16_t> from = tiles_in_place<L, uint16_t>(tiles, n, values);
  TileBlock<L, float> block = {};
  for (size_t t = 0; t < n; ++t) {
    block.tile[t] = wide + t * floats;
    block.ahead[t] = from.ahead[t];
    for (size_t i = 0; i < floats; i += kTile) L::store(wide + t * floats + i, L::load(from.tile[t] + i));
  }
  return block;
}

/// One part: its queries in groups of nearly equal size, K and V in blocks of kTiles tiles that all groups share.
template <class L>
struct Attend {
  const Part& part;
  size_t n_groups = (part.n_queries + L::kQueries - 1) / L::kQueries;
  size_t head_dim = part.chunk->head_dim;
  size_t width = (head_dim + kTile - 1) / kTile * kTile;

  static constexpr size_t kBlockKeys = L::kTiles * kTile;
  static constexpr size_t kAheadTiles = 4;

  QueryGroup<L> group(size_t g) const {
    const size_t first = g * part.n_queries / n_groups;
    const AttentionQuery* queries = part.queries + first;
    QueryGroup<L> group = {};
    group.n = (g + 1) * part.n_queries / n_groups - first;
    group.s = part.s + first * kChunk;
    for (size_t i = 0; i < group.n; ++i) {
      group.q[i] = queries[i].q;
      group.o[i] = queries[i].o;
    }
    const size_t most = most_keys(queries, group.n);
    group.n_keys = most < part.end ? most : part.end;
    return group;
  }

  static size_t tiles_left(size_t n_keys, size_t done) {
    if (n_keys <= done) return 0;
    const size_t n = (n_keys - done + kTile - 1) / kTile;
    return n < L::kTiles ? n : L::kTiles;
  }

  template <typename T>
  void scores_of(TileBlock<L, T> k, size_t done) const {
    for (size_t g = 0; g < n_groups; ++g) {
      const QueryGroup<L> each = group(g);
      const size_t n_tiles = tiles_left(each.n_keys, done);
      if (n_tiles == 0) continue;
      score<L, L::kQueries, L::kTiles, T>(each.s + done, each, k, n_tiles, head_dim);
      k.ahead_size = 0;
    }
  }

  template <typename T>
  void sums_of(TileBlock<L, T> v, size_t done) const {
    for (size_t g = 0; g < n_groups; ++g) {
      const QueryGroup<L> each = group(g);
      if (each.n_keys <= done) continue;
      const size_t n = each.n_keys - done < kBlockKeys ? each.n_keys - done : kBlockKeys;
      weigh<L, L::kQueries, L::kChannels, T>(each.s + done, each, v, n, width, 0);
      v.ahead_size = 0;
    }
  }

  /// Names the tiles to fetch: up to kAheadTiles further in this part, then what is read afterwards.
  template <typename T>
  void look_ahead(TileBlock<L, T>& block, size_t tile_at, bool values) const {
    const size_t n_tiles = part.n_tiles();
    const size_t distance = n_tiles < kAheadTiles ? n_tiles : kAheadTiles;
    for (size_t t = 0; t < L::kTiles; ++t) {
      const size_t at = tile_at + t + distance;
      const bool within = at < n_tiles;
      if (!within && at - n_tiles >= part.n_next) continue;
      const KvTile& tile = within ? part.tiles[at] : part.next[at - n_tiles];
      block.ahead[t] = static_cast<const char*>((within ? values : part.next_values) ? tile.v : tile.k);
    }
    block.ahead_size = part.chunk->f32 ? sizeof(float) : sizeof(uint16_t);
  }

  void block(size_t done, bool values) const {
    const size_t tile_at = (done - part.begin) / kTile;
    const KvTile* from = part.tiles + tile_at;
    const size_t n_tiles = tiles_left(part.end, done);
    if (!part.chunk->f32 && n_groups <= 2) {
      // Few queries: converting K and V as they are read is cheaper than a widened copy.
      TileBlock<L, uint16_t> tiles = tiles_in_place<L, uint16_t>(from, n_tiles, values);
      look_ahead(tiles, tile_at, values);
      values ? sums_of(tiles, done) : scores_of(tiles, done);
      return;
    }
    const size_t floats = (values ? width : head_dim) * kTile;
    TileBlock<L, float> tiles = part.chunk->f32 ? tiles_in_place<L, float>(from, n_tiles, values)
                                                : tiles_widened<L>(from, n_tiles, values, part.wide, floats);
    look_ahead(tiles, tile_at, values);
    values ? sums_of(tiles, done) : scores_of(tiles, done);
  }

  void run(bool values) const {
    for (size_t done = part.begin; done < part.end; done += kBlockKeys) block(done, values);
  }
};

/// The whole of attend. Shapes::take(part, values) runs an Attend whose register block suits the part.
template <class L, class Shapes>
void attend_parts(const AttentionChunk& chunk, const AttentionQuery* queries, size_t n) {
  const size_t padded_keys = (most_keys(queries, n) + kTile - 1) / kTile * kTile;
  const size_t width = (chunk.head_dim + kTile - 1) / kTile * kTile;
  each_part(chunk, queries, n, false, [](const Part& part) { Shapes::take(part, false); });
  for (size_t i = 0; i < n; ++i) {
    soften<L>(chunk.scratch + i * kChunk, queries[i], padded_keys);
    __builtin_memset(queries[i].o, 0, width * sizeof(float));
  }
  each_part(chunk, queries, n, true, [](const Part& part) { Shapes::take(part, true); });
}

}  // namespace
}  // namespace nxs::kernels
