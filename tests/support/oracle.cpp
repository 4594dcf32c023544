// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "support/oracle.h"

#include <algorithm>
#include <cmath>

#include "support/oracle_weights.h"

namespace nxs::test {

Oracle::Oracle(const Source& source) {
  const gguf::File file = gguf::File::parse(source);
  n_embd_ = file.required_uint("llama.embedding_length");
  n_heads_ = file.required_uint("llama.attention.head_count");
  n_heads_kv_ = file.uint("llama.attention.head_count_kv").value_or(n_heads_);
  head_dim_ = file.uint("llama.attention.key_length").value_or(n_embd_ / n_heads_);
  eps_ = file.real("llama.attention.layer_norm_rms_epsilon").value();
  rope_base_ = file.real("llama.rope.freq_base").value_or(10000.0);
  rope_scale_ = 1.0 / file.real("llama.rope.scaling.factor").value_or(1.0);
  embedding_ = read(file, source, "token_embd.weight");
  output_ = file.find_tensor("output.weight") != nullptr ? read(file, source, "output.weight") : embedding_;
  output_norm_ = read(file, source, "output_norm.weight");
  if (file.find_tensor("rope_freqs.weight") != nullptr) rope_factors_ = read(file, source, "rope_freqs.weight");
  layers_.resize(file.required_uint("llama.block_count"));
  for (size_t i = 0; i < layers_.size(); ++i) {
    const auto tensor = [&](const char* name) {
      return read(file, source, "blk." + std::to_string(i) + "." + name + ".weight");
    };
    layers_[i] = {tensor("attn_norm"), tensor("attn_q"),   tensor("attn_k"), tensor("attn_v"),  tensor("attn_output"),
                  tensor("ffn_norm"),  tensor("ffn_gate"), tensor("ffn_up"), tensor("ffn_down")};
  }
}

Oracle::Matrix Oracle::read(const gguf::File& file, const Source& source, const std::string& name) const {
  const gguf::TensorInfo& t = *file.find_tensor(name);
  std::vector<uint8_t> bytes(t.bytes);
  source.read(t.offset, bytes.data(), bytes.size());
  const size_t cols = t.shape[0], rows = t.rows();
  return {rows, cols, decode_elements(t.type, bytes, rows * cols)};
}

std::vector<double> Oracle::times(const Matrix& m, const std::vector<double>& x) {
  std::vector<double> y(m.rows);
  for (size_t r = 0; r < m.rows; ++r) {
    for (size_t c = 0; c < m.cols; ++c) y[r] += m.values[r * m.cols + c] * x[c];
  }
  return y;
}

std::vector<double> Oracle::norm(const Matrix& weight, const std::vector<double>& x) const {
  double squares = 0;
  for (const double v : x) squares += v * v;
  const double r = 1.0 / std::sqrt(squares / static_cast<double>(x.size()) + eps_);
  std::vector<double> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = x[i] * r * weight.values[i];
  return y;
}

// Adjacent pairs (2i, 2i + 1) of each head turn by position * base^(-2i / head_dim).
void Oracle::rotate(std::vector<double>& x, size_t n_heads, size_t position) const {
  for (size_t i = 0; i < head_dim_ / 2; ++i) {
    const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(head_dim_);
    const double factor = rope_factors_.cols != 0 ? rope_factors_.values[i] : 1.0;
    const double angle = static_cast<double>(position) * rope_scale_ * std::pow(rope_base_, exponent) / factor;
    const double c = std::cos(angle), s = std::sin(angle);
    for (size_t h = 0; h < n_heads; ++h) {
      double& a = x[h * head_dim_ + 2 * i];
      double& b = x[h * head_dim_ + 2 * i + 1];
      const double turned = a * c - b * s;
      b = a * s + b * c;
      a = turned;
    }
  }
}

std::vector<double> Oracle::attend(const std::vector<double>& q, const Cache& cache) const {
  std::vector<double> out(q.size());
  for (size_t h = 0; h < n_heads_; ++h) {
    const size_t kv = h / (n_heads_ / n_heads_kv_) * head_dim_, at = h * head_dim_;
    std::vector<double> weights(cache.keys.size());
    for (size_t j = 0; j < weights.size(); ++j) {
      for (size_t d = 0; d < head_dim_; ++d) weights[j] += q[at + d] * cache.keys[j][kv + d];
      weights[j] /= std::sqrt(static_cast<double>(head_dim_));
    }
    const double most = *std::max_element(weights.begin(), weights.end());
    double sum = 0;
    for (double& w : weights) sum += w = std::exp(w - most);
    for (size_t j = 0; j < weights.size(); ++j) {
      for (size_t d = 0; d < head_dim_; ++d) out[at + d] += weights[j] / sum * cache.values[j][kv + d];
    }
  }
  return out;
}

void Oracle::attention(const Layer& layer, Cache& cache, std::vector<double>& x, size_t position) const {
  const std::vector<double> in = norm(layer.attn_norm, x);
  std::vector<double> q = times(layer.q, in), k = times(layer.k, in);
  rotate(q, n_heads_, position);
  rotate(k, n_heads_kv_, position);
  cache.keys.push_back(k);
  cache.values.push_back(times(layer.v, in));
  const std::vector<double> out = times(layer.o, attend(q, cache));
  for (size_t i = 0; i < x.size(); ++i) x[i] += out[i];
}

void Oracle::feed_forward(const Layer& layer, std::vector<double>& x) const {
  const std::vector<double> in = norm(layer.ffn_norm, x);
  std::vector<double> gate = times(layer.gate, in);
  const std::vector<double> up = times(layer.up, in);
  for (size_t i = 0; i < gate.size(); ++i) gate[i] = gate[i] / (1.0 + std::exp(-gate[i])) * up[i];
  const std::vector<double> out = times(layer.down, gate);
  for (size_t i = 0; i < x.size(); ++i) x[i] += out[i];
}

std::vector<std::vector<double>> Oracle::logits(std::span<const int32_t> tokens) const {
  std::vector<Cache> caches(layers_.size());
  std::vector<std::vector<double>> all;
  for (size_t position = 0; position < tokens.size(); ++position) {
    const auto row = embedding_.values.begin() + tokens[position] * static_cast<std::ptrdiff_t>(n_embd_);
    std::vector<double> x(row, row + static_cast<std::ptrdiff_t>(n_embd_));
    for (size_t i = 0; i < layers_.size(); ++i) {
      attention(layers_[i], caches[i], x, position);
      feed_forward(layers_[i], x);
    }
    all.push_back(times(output_, norm(output_norm_, x)));
  }
  return all;
}

}  // namespace nxs::test
