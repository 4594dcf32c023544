// SPDX-License-Identifier: Apache-2.0 OR MIT
// The sampler against its definition, written down plainly: sort everything, walk, compare with ==.
#include "decode/sampler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "base/counter_rng.h"
#include "kernels/dispatch.h"
#include "kernels/log.h"

namespace nxs::decode {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();

struct Survivor {
  int32_t id;
  float e;
};

float exp_of(float z) {
  float e = 0;
  kernels::portable_table()->exp(&e, &z, 1);
  return e;
}

double sum_of(std::vector<Survivor> survivors) {
  std::sort(survivors.begin(), survivors.end(), [](const Survivor& a, const Survivor& b) { return a.id < b.id; });
  double p[16] = {};
  for (const Survivor& s : survivors) p[s.id % 16] = p[s.id % 16] + static_cast<double>(s.e);
  for (size_t half = 8; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) p[i] = p[i] + p[i + half];
  }
  return p[0];
}

int32_t defined(const std::vector<float>& logits, const Sampling& s, int64_t position,
                const std::vector<int32_t>& before) {
  std::vector<float> row = logits;
  const size_t last = std::min(before.size(), static_cast<size_t>(s.repeat_last));
  const std::set<int32_t> distinct(before.end() - static_cast<ptrdiff_t>(last), before.end());
  for (const int32_t id : distinct) {
    float& l = row[static_cast<size_t>(id)];
    if (s.repeat_penalty == 1 || l == -kInfinity) continue;
    l = l > 0 ? l / s.repeat_penalty : l * s.repeat_penalty;
    l = std::min(std::max(l, -kLargest), kLargest);
  }
  std::vector<int32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return row[static_cast<size_t>(a)] > row[static_cast<size_t>(b)]; });
  if (s.temperature == 0) return order[0];
  const float max = row[static_cast<size_t>(order[0])];
  if (s.top_k > 0 && static_cast<size_t>(s.top_k) < order.size()) order.resize(static_cast<size_t>(s.top_k));
  std::vector<Survivor> survivors;
  for (const int32_t id : order) {
    const float e = exp_of((row[static_cast<size_t>(id)] - max) / s.temperature);
    if (e > 0 && e >= s.min_p) survivors.push_back({id, e});
  }
  if (s.top_p < 1) {
    const double wanted = static_cast<double>(s.top_p) * sum_of(survivors);
    double sum = 0;
    size_t n = 0;
    while (n < survivors.size()) {
      sum = sum + static_cast<double>(survivors[n++].e);
      if (sum >= wanted) break;
    }
    survivors.resize(n);
  }
  const double drawn = static_cast<double>(uniform_draw(s.seed, position)) * sum_of(survivors);
  double sum = 0;
  for (const Survivor& survivor : survivors) {
    sum = sum + static_cast<double>(survivor.e);
    if (sum > drawn) return survivor.id;
  }
  return survivors.back().id;
}

std::vector<const kernels::Kernels*> tables() {
  std::vector<const kernels::Kernels*> found = {kernels::portable_table()};
  for (const auto isa : {kernels::Isa::kReference, kernels::Isa::kAvx2, kernels::Isa::kAvx512, kernels::Isa::kNeon}) {
    if (const kernels::Kernels* table = kernels::table(isa)) found.push_back(table);
  }
  return found;
}

/// Peaked, flat, full of ties and zeros of both signs, or spread beyond what an exponential shows.
std::vector<float> random_row(std::mt19937& random, size_t n) {
  const float spreads[] = {0.01f, 1.0f, 4.0f, 60.0f, 1e6f};
  std::normal_distribution<float> normal(-1.0f, spreads[random() % 5]);
  const bool ties = random() % 3 == 0, masks = random() % 6 == 0;
  std::vector<float> row(n);
  for (float& l : row) {
    l = normal(random);
    if (ties) l = std::copysign(std::floor(std::fabs(l)), l);
    if (masks && random() % 2 == 0) l = -kInfinity;
  }
  row[random() % n] = 0.5f;
  return row;
}

Sampling random_sampling(std::mt19937& random, size_t n) {
  const float temperatures[] = {0, 1e-9f, 0.1f, 0.7f, 1.0f, 2.0f, 1e30f}, top_ps[] = {0, 0.1f, 0.9f, 0.999f, 1, 1, 1},
              min_ps[] = {0, 0, 0, 0.05f, 0.5f, 1}, penalties[] = {1, 1, 1, 1.1f, 0.5f, 1e38f, 1e-38f};
  const int32_t top_ks[] = {
      0, 0, 1, 2, 40, static_cast<int32_t>(n / 2), static_cast<int32_t>(n), std::numeric_limits<int32_t>::max()};
  return {static_cast<int64_t>((uint64_t{random()} << 32) | random()),
          temperatures[random() % 7],
          top_ps[random() % 7],
          min_ps[random() % 6],
          top_ks[random() % 8],
          penalties[random() % 7],
          static_cast<int32_t>(random() % 70)};
}

TEST_CASE("decode/sampler: equals its definition, with every instruction set") {
  std::mt19937 random(11);
  std::vector<Sampler> samplers(tables().size());
  size_t not_largest = 0;
  for (int round = 0; round < 3000; ++round) {
    const size_t n = round % 100 == 0 ? 49152 - round % 7 : 1 + random() % (round % 10 == 0 ? 5000 : 300);
    const std::vector<float> row = random_row(random, n);
    std::vector<int32_t> before(random() % 80);
    for (int32_t& t : before) t = static_cast<int32_t>(random() % std::min<size_t>(n, 50));
    for (int draw = 0; draw < 4; ++draw) {
      const Sampling s = random_sampling(random, n);
      const auto position = static_cast<int64_t>(before.size()) + draw;
      const int32_t want = defined(row, s, position, before);
      for (size_t i = 0; i < samplers.size(); ++i)
        REQUIRE(samplers[i].choose(*tables()[i], row, s, position, before) == want);
      not_largest += want == defined(row, {}, position, {}) ? 0 : 1;
    }
  }
  CHECK(not_largest > 1000);
}

