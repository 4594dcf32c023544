// SPDX-License-Identifier: Apache-2.0 OR MIT
// Forwards over one model: threads, pages, scratch memory and the kernel table of a session.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/digest.h"
#include "base/worker_pool.h"
#include "kernels/dispatch.h"
#include "kv/sequence.h"
#include "model/model.h"

namespace nxs::model {

/// One token in a forward. Rows of one sequence stand in ascending position, from the sequence's length on; sequences
/// may interleave.
struct Row {
  int32_t token;
  uint32_t sequence;  ///< index into the forward's sequences
  int64_t position;
  bool want;  ///< its logits are used
};

/// How attention is spread over threads; the bits are the same. Only tests ask for other than kAuto.
enum class AttentionMode { kAuto, kWalk, kSplit };

struct EngineOptions {
  unsigned n_threads;  ///< >= 1, the calling thread counts
  kernels::Isa isa;
  bool kv_f32;
  uint32_t page_tokens;
  int64_t kv_tokens;  ///< 0 = grow
  AttentionMode attention = AttentionMode::kAuto;
};

class Engine {
 public:
  /// Throws kUnsupported when the ISA is absent, kMemory.
  Engine(std::shared_ptr<const Model> model, const EngineOptions& options);
  ~Engine();

  const Model& model() const;
  const kernels::Kernels& kernels() const;
  kv::PagePool& pages();
  WorkerPool& workers();
  size_t scratch_bytes() const;

  /// Scratch for forwards of `rows` rows of which `wanted` want logits. Throws kMemory, and then nothing has changed.
  void reserve(size_t rows, size_t wanted);

  /// One forward over rows of any sequences: appends each row to its sequence's cache. Throws kKvFull or kMemory before
  /// anything has changed (no sequence has grown). A row that meets a non-finite value becomes bad: it stores zeros,
  /// and throws nothing here.
  void forward(std::span<kv::Sequence* const> sequences, std::span<const Row> rows);

  // Results of the last forward, until the next one.
  /// Layer at which row `row` became bad, n_layers for its logits, -1 for a good row.
  int32_t bad_layer(size_t row) const;
  /// Logits of the i-th wanted row, [n_vocab].
  std::span<const float> logits(size_t i) const;
  /// argmax of the i-th wanted row (0 when it is bad).
  int32_t argmax(size_t i) const;
  /// Row digests for receipts: XXH3-128 over the XXH3-128 digests of the row's 4,096-float segments (little-endian
  /// bytes). wanted[j] -> out[j].
  void digest_rows(std::span<const size_t> wanted, Digest* out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The recipe of Engine::digest_rows for one row on one thread.
Digest digest_row(std::span<const float> logits);

}  // namespace nxs::model
