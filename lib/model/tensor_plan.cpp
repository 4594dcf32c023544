// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model/tensor_plan.h"

#include <algorithm>
#include <unordered_set>

#include "base/status.h"
#include "gguf/reader.h"

namespace nxs::model {
namespace {

constexpr size_t kSliceBytes = size_t{1} << 20;
using tensor::kGroupRows;

// Collects placements; each member names tensors as GGUF files of `llama` models do.
class Planner {
 public:
  Planner(const gguf::File& file, std::vector<Placement>& plan) : file_(file), plan_(plan) {}

  void matrix(const std::string& name, tensor::PackedMatrix* to, size_t rows, size_t cols) {
    const gguf::TensorInfo& t = required(name);
    require_shape(t, {cols, rows});
    if (cols % tensor::info(t.type).block_elems != 0) {
      fail(Status::kFormat, "tensor '%s': rows of %zu are no multiple of a block", name.c_str(), cols);
    }
    plan_.push_back({&t, to, nullptr, nullptr});
  }

  void norm(const std::string& name, Buffer<float>* to, size_t n) {
    const gguf::TensorInfo& t = required(name);
    require_shape(t, {n});
    require_float(t);
    plan_.push_back({&t, nullptr, to, nullptr});
  }

  void factors(const std::string& name, std::vector<float>* to, size_t n) {
    const gguf::TensorInfo& t = required(name);
    require_shape(t, {n});
    require_float(t);
    plan_.push_back({&t, nullptr, nullptr, to});
  }

  bool has(const std::string& name) const { return file_.find_tensor(name) != nullptr; }

 private:
  const gguf::TensorInfo& required(const std::string& name) const {
    const gguf::TensorInfo* t = file_.find_tensor(name);
    if (t == nullptr) fail(Status::kFormat, "tensor '%s' is missing", name.c_str());
    return *t;
  }

  static void require_shape(const gguf::TensorInfo& t, std::initializer_list<uint64_t> shape) {
    // Trailing dimensions of 1 say nothing.
    const auto& have = t.shape;
    bool equal = have.size() >= shape.size() && std::equal(shape.begin(), shape.end(), have.begin());
    for (size_t i = shape.size(); i < have.size(); ++i) equal = equal && have[i] == 1;
    if (equal) return;
    std::string want, got;
    for (const uint64_t n : shape) want += (want.empty() ? "" : " x ") + std::to_string(n);
    for (const uint64_t n : have) got += (got.empty() ? "" : " x ") + std::to_string(n);
    fail(Status::kFormat, "tensor '%s' is %s, not %s", t.name.c_str(), got.c_str(), want.c_str());
  }

  static void require_float(const gguf::TensorInfo& t) {
    const tensor::DTypeInfo& type = tensor::info(t.type);
    if (type.quantized) fail(Status::kUnsupported, "tensor '%s' is %s, not a float format", t.name.c_str(), type.name);
  }

  const gguf::File& file_;
  std::vector<Placement>& plan_;
};

void plan_layer(Planner& p, const Config& c, size_t i, Layer& layer) {
  const std::string blk = "blk." + std::to_string(i) + ".";
  const size_t q_rows = c.n_heads * c.head_dim, kv_rows = c.n_heads_kv * c.head_dim;
  p.norm(blk + "attn_norm.weight", &layer.attn_norm, c.n_embd);
  p.matrix(blk + "attn_q.weight", &layer.q, q_rows, c.n_embd);
  p.matrix(blk + "attn_k.weight", &layer.k, kv_rows, c.n_embd);
  p.matrix(blk + "attn_v.weight", &layer.v, kv_rows, c.n_embd);
  p.matrix(blk + "attn_output.weight", &layer.o, c.n_embd, q_rows);
  p.norm(blk + "ffn_norm.weight", &layer.ffn_norm, c.n_embd);
  p.matrix(blk + "ffn_gate.weight", &layer.gate, c.n_ff, c.n_embd);
  p.matrix(blk + "ffn_up.weight", &layer.up, c.n_ff, c.n_embd);
  p.matrix(blk + "ffn_down.weight", &layer.down, c.n_embd, c.n_ff);
}

// A tensor that nothing reads (a bias, an expert, an adapter) would silently change what the model says.
void refuse_unconsumed(const gguf::File& file, const std::vector<Placement>& plan) {
  std::unordered_set<std::string_view> consumed;
  for (const Placement& p : plan) consumed.insert(p.tensor->name);
  for (const gguf::TensorInfo& t : file.tensors()) {
    if (!consumed.contains(t.name)) {
      fail(Status::kUnsupported, "tensor '%s' has no place in a 'llama' model of this version",
           gguf::printable(t.name).c_str());
    }
  }
}

}  // namespace

std::vector<Placement> plan_tensors(const gguf::File& file, const Config& config, Weights& weights) {
  std::vector<Placement> plan;
  Planner p(file, plan);
  p.matrix("token_embd.weight", &weights.embedding, config.n_vocab, config.n_embd);
  p.norm("output_norm.weight", &weights.output_norm, config.n_embd);
  if (p.has("output.weight")) p.matrix("output.weight", &weights.output, config.n_vocab, config.n_embd);
  if (p.has("rope_freqs.weight")) p.factors("rope_freqs.weight", &weights.rope_factors, config.head_dim / 2);
  for (size_t i = 0; i < config.n_layers; ++i) plan_layer(p, config, i, weights.layers[i]);
  refuse_unconsumed(file, plan);
  std::sort(plan.begin(), plan.end(),
            [](const Placement& a, const Placement& b) { return a.tensor->name < b.tensor->name; });
  return plan;
}

std::vector<Slice> plan_slices(const std::vector<Placement>& plan) {
  std::vector<Slice> slices;
  for (size_t i = 0; i < plan.size(); ++i) {
    const size_t rows = static_cast<size_t>(plan[i].tensor->rows());
    const size_t groups = std::max<size_t>(1, kSliceBytes / (kGroupRows * row_bytes(*plan[i].tensor)));
    for (size_t first = 0; first < rows; first += groups * kGroupRows) {
      slices.push_back({i, first, std::min(groups * kGroupRows, rows - first)});
    }
  }
  return slices;
}

size_t row_bytes(const gguf::TensorInfo& tensor) {
  const tensor::DTypeInfo& type = tensor::info(tensor.type);
  return static_cast<size_t>(tensor.shape[0]) / type.block_elems * type.block_bytes;
}

}  // namespace nxs::model