int32_t choose(const std::vector<float>& row, const Sampling& s, int64_t position = 0,
               const std::vector<int32_t>& before = {}) {
  Sampler sampler;
  return sampler.choose(*kernels::table(kernels::Isa::kBest), row, s, position, before);
}

TEST_CASE("decode/sampler: one token left is the largest logit, the lowest id among equals") {
  const std::vector<float> row = {1, 3, 2, 3, -0.0f, 3};
  for (int64_t position = 0; position < 50; ++position) {
    CHECK(choose(row, {1, 0}, position) == 1);
    CHECK(choose(row, {1, 5.0f, 1, 0, 1}, position) == 1);
    CHECK(choose(row, {1, 5.0f, 0}, position) == 1);
    const int32_t of_two = choose(row, {1, 5.0f, 1, 0, 2}, position);
    CHECK((of_two == 1 || of_two == 3));
    const int32_t of_equals = choose(row, {1, 5.0f, 1, 1}, position);
    CHECK((of_equals == 1 || of_equals == 3 || of_equals == 5));
    CHECK(choose({-kInfinity, -5, -kInfinity}, {1, 1e30f}, position) == 1);
  }
}

TEST_CASE("decode/sampler: tokens are drawn as often as their probability says") {
  const std::vector<float> row = {0.0f, std::log(2.0f), std::log(5.0f), -kInfinity, std::log(8.0f)};
  int count[5] = {};
  for (int64_t position = 0; position < 16'000; ++position) ++count[choose(row, {3, 1.0f}, position)];
  CHECK(count[3] == 0);
  const int expected[5] = {1000, 2000, 5000, 0, 8000};
  for (int i = 0; i < 5; ++i) CHECK(std::abs(count[i] - expected[i]) < 5 * std::sqrt(expected[i]) + 1);
}

TEST_CASE("decode/sampler: a repetition penalty looks at the last tokens, once each, also when greedy") {
  const std::vector<float> row = {4, 5, -1, -1.5f};
  Sampling s;
  s.repeat_penalty = 2;
  CHECK(choose(row, s, 2, {1, 1}) == 0);     // 5 / 2, not 5 / 4, is still below 4
  CHECK(choose(row, s, 3, {0, 1, 1}) == 1);  // 2 and 2.5
  s.repeat_last = 1;
  CHECK(choose(row, s, 2, {1, 0}) == 1);
  CHECK(choose({-1, -1.5f}, s, 1, {0}) == 1);  // -2 and -1.5
  s.repeat_last = 0;
  CHECK(choose(row, s, 1, {1}) == 1);
}

TEST_CASE("decode/sampler: log-probabilities are (l - max) - log(sum), with every instruction set") {
  std::mt19937 random(13);
  for (int round = 0; round < 200; ++round) {
    const size_t n = 1 + random() % 2000;
    std::vector<float> row = random_row(random, n);
    for (float& l : row) l = std::max(l, -1e30f);
    const auto token = static_cast<int32_t>(random() % n);
    const float max = *std::max_element(row.begin(), row.end()), l = row[static_cast<size_t>(token)];
    std::vector<Survivor> all;
    double exact = 0;
    for (size_t i = 0; i < n; ++i) {
      all.push_back({static_cast<int32_t>(i), exp_of(row[i] - max)});
      exact += std::exp(static_cast<double>(row[i]) - static_cast<double>(max));
    }
    const float want = (l - max) - kernels::log(static_cast<float>(sum_of(all)));
    const double true_value = (static_cast<double>(l) - static_cast<double>(max)) - std::log(exact);
    CHECK(std::fabs(static_cast<double>(want) - true_value) <= 2e-6 + 2e-7 * std::fabs(true_value));
    for (const kernels::Kernels* table : tables()) {
      Sampler sampler;
      CHECK(sampler.logprob(*table, row, token) == want);
    }
  }
}

TEST_CASE("decode/sampler: fields without effect are at their defaults") {
  const auto same = [](const Sampling& a, const Sampling& b) {
    return a.seed == b.seed && a.temperature == b.temperature && a.top_p == b.top_p && a.min_p == b.min_p &&
           a.top_k == b.top_k && a.repeat_penalty == b.repeat_penalty && a.repeat_last == b.repeat_last &&
           !std::signbit(a.temperature) && !std::signbit(a.top_p) && !std::signbit(a.min_p);
  };
  const auto of = [](const Sampling& s) { return effective({10, false, false, s}, 320).sampling; };
  CHECK(same(of({5, 0, 0.5f, 0.1f, 40, 1, 9}), {}));
  CHECK(same(of({5, -0.0f, 0.5f, 0.1f, 40, 1.5f, 9}), {0, 0, 1, 0, 0, 1.5f, 9}));
  CHECK(same(of({5, 0.7f, -0.0f, -0.0f, 320, 1.5f, 0}), {5, 0.7f, 0, 0, 0, 1, 64}));
  CHECK(same(of({5, 0.7f, 0.5f, 0.1f, 319, 1, 9}), {5, 0.7f, 0.5f, 0.1f, 319, 1, 64}));
}

}  // namespace
}  // namespace nxs::decode
