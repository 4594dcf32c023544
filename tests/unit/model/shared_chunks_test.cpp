// SPDX-License-Identifier: Apache-2.0 OR MIT
// Forks that read whole chunks of their prompt together get the bits of forks that read them one by one.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "model/attention.h"
#include "model_support.h"

namespace nxs::model {
namespace {

/// Forks of one parent at `fork_at` each: `steps` rounds, some sequences with two rows a round, in an order that
/// `shuffled` decides. All logits.
std::vector<std::vector<Bits>> decode_forks(const std::shared_ptr<const Model>& model, const Setting& setting,
                                            bool kv_f32, std::span<const int32_t> prompt,
                                            std::span<const int64_t> fork_at, size_t steps, bool shuffled) {
  Engine engine(model, engine_options(setting, kv_f32));
  kv::Sequence parent(engine.pages());
  feed(engine, parent, prompt, setting.chunk);
  std::vector<kv::Sequence> forks;
  for (const int64_t at : fork_at) forks.push_back(parent.fork(at));
  std::vector<uint32_t> order(forks.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 rng(1);
  if (shuffled) std::shuffle(order.begin(), order.end(), rng);
  std::vector<kv::Sequence*> pointers;
  for (kv::Sequence& f : forks) pointers.push_back(&f);
  std::vector<std::vector<Bits>> out(forks.size());
  for (size_t step = 0; step < steps; ++step) {
    std::vector<Row> rows;
    for (const uint32_t f : order) {
      for (size_t i = 0; i < 1 + f % 2; ++i) {
        const int64_t position = forks[f].length() + static_cast<int64_t>(i);
        rows.push_back({static_cast<int32_t>((7 * f + 13 * static_cast<uint32_t>(position)) % 300), f, position, true});
      }
    }
    engine.forward(pointers, rows);
    for (size_t i = 0; i < rows.size(); ++i) out[rows[i].sequence].push_back(bits_of(engine.logits(i)));
  }
  return out;
}

TEST_CASE("model/shared_chunks: together or one by one, the same bits") {
  const auto model = open_tiny({});
  uint32_t number = 0;
  for (const size_t n_prompt : {40u, 130u, 255u, 256u, 257u, 511u, 513u, 600u, 1030u}) {
    if (kInstrumented && n_prompt != 130 && n_prompt != 513) continue;
    const auto n = static_cast<int64_t>(n_prompt);
    const std::vector<int32_t> prompt = random_tokens(n_prompt, 3);
    // Whole prompts, one that has parted earlier, one from an earlier chunk, and again whole ones.
    const std::vector<int64_t> fork_at = {n, n, n - 1, n, n / 2, n / 2, n, n, n};
    for (const uint32_t page : {1u, 16u, 64u, 256u}) {
      const bool f32 = ++number % 2 == 0;
      Setting setting{.n_threads = 1 + number % 3, .page_tokens = page, .chunk = 128};
      setting.attention = AttentionMode::kWalk;
      const auto alone = decode_forks(model, setting, f32, prompt, fork_at, 3, false);
      for (const AttentionMode mode : {AttentionMode::kAuto, AttentionMode::kSplit}) {
        for (const kernels::Isa isa : present_isas()) {
          setting.attention = mode;
          setting.isa = isa;
          CHECK(decode_forks(model, setting, f32, prompt, fork_at, 3, number % 3 == 0) == alone);
        }
      }
    }
  }
}

TEST_CASE("model/shared_chunks: many forks, more than one unit takes") {
  const auto model = open_tiny({});
  const std::vector<int32_t> prompt = random_tokens(520, 3);
  const std::vector<int64_t> fork_at(75, 520);
  const auto alone =
      decode_forks(model, {.chunk = 128, .attention = AttentionMode::kWalk}, false, prompt, fork_at, 2, false);
  for (const unsigned threads : {1u, 2u, 4u}) {
    CHECK(decode_forks(model, {.n_threads = threads, .chunk = 128}, false, prompt, fork_at, 2, true) == alone);
  }
}

TEST_CASE("model/shared_chunks: which rows read together") {
  kv::PagePool pool(kv::PageLayout(1, 2, 16, 64, false), 0);
  kv::Sequence parent(pool);
  parent.append(700);
  std::vector<kv::Sequence> forks;
  for (const int64_t at : {700, 700, 511, 700}) forks.push_back(parent.fork(at));
  kv::Sequence other(pool);
  other.append(700);
  std::vector<kv::Sequence*> sequences{&forks[0], &forks[1], &forks[2], &other, &forks[3], &parent};
  std::vector<Row> rows;
  for (uint32_t s = 0; s < sequences.size(); ++s) rows.push_back({0, s, sequences[s]->length(), true});

  AttentionPlan plan;
  plan.make(sequences, rows, 3, 1, AttentionMode::kAuto);
  CHECK(plan.blocks.size() == 6);
  REQUIRE(plan.shared.size() == 2);
  CHECK(plan.shared[0].first_row == 0);
  CHECK(plan.shared[0].n_rows == 3);
  CHECK(plan.shared[0].common == 448);  // the third has 511 tokens, 7 full pages
  CHECK(plan.shared[0].n_shared == 2);
  CHECK(plan.shared[0].common_keys(1) == 192);
  CHECK(plan.shared[1].first_row == 4);
  CHECK(plan.shared[1].common == 640);
  CHECK(plan.shared[1].n_shared == 3);
  CHECK(plan.blocks[3].n_shared == 0);
  CHECK(plan.items.size() == 5);
  CHECK_FALSE(plan.split());
  plan.make(sequences, rows, 3, 1, AttentionMode::kWalk);
  CHECK(plan.shared.empty());
  CHECK(plan.items.empty());
  plan.make(sequences, rows, 3, 1, AttentionMode::kSplit);
  CHECK(plan.split());
  CHECK(plan.items.size() == 5 + (1 + 1 + 0 + 3 + 0 + 0));
}

}  // namespace
}  // namespace nxs::model
