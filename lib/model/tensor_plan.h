// SPDX-License-Identifier: Apache-2.0 OR MIT
// Which tensors of a file go where, checked before anything is allocated; and the slices in which they are read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/weights.h"

namespace nxs::model {

/// A tensor and its place: exactly one of the three targets is set.
struct Placement {
  const gguf::TensorInfo* tensor;
  tensor::PackedMatrix* matrix;
  Buffer<float>* vector;
  std::vector<float>* factors;
};

/// Every tensor of the file with its place in `weights`, in name order; weights.layers must have config.n_layers
/// entries. Throws kFormat for missing and misshapen ones, kUnsupported for those that nothing consumes.
std::vector<Placement> plan_tensors(const gguf::File& file, const Config& config, Weights& weights);

/// What a worker reads at once: whole groups of 16 rows (a vector is one row).
struct Slice {
  size_t placement;  ///< index into the plan
  size_t first_row, n_rows;
};

/// Slices of all tensors; those of one tensor stand together, ascending.
std::vector<Slice> plan_slices(const std::vector<Placement>& plan);
/// Bytes of one row in the file.
size_t row_bytes(const gguf::TensorInfo& tensor);

}  // namespace nxs::model
