// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model/weights.h"

#include <algorithm>
#include <exception>
#include <mutex>

#include "base/status.h"
#include "model/tensor_plan.h"

namespace nxs::model {
namespace {

using tensor::kGroupRows;

constexpr size_t kReadBytes = size_t{1} << 20;  // one read; a group of very long rows takes several

size_t slice_bytes(const Slice& slice, const std::vector<Placement>& plan) {
  return slice.n_rows * row_bytes(*plan[slice.placement].tensor);
}

void allocate_targets(const std::vector<Placement>& plan) {
  for (const Placement& p : plan) {
    const gguf::TensorInfo& t = *p.tensor;
    const auto cols = static_cast<size_t>(t.shape[0]);
    if (p.matrix) *p.matrix = tensor::PackedMatrix(t.type, static_cast<size_t>(t.rows()), cols, t.name.c_str());
    if (p.vector) *p.vector = Buffer<float>(cols, t.name.c_str());
    if (p.factors) p.factors->resize(cols);
  }
}

// One worker's step: read a slice, hash it, pack it.
void read_slice(const Slice& slice, const Placement& p, const Source& source, uint8_t* bytes, Digest* digest) {
  const gguf::TensorInfo& t = *p.tensor;
  const size_t row = row_bytes(t), n = slice.n_rows * row;
  const uint64_t offset = t.offset + uint64_t{slice.first_row} * row;
  for (size_t at = 0; at < n; at += kReadBytes) source.read(offset + at, bytes + at, std::min(kReadBytes, n - at));
  *digest = digest_of(bytes, n);
  if (p.matrix) {
    for (size_t r = 0; r < slice.n_rows; r += kGroupRows) {
      p.matrix->pack_group((slice.first_row + r) / kGroupRows, bytes + r * row, std::min(kGroupRows, slice.n_rows - r));
    }
  }
  if (p.vector) tensor::dequantize(p.vector->data(), t.type, bytes, p.vector->size());
  if (p.factors) tensor::dequantize(p.factors->data(), t.type, bytes, p.factors->size());
}

// Units must not throw: the error of the lowest unit is kept and thrown after the region.
class FirstError {
 public:
  void keep(size_t unit) noexcept {
    const std::lock_guard lock(mutex_);
    if (error_ && unit > unit_) return;
    unit_ = unit;
    error_ = std::current_exception();
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  size_t unit_ = 0;
  std::exception_ptr error_;
};

// Does not depend on who read which slice, nor on the order.
Digest digest_tensors(const std::vector<Placement>& plan, const std::vector<Slice>& slices,
                      const std::vector<Digest>& digests) {
  Hasher hasher;
  for (size_t i = 0; i < slices.size(); ++i) {
    if (slices[i].first_row == 0) {
      const gguf::TensorInfo& t = *plan[slices[i].placement].tensor;
      hasher.text(t.name.data(), t.name.size());
      hasher.u32(tensor::info(t.type).ggml_type);
      hasher.u32(static_cast<uint32_t>(t.shape.size()));
      for (const uint64_t n : t.shape) hasher.u64(n);
    }
    hasher.digest(digests[i]);
  }
  return hasher.finish();
}

// Ascending in the file, so that a cold disk is read once from front to back.
std::vector<size_t> file_order(const std::vector<Placement>& plan, const std::vector<Slice>& slices) {
  std::vector<size_t> order(slices.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const uint64_t offset_a = plan[slices[a].placement].tensor->offset;
    const uint64_t offset_b = plan[slices[b].placement].tensor->offset;
    return offset_a != offset_b ? offset_a < offset_b : slices[a].first_row < slices[b].first_row;
  });
  return order;
}

}  // namespace

Weights Weights::read(const gguf::File& file, const Source& source, const Config& config, WorkerPool& workers,
                      Digest* digest) {
  // Each layer has nine tensors, so a file without them cannot make this large.
  if (config.n_layers > file.tensors().size()) {
    fail(Status::kFormat, "'llama.block_count' is %zu, but the file has %zu tensors", config.n_layers,
         file.tensors().size());
  }
  Weights weights;
  weights.layers.resize(config.n_layers);
  const std::vector<Placement> plan = plan_tensors(file, config, weights);
  const std::vector<Slice> slices = plan_slices(plan);
  const std::vector<size_t> order = file_order(plan, slices);
  allocate_targets(plan);

  size_t largest = 0;
  for (const Slice& slice : slices) largest = std::max(largest, slice_bytes(slice, plan));
  std::vector<Buffer<uint8_t>> scratch;
  for (unsigned i = 0; i < workers.size(); ++i) scratch.emplace_back(largest, "slice of a model file");
  std::vector<Digest> digests(slices.size());
  FirstError error;
  workers.run(static_cast<uint32_t>(slices.size()), [&](uint32_t unit, unsigned worker) {
    const size_t i = order[unit];
    try {
      read_slice(slices[i], plan[slices[i].placement], source, scratch[worker].data(), &digests[i]);
    } catch (...) {
      error.keep(unit);
    }
  });
  error.rethrow();
  *digest = digest_tensors(plan, slices, digests);
  return weights;
}

size_t Weights::bytes_needed(const gguf::File& file) {
  size_t total = 0;
  for (const gguf::TensorInfo& t : file.tensors()) {
    const size_t rows = static_cast<size_t>(t.rows()), cols = static_cast<size_t>(t.shape.empty() ? 1 : t.shape[0]);
    const bool matrix = t.shape.size() > 1 && rows > 1;
    const size_t bytes =
        matrix ? checked_mul((rows + kGroupRows - 1) / kGroupRows, tensor::group_bytes(t.type, cols), t.name.c_str())
               : checked_mul(cols, sizeof(float), t.name.c_str());
    total = checked_add(total, bytes, t.name.c_str());
  }
  return total;
}

size_t Weights::bytes() const {
  size_t total = embedding.bytes() + output.bytes() + output_norm.bytes() + rope_factors.size() * sizeof(float);
  for (const Layer& l : layers) {
    total += l.attn_norm.bytes() + l.ffn_norm.bytes();
    for (const tensor::PackedMatrix* m : {&l.q, &l.k, &l.v, &l.o, &l.gate, &l.up, &l.down}) total += m->bytes();
  }
  return total;
}

}  // namespace nxs::model
