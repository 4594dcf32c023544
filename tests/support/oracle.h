// SPDX-License-Identifier: Apache-2.0 OR MIT
// An independent forward of a `llama` model: plain loops in double, weights as the file says, nothing quantised or
// rounded on the way. It shares no arithmetic with lib/kernels or lib/model; tests hold the engine's logits against it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/source.h"
#include "gguf/gguf.h"

namespace nxs::test {

class Oracle {
 public:
  /// Reads all weights into doubles: for small models.
  explicit Oracle(const Source& source);

  /// Feeds tokens from an empty context; returns the logits [n_vocab] of each of them.
  std::vector<std::vector<double>> logits(std::span<const int32_t> tokens) const;

 private:
  /// Row-major [rows][cols]; a vector is one row.
  struct Matrix {
    size_t rows = 0, cols = 0;
    std::vector<double> values;
  };
  struct Layer {
    Matrix attn_norm, q, k, v, o, ffn_norm, gate, up, down;
  };
  /// Keys and values of one layer, [position][kv heads * head_dim].
  struct Cache {
    std::vector<std::vector<double>> keys, values;
  };

  Matrix read(const gguf::File& file, const Source& source, const std::string& name) const;
  static std::vector<double> times(const Matrix& m, const std::vector<double>& x);
  std::vector<double> norm(const Matrix& weight, const std::vector<double>& x) const;
  void rotate(std::vector<double>& x, size_t n_heads, size_t position) const;
  std::vector<double> attend(const std::vector<double>& q, const Cache& cache) const;
  void attention(const Layer& layer, Cache& cache, std::vector<double>& x, size_t position) const;
  void feed_forward(const Layer& layer, std::vector<double>& x) const;

  size_t n_embd_ = 0, n_heads_ = 0, n_heads_kv_ = 0, head_dim_ = 0;
  double eps_ = 0, rope_base_ = 0, rope_scale_ = 1;
  Matrix embedding_, output_, output_norm_, rope_factors_;
  std::vector<Layer> layers_;
};

}  // namespace nxs::test
