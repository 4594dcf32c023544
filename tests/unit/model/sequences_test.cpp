// SPDX-License-Identifier: Apache-2.0 OR MIT
// Several sequences in one forward, forks and truncations: each gets the bits that it gets alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "model_support.h"

namespace nxs::model {
namespace {

/// Texts of different lengths, each a session of its own.
std::vector<std::vector<int32_t>> texts() {
  std::vector<std::vector<int32_t>> all;
  uint32_t seed = 20;
  for (const size_t n : {1u, 5u, 40u, 70u, 300u, 530u}) all.push_back(random_tokens(n, ++seed));
  return all;
}

// Feeds all texts at once: a forward takes some rows of each, the sequences in random order, interleaved or one after
// another.
std::vector<std::vector<Bits>> feed_together(Engine& engine, const std::vector<std::vector<int32_t>>& all,
                                             bool interleave, uint32_t seed) {
  std::mt19937 rng(seed);
  std::vector<kv::Sequence> sequences;
  for (size_t i = 0; i < all.size(); ++i) sequences.emplace_back(engine.pages());
  std::vector<kv::Sequence*> pointers;
  for (kv::Sequence& s : sequences) pointers.push_back(&s);
  std::vector<std::vector<Bits>> out(all.size());
  for (;;) {
    std::vector<Row> rows;
    std::vector<uint32_t> order;
    for (uint32_t s = 0; s < all.size(); ++s) {
      const size_t left = all[s].size() - out[s].size();
      order.insert(order.end(), std::min<size_t>(left, rng() % 40), s);
    }
    if (interleave) std::shuffle(order.begin(), order.end(), rng);
    std::vector<int64_t> next(all.size());
    for (const uint32_t s : order) {
      const int64_t position = sequences[s].length() + next[s]++;
      rows.push_back({all[s][static_cast<size_t>(position)], s, position, true});
    }
    engine.forward(pointers, rows);
    for (size_t i = 0; i < rows.size(); ++i) out[rows[i].sequence].push_back(bits_of(engine.logits(i)));
    const bool done = std::all_of(all.begin(), all.end(), [&](const auto& t) {
      return out[static_cast<size_t>(&t - all.data())].size() == t.size();
    });
    if (done) return out;
  }
}

TEST_CASE("model/sequences: several in one forward, interleaved and permuted, equal each alone") {
  const auto model = open_tiny({});
  const auto all = texts();
  std::vector<std::vector<Bits>> alone;
  for (const auto& tokens : all) alone.push_back(logits_of(model, tokens, {}));
  uint32_t seed = 0;
  for (const AttentionMode mode : {AttentionMode::kAuto, AttentionMode::kWalk, AttentionMode::kSplit}) {
    for (const bool interleave : {false, true}) {
      Engine engine(model, engine_options({.n_threads = 1 + seed % 3, .page_tokens = 16, .attention = mode}, false));
      const auto together = feed_together(engine, all, interleave, ++seed);
      for (size_t i = 0; i < all.size(); ++i) CHECK(together[i] == alone[i]);
    }
  }
}

TEST_CASE("model/sequences: truncate and continue equals having come straight") {
  const auto model = open_tiny({});
  std::vector<int32_t> tokens = random_tokens(400, 3);
  const std::vector<Bits> straight = logits_of(model, tokens, {});
  for (const uint32_t page : {1u, 16u, 64u}) {
    Engine engine(model, engine_options({.n_threads = 2, .page_tokens = page}, false));
    kv::Sequence sequence(engine.pages());
    feed(engine, sequence, std::span(tokens).first(250), 64);
    feed(engine, sequence, random_tokens(37, 99), 7);
    sequence.truncate(201);
    const std::vector<Bits> rest = feed(engine, sequence, std::span(tokens).subspan(201), 64);
    CHECK(std::equal(rest.begin(), rest.end(), straight.begin() + 201));
  }
}

TEST_CASE("model/sequences: forks and their parent equal separate sequences") {
  const auto model = open_tiny({});
  const std::vector<int32_t> prompt = random_tokens(290, 4);
  Engine engine(model, engine_options({.n_threads = 2}, false));
  kv::Sequence parent(engine.pages());
  feed(engine, parent, prompt, 64);
  constexpr int64_t kForkAt[] = {290, 290, 256, 100, 290};
  std::vector<kv::Sequence> forks;
  for (const int64_t at : kForkAt) forks.push_back(parent.fork(at));
  std::vector<kv::Sequence*> all{&parent};
  for (kv::Sequence& f : forks) all.push_back(&f);
  const std::vector<int32_t> tails[] = {random_tokens(30, 50), random_tokens(30, 51), random_tokens(30, 52),
                                        random_tokens(30, 53), random_tokens(30, 54), random_tokens(30, 55)};
  std::vector<std::vector<Bits>> got(all.size());
  for (size_t step = 0; step < 30; ++step) {  // rounds: one row of each
    std::vector<Row> rows;
    for (uint32_t s = 0; s < all.size(); ++s) rows.push_back({tails[s][step], s, all[s]->length(), true});
    engine.forward(all, rows);
    for (size_t s = 0; s < all.size(); ++s) got[s].push_back(bits_of(engine.logits(s)));
  }
  for (size_t s = 0; s < all.size(); ++s) {
    const int64_t at = s == 0 ? 290 : kForkAt[s - 1];
    std::vector<int32_t> tokens(prompt.begin(), prompt.begin() + at);
    tokens.insert(tokens.end(), tails[s].begin(), tails[s].end());
    const std::vector<Bits> alone = logits_of(model, tokens, {.chunk = 17});
    CHECK(std::equal(got[s].begin(), got[s].end(), alone.begin() + at));
  }
}

}  // namespace
}  // namespace nxs::model
