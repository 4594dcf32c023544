// SPDX-License-Identifier: Apache-2.0 OR MIT
// Two ways in, one way on: the top k are few and looked at alone; otherwise the whole row has its exponentials, and
// survivors are taken from the walk only as they are needed.
#include "decode/sampler.h"

#include <algorithm>
#include <limits>

#include "base/counter_rng.h"
#include "kernels/log.h"

namespace nxs::decode {

namespace {

constexpr float kLargest = std::numeric_limits<float>::max();
constexpr size_t kWalkStep = 64;

/// p[0] + ... + p[15] by the tree 8, 4, 2, 1.
double tree_sum(double (&p)[16]) {
  for (size_t half = 8; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) p[i] = p[i] + p[i + half];
  }
  return p[0];
}

}  // namespace

/// From the row's own logits, so that a token that stands there twice is penalised once. Stays finite.
std::span<const float> Sampler::penalise(std::span<const float> logits, const Sampling& sampling,
                                         std::span<const int32_t> before) {
  if (sampling.repeat_penalty == 1) return logits;
  penalised_.assign(logits.begin(), logits.end());
  for (const int32_t id : before.last(std::min(before.size(), static_cast<size_t>(sampling.repeat_last)))) {
    const float l = logits[static_cast<size_t>(id)];
    if (l < -kLargest) continue;  // masked
    const float changed = l > 0 ? l / sampling.repeat_penalty : l * sampling.repeat_penalty;
    penalised_[static_cast<size_t>(id)] = std::clamp(changed, -kLargest, kLargest);
  }
  return penalised_;
}

/// e_ holds logits; now the exponentials.
void Sampler::exp_of_scaled(const kernels::Kernels& kernels, float max, float temperature) {
  for (float& x : e_) x = (x - max) / temperature;
  kernels.exp(e_.data(), e_.data(), e_.size());
}

float Sampler::logprob(const kernels::Kernels& kernels, std::span<const float> logits, int32_t token) {
  size_t best = 0;
  float max = 0;
  kernels.argmax(&best, &max, logits.data(), logits.size());
  const float sum = static_cast<float>(sum_all(kernels, logits, max, 1.0f, 0.0f));
  return (logits[static_cast<size_t>(token)] - max) - kernels::log(sum);
}

size_t Sampler::bytes() const {
  return (penalised_.capacity() + e_.capacity()) * sizeof(float) + walk_.bytes() +
         (survivors_.capacity() + by_id_.capacity()) * sizeof(Survivor);
}

double Sampler::sum_survivors() {
  by_id_ = survivors_;
  std::sort(by_id_.begin(), by_id_.end(), [](const Survivor& a, const Survivor& b) { return a.id < b.id; });
  double p[16] = {};
  for (const Survivor& s : by_id_) p[s.id % 16] += static_cast<double>(s.e);
  return tree_sum(p);
}

double Sampler::begin_top_k(const kernels::Kernels& kernels, std::span<const float> row, float max,
                            const Sampling& sampling) {
  const std::span<const int32_t> ids = walk_.first(static_cast<size_t>(sampling.top_k));
  e_.resize(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) e_[i] = row[static_cast<size_t>(ids[i])];
  exp_of_scaled(kernels, max, sampling.temperature);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (e_[i] >= min_e_) survivors_.push_back({ids[i], e_[i]});
  }
  lazy_ = false;
  return sum_survivors();
}

/// Exponentials of the whole row into e_, and the sum of those that are not below `least`.
double Sampler::sum_all(const kernels::Kernels& kernels, std::span<const float> row, float max, float temperature,
                        float least) {
  e_.assign(row.begin(), row.end());
  exp_of_scaled(kernels, max, temperature);
  double p[16] = {};
  size_t i = 0;
  for (; i + 16 <= e_.size(); i += 16) {
    for (size_t j = 0; j < 16; ++j) p[j] += static_cast<double>(e_[i + j] >= least ? e_[i + j] : 0.0f);
  }
  for (; i < e_.size(); ++i) p[i % 16] += static_cast<double>(e_[i] >= least ? e_[i] : 0.0f);
  return tree_sum(p);
}

double Sampler::begin_all(const kernels::Kernels& kernels, std::span<const float> row, float max,
                          const Sampling& sampling) {
  lazy_ = true;
  n_walked_ = 0;
  return sum_all(kernels, row, max, sampling.temperature, min_e_);
}

/// Whether there is a survivor number i; while lazy, it is looked for.
bool Sampler::reaches(size_t i) {
  while (lazy_ && survivors_.size() <= i) {
    const std::span<const int32_t> ids = walk_.first(n_walked_ + kWalkStep);
    if (ids.size() == n_walked_) lazy_ = false;
    for (; n_walked_ < ids.size(); ++n_walked_) {
      const int32_t id = ids[n_walked_];
      if (const float e = e_[static_cast<size_t>(id)]; e >= min_e_) survivors_.push_back({id, e});
    }
  }
  return i < survivors_.size();
}

/// The first survivor whose cumulative sum has reached, else the last.
template <typename Reached>
size_t Sampler::walk_until(Reached reached) {
  double sum = 0;
  size_t i = 0;
  for (; reaches(i); ++i) {
    sum += static_cast<double>(survivors_[i].e);
    if (reached(sum)) return i;
  }
  return i - 1;
}

int32_t Sampler::choose(const kernels::Kernels& kernels, std::span<const float> logits, const Sampling& sampling,
                        int64_t position, std::span<const int32_t> before) {
  const std::span<const float> row = penalise(logits, sampling, before);
  size_t best = 0;
  float max = 0;
  const bool finite = kernels.argmax(&best, &max, row.data(), row.size());
  if (finite && sampling.temperature == 0) return static_cast<int32_t>(best);

  walk_.begin(row);
  if (!finite) {
    const int32_t first = walk_.first(1)[0];
    if (sampling.temperature == 0) return first;
    max = row[static_cast<size_t>(first)];
  }
  survivors_.clear();
  // What has underflowed to 0 is no survivor.
  min_e_ = std::max(sampling.min_p, std::numeric_limits<float>::denorm_min());
  const bool top_k = sampling.top_k > 0 && static_cast<size_t>(sampling.top_k) < row.size();
  double sum = top_k ? begin_top_k(kernels, row, max, sampling) : begin_all(kernels, row, max, sampling);
  if (sampling.top_p < 1) {
    const double wanted = static_cast<double>(sampling.top_p) * sum;
    survivors_.resize(walk_until([&](double s) { return s >= wanted; }) + 1);
    lazy_ = false;
    sum = sum_survivors();
  }
  const double drawn = static_cast<double>(uniform_draw(sampling.seed, position)) * sum;
  return survivors_[walk_until([&](double s) { return s > drawn; })].id;
}

}  // namespace nxs::decode
