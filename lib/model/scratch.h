// SPDX-License-Identifier: Apache-2.0 OR MIT
// The memory that forwards work in. It grows in `reserve` only, so that a forward allocates nothing once it is large
// enough.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.h"
#include "kernels/kernels.h"
#include "kv/page_pool.h"
#include "model/config.h"
#include "tensor/view.h"

namespace nxs::model {

/// Columns of the activations. Strides are multiples of 16, as matmuls want their outputs.
struct Widths {
  explicit Widths(const Config& config);
  size_t n_embd, q, kv, kv_stride, n_ff, vocab_stride;
  size_t widest;  ///< input of any matrix
};

/// Row r of a buffer of rows that lie `stride` elements apart.
template <typename T>
T* row_at(Buffer<T>& buffer, size_t stride, size_t r) {
  return &tensor::matrix_view(buffer, stride)(r, 0);
}

/// Per row of a forward.
struct RowScratch {
  RowScratch() = default;
  RowScratch(const Widths& widths, size_t head_dim, size_t rows);
  size_t bytes() const;

  // Attention and feed-forward take turns, so what only one of them needs shares memory with what the other does.
  Buffer<float>& q() { return gate; }        ///< [rows][q]
  Buffer<float>& mixed() { return normed; }  ///< [rows][q]: attention's output

  size_t rows = 0;          // capacity
  Buffer<float> x, normed;  // [rows][n_embd]: the residual stream; what a norm made of it
  Buffer<float> k, v;       // [rows][kv_stride]
  Buffer<float> gate, up;   // [rows][n_ff]
  Buffer<float> panels;     // [rows / 8][widest][8]: input of float matrices
  Buffer<int8_t> quants;    // [rows][widest]: input of quantised matrices
  Buffer<float> scales;     // [rows][widest / 32]
  Buffer<int32_t> sums;     // [rows][widest / 32]
  Buffer<int8_t> k_quants;  // [rows][widest]: input of K formats
  Buffer<float> k_scales;   // [rows][widest / 256]
  Buffer<int16_t> k_sums;   // [rows][widest / 16]
  Buffer<float> cos, sin;   // [rows][head_dim / 2]
};

/// What a forward leaves behind.
struct Results {
  Results() = default;
  Results(const Widths& widths, size_t rows, size_t wanted, size_t segments);
  size_t bytes() const;
  /// Takes over what `other`, no larger than this, holds.
  void copy_from(const Results& other);

  size_t rows = 0, wanted = 0;   // capacity
  Buffer<int32_t> bad_layer;     // [rows], -1 = good
  Buffer<uint32_t> wanted_rows;  // [wanted] row numbers, ascending
  Buffer<float> logits;          // [wanted][vocab_stride]
  Buffer<uint32_t> argmax;       // [wanted]
  // Per wanted row and segment of the vocabulary, merged into argmax in ascending order.
  Buffer<uint32_t> segment_index;
  Buffer<float> segment_value;
  Buffer<uint8_t> segment_finite;
};

/// Per thread, for attention over one chunk.
struct WorkerScratch {
  WorkerScratch(const kv::PageLayout& layout, size_t max_queries);
  size_t bytes() const;

  Buffer<float> kernel;                     // kernels::attention_scratch_floats
  Buffer<kernels::AttentionQuery> queries;  // [max_queries]
  Buffer<kernels::KvTile> own;  // [max_queries][kChunk / kTile]: of each row that does not share all of a chunk
  Buffer<float> m, l, o;        // state [max_queries], o [max_queries][head_dim_padded]
  Buffer<float> m2, l2, o2;     // the next chunk's
  Buffer<uint8_t> gather;       // tiles made of pages of fewer than 16 tokens
};

}  // namespace nxs::model
