// SPDX-License-Identifier: Apache-2.0 OR MIT
// Attention over the pages: which units there are, and the two ways of running them. Both give the same bits, because
// partial results of chunks are always merged in ascending order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/worker_pool.h"
#include "kernels/kernels.h"
#include "kv/sequence.h"
#include "model/engine.h"
#include "model/scratch.h"

namespace nxs::model {

/// Rows that read the same keys and values together: consecutive rows of one forward, of one sequence, at consecutive
/// positions. Or, in AttentionPlan::shared, consecutive rows of several sequences that begin with the same pages.
struct RowBlock {
  size_t first_row, n_rows;
  int64_t position;  ///< of the first row; of shared rows the lowest
  int64_t common;  ///< keys that lie in the same place for all rows: of a block all it sees, of shared rows whole tiles
  // The first n_shared chunks are read together with other blocks: as rows shared_row... of shared[shared]. The last of
  // them may be common in its first tiles only.
  int64_t n_shared = 0;
  size_t shared = 0, shared_row = 0;

  int64_t n_chunks() const;                  ///< that its last row sees
  size_t first_row_of(int64_t chunk) const;  ///< the first row, counted from the block's, that sees the chunk
  size_t common_keys(int64_t chunk) const;   ///< of the chunk
};

/// Made once per forward, used by each layer.
struct AttentionPlan {
  /// A chunk of a set of rows whose partial results are stored before any are merged.
  struct Item {
    const RowBlock* rows;
    int64_t chunk;
  };
  std::vector<RowBlock> blocks;    ///< together all rows of the forward
  std::vector<RowBlock> shared;    ///< rows of several blocks, with their n_shared
  std::vector<Item> items;         ///< the shared chunks; when split, then all others of each block
  std::vector<size_t> first_item;  ///< of each of `shared`; when split, then of each block
  size_t stride = 0;               ///< queries per item and KV head in the partial results
  Buffer<float> partial_m, partial_l, partial_o;

  bool split() const { return first_item.size() > shared.size(); }
  /// Throws kMemory, and then the partial results are as large as before. The sequences have not grown yet.
  void make(std::span<kv::Sequence* const> sequences, std::span<const Row> rows, size_t group, unsigned n_threads,
            AttentionMode mode);
  size_t bytes() const;
};

/// Rows of a block, so that all query heads of a KV head make a good tile; group = query heads per KV head.
size_t block_rows(size_t group);

struct AttentionInput {
  const kernels::Kernels& kernels;
  WorkerPool& workers;
  std::span<WorkerScratch> scratch;  ///< one per thread
  std::span<kv::Sequence* const> sequences;
  std::span<const Row> rows;
  size_t n_heads, group, layer;
  const float* q;  ///< [rows][n_heads * head_dim], rotated and scaled
  float* out;      ///< the same shape
};

void attend(const AttentionInput& in, AttentionPlan& plan);

}  // namespace nxs::model
