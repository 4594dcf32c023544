// SPDX-License-Identifier: Apache-2.0 OR MIT
// A model's matrices in packed form and its norms in F32.
#pragma once

#include <vector>

#include "base/digest.h"
#include "base/worker_pool.h"
#include "gguf/gguf.h"
#include "model/config.h"
#include "tensor/pack.h"

namespace nxs::model {

struct Layer {
  Buffer<float> attn_norm, ffn_norm;    // [n_embd]
  tensor::PackedMatrix q, k, v, o;      // [heads * head_dim][n_embd], o [n_embd][heads * head_dim]
  tensor::PackedMatrix gate, up, down;  // [n_ff][n_embd], down [n_embd][n_ff]
};

struct Weights {
  tensor::PackedMatrix embedding;  // [n_vocab][n_embd]; also the head when `output` is empty (tied)
  tensor::PackedMatrix output;
  Buffer<float> output_norm;
  std::vector<float> rope_factors;  // [head_dim / 2] or empty
  std::vector<Layer> layers;

  const tensor::PackedMatrix& head() const { return output.bytes() ? output : embedding; }
  size_t bytes() const;
  /// Those that one forward reads: an untied embedding gives a row and no more.
  size_t step_bytes() const { return bytes() - (output.bytes() ? embedding.bytes() : 0); }

  /// Resident memory that `read` will take for this file; allocates nothing. Throws kMemory when it does not fit into
  /// size_t.
  static size_t bytes_needed(const gguf::File& file);

  /// Reads in slices of at most 1 MiB, hashes and packs in parallel. Throws kFormat (missing or misshapen tensor, by
  /// name), kUnsupported (a tensor that nothing consumed), kIo, kMemory. `digest` gets the digest over all tensors in
  /// name order: of each its name, its format's GGML number, its shape and the digests of its slices. A slice is as
  /// many groups of 16 rows as fit into 1 MiB, at least one.
  static Weights read(const gguf::File& file, const Source& source, const Config& config, WorkerPool& workers,
                      Digest* digest);
};

}  // namespace nxs::model
