// SPDX-License-Identifier: Apache-2.0 OR MIT
// One forward, from token ids to logits: the short verbs behind Engine::forward.
#pragma once

#include <span>

#include "model/attention.h"
#include "model/engine.h"
#include "model/scratch.h"

namespace nxs::model {

/// Everything that one forward works with. Pages are already appended, scratch is large enough, and nothing below can
/// fail.
struct Forward {
  const Model& model;
  const kernels::Kernels& kernels;
  WorkerPool& workers;
  const Widths& widths;
  RowScratch& scratch;
  std::span<WorkerScratch> worker_scratch;
  AttentionPlan& plan;
  Results& results;
  std::span<kv::Sequence* const> sequences;
  std::span<const Row> rows;
  size_t n_wanted;
  size_t segment_groups;  ///< of 16 logits: unit of the head and of its argmax
  size_t n_segments;
};

void run(Forward& f);

/// A product's place in a region of several: y = w * x, or y + w * x.
struct Product {
  float* y;
  size_t ldy;
  const tensor::PackedMatrix* w;
  bool add;
};

/// Groups of 16 outputs that one unit computes, so that each thread gets several units.
size_t unit_groups(size_t n_groups, unsigned n_threads);

}  // namespace nxs::model
