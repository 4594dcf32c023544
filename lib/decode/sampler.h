// SPDX-License-Identifier: Apache-2.0 OR MIT
// Draws a token from a row of logits. docs/numerics.md defines it to the bit: a pure function of the row, the tokens
// before, the position and the parameters. Here only the memory is kept, from draw to draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/logit_walk.h"
#include "decode/params.h"
#include "kernels/kernels.h"

namespace nxs::decode {

class Sampler {
 public:
  /// The token for index `position` of its sequence. `logits` are finite, or -infinity for masked tokens, which are
  /// never chosen; not all are masked. `before`: the tokens right before `position`,
  /// at least as many as a repetition penalty looks at. Throws kMemory (std::bad_alloc).
  int32_t choose(const kernels::Kernels& kernels, std::span<const float> logits, const Sampling& sampling,
                 int64_t position, std::span<const int32_t> before);
  /// The natural logarithm of a token's probability at temperature 1, all tokens alive, nothing penalised.
  float logprob(const kernels::Kernels& kernels, std::span<const float> logits, int32_t token);
  /// Memory that is kept.
  size_t bytes() const;

 private:
  /// A token that may still be drawn; e is its probability but for a factor.
  struct Survivor {
    int32_t id;
    float e;
  };

  std::span<const float> penalise(std::span<const float> logits, const Sampling& sampling,
                                  std::span<const int32_t> before);
  void exp_of_scaled(const kernels::Kernels& kernels, float max, float temperature);
  double begin_top_k(const kernels::Kernels& kernels, std::span<const float> row, float max, const Sampling& sampling);
  double begin_all(const kernels::Kernels& kernels, std::span<const float> row, float max, const Sampling& sampling);
  double sum_all(const kernels::Kernels& kernels, std::span<const float> row, float max, float temperature,
                 float least);
  double sum_survivors();
  bool reaches(size_t i);
  template <typename Reached>
  size_t walk_until(Reached reached);

  std::vector<float> penalised_;
  std::vector<float> e_;  ///< of the whole row by id, or of the top k by rank
  LogitWalk walk_;
  std::vector<Survivor> survivors_;  ///< in walk order; those so far, while `lazy_`
  std::vector<Survivor> by_id_;
  size_t n_walked_ = 0;
  float min_e_ = 0;
  bool lazy_ = false;
};

}  // namespace nxs::decode
