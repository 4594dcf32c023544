// SPDX-License-Identifier: Apache-2.0 OR MIT
// Runs that sample: speculative ones equal plain ones, whatever is drafted, in tokens, receipts and log-probabilities.
#include <doctest/doctest.h>

#include <cmath>

#include "decode/run.h"
#include "decode_support.h"

namespace nxs::decode {
namespace {

std::vector<Sampling> samplings() {
  return {{1, 1.0f},
          {2, 0.7f, 1, 0, 40},
          {3, 2.0f, 0.9f},
          {4, 5.0f, 1, 0.05f},
          {5, 0.8f, 0.95f, 0.02f, 100, 1.2f, 64},
          {6, 0, 1, 0, 0, 1.3f, 20},
          {7, 3.0f, 1, 0, 0, 0.7f, 5}};
}

TEST_CASE("decode/run: sampled, every place of a draft is accepted and rejected, and nothing of it shows") {
  Rig rig(open_tiny());
  for (const Sampling& sampling : samplings()) {
    for (size_t k = 1; k <= 6; ++k) {
      std::vector<int64_t> accepted(k), rejected(k);
      for (uint32_t seed = 0; seed < 3; ++seed) {
        const std::vector<int32_t> prompt = random_tokens(10 + 7 * seed, seed);
        const Params params{30, true, true, sampling};
        const Record plain = rig.run(prompt, params, nullptr);
        CHECK(plain.logprobs.size() == plain.tokens.size());
        for (size_t wrong_at = 0; wrong_at <= k; ++wrong_at) {
          const auto drafter = std::make_shared<KnowingDrafter>(prompt.size(), plain.tokens, k, wrong_at, 5);
          const Record spec = rig.run(prompt, params, drafter);
          check_same(plain, spec);
          for (size_t j = 0; j < spec.stats.accepted_at.size(); ++j) accepted[j] += spec.stats.accepted_at[j];
          for (size_t j = 0; j < spec.stats.rejected_at.size(); ++j) rejected[j] += spec.stats.rejected_at[j];
        }
      }
      for (size_t j = 0; j < k; ++j) {
        CHECK(accepted[j] > 0);
        CHECK(rejected[j] > 0);
      }
    }
  }
}

TEST_CASE("decode/run: sampled, stopping by itself, with prompt lookup") {
  size_t drafted = 0, accepted = 0, stopped = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Rig rig(open_tiny(1 + seed % 3));
    const std::vector<int32_t> prompt = random_tokens(30 + seed, seed, 4);
    for (const Sampling& sampling : samplings()) {
      const Params params{60, false, seed % 2 == 0, sampling};
      const Record plain = rig.run(prompt, params, nullptr);
      const Record spec = rig.run(prompt, params, std::make_shared<LookupDrafter>(LookupLimits{4, 3, 1}));
      check_same(plain, spec);
      drafted += static_cast<size_t>(spec.stats.n_drafted);
      accepted += static_cast<size_t>(spec.n_accepted);
      stopped += plain.stop == Stop::kToken ? 1 : 0;
    }
  }
  CHECK(drafted > accepted);
  CHECK(accepted > 0);
  CHECK(stopped > 0);
}

TEST_CASE("decode/run: seed and position decide: a run continued is the run in one") {
  Rig rig(open_tiny(2));
  const std::vector<int32_t> prompt = random_tokens(12, 3);
  const Sampling sampling{9, 1.5f};
  const Record whole = rig.run(prompt, {20, true, true, sampling}, nullptr);
  const auto sequence = rig.sequence();
  const Record first = rig.run(sequence, prompt, {8, true, true, sampling}, nullptr);
  const Record second = rig.run(sequence, {}, {12, true, true, sampling}, nullptr);
  std::vector<int32_t> tokens = first.tokens;
  tokens.insert(tokens.end(), second.tokens.begin(), second.tokens.end());
  CHECK(tokens == whole.tokens);
  const Record other = rig.run(prompt, {20, true, true, {10, 1.5f}}, nullptr);
  CHECK(other.tokens != whole.tokens);
  CHECK(other.receipt != whole.receipt);
  for (const float logprob : whole.logprobs) CHECK(logprob <= 0.0f);
}

// What is asked for beside the tokens is not in the receipt.
TEST_CASE("decode/run: log-probabilities change no receipt, and are of the unpenalised row at temperature 1") {
  Rig rig(open_tiny());
  const std::vector<int32_t> prompt = random_tokens(12, 3);
  const Record without = rig.run(prompt, {20, true, false, {}}, nullptr);
  const Record with = rig.run(prompt, {20, true, true, {}}, nullptr);
  CHECK(without.receipt == with.receipt);
  CHECK(without.logprobs.empty());
  CHECK(with.logprobs.size() == 20);
  // The same first row under other parameters: the largest logit has the best log-probability.
  const Record sampled = rig.run(prompt, {1, true, true, {1, 50.0f}}, nullptr);
  CHECK(sampled.logprobs[0] <= with.logprobs[0]);
}

}  // namespace
}  // namespace nxs::decode
