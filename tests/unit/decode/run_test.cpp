// SPDX-License-Identifier: Apache-2.0 OR MIT
// Speculative runs against plain ones, where the C interface cannot look: every place of a draft, stop tokens within
// drafts, rows that are bad, memory that ends.
#include "decode/run.h"

#include <doctest/doctest.h>

#include "bad_token.h"
#include "support/error_of.h"

namespace nxs::decode {
namespace {

TEST_CASE("decode/run: every place of a draft is accepted and rejected, and nothing of it shows") {
  Rig rig(open_tiny());
  for (size_t k = 1; k <= 8; ++k) {
    std::vector<int64_t> accepted(k), rejected(k);
    for (uint32_t seed = 0; seed < 6; ++seed) {
      const std::vector<int32_t> prompt = random_tokens(10 + 7 * seed, seed);
      const Record plain = rig.run(prompt, {40, true}, nullptr);
      for (size_t wrong_at = 0; wrong_at <= k; ++wrong_at) {
        const auto drafter = std::make_shared<KnowingDrafter>(prompt.size(), plain.tokens, k, wrong_at, 5);
        const Record spec = rig.run(prompt, {40, true}, drafter);
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

// The cache after a speculative run is that of a plain one: what follows has the same rows.
TEST_CASE("decode/run: after a run the cache holds all but the last token, with the same bits") {
  Rig rig(open_tiny(3));
  const std::vector<int32_t> prompt = random_tokens(30, 4);
  const auto a = rig.sequence(), b = rig.sequence();
  const Record plain = rig.run(a, prompt, {25, true}, nullptr);
  const Record spec = rig.run(b, prompt, {25, true}, std::make_shared<KnowingDrafter>(30, plain.tokens, 6, 3, 9));
  check_same(plain, spec);
  CHECK(a->size() == 55);
  CHECK(a->cache.length() == 54);
  CHECK(b->cache.length() == 54);
  CHECK(a->tokens == b->tokens);
  const Record next_a = rig.run(a, {}, {25, true}, nullptr), next_b = rig.run(b, {}, {25, true}, nullptr);
  check_same(next_a, next_b);
  CHECK(next_a.stats.n_reused == 54);
  CHECK(next_a.stats.n_rows == 25);
}

TEST_CASE("decode/run: a stop token as the first, a middle or the last of a draft, or after it") {
  size_t stopped = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    Rig rig(open_tiny(1 + seed % 3));
    const std::vector<int32_t> prompt = random_tokens(12, seed);
    const Record through = rig.run(prompt, {150, true}, nullptr);
    const Record plain = rig.run(prompt, {150, false}, nullptr);
    if (plain.stop != Stop::kToken) continue;
    ++stopped;
    for (size_t k = 1; k <= 7; ++k) {
      const auto sequence = rig.sequence();
      const Record spec =
          rig.run(sequence, prompt, {150, false}, std::make_shared<KnowingDrafter>(12, through.tokens, k));
      check_same(plain, spec);
      const auto emitted = static_cast<int64_t>(plain.tokens.size());
      CHECK(sequence->size() == 12 + emitted);
      CHECK(sequence->cache.length() == 12 + std::max<int64_t>(emitted - 1, 0));
      CHECK(spec.n_accepted <= emitted);
    }
  }
  CHECK(stopped >= 5);
}

TEST_CASE("decode/run: a rejected draft may be bad, a row that plain decoding computes may not") {
  Rig rig(model_with_bad_token());
  size_t checked = 0;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::vector<int32_t> prompt = random_tokens(20, seed);
    std::replace(prompt.begin(), prompt.end(), kBadToken, kBadToken + 1);
    Record plain;
    if (test::error_of([&] { plain = rig.run(prompt, {30, true}, nullptr); }).status != Status::kOk) continue;
    for (size_t wrong_at = 0; wrong_at < 5; ++wrong_at) {
      const auto drafter = std::make_shared<KnowingDrafter>(20, plain.tokens, 5, wrong_at, kBadToken);
      check_same(plain, rig.run(prompt, {30, true}, drafter));
      ++checked;
    }
    // In the prompt it fails before anything else, wherever it stands.
    for (const size_t at : {size_t{0}, size_t{17}, prompt.size() - 1}) {
      std::vector<int32_t> bad = prompt;
      bad[at] = kBadToken;
      const auto sequence = rig.sequence();
      const test::Thrown thrown = test::error_of([&] { rig.run(sequence, bad, {30, true}, nullptr); });
      CHECK(thrown.status == Status::kNumeric);
      CHECK(thrown.names("position " + std::to_string(at)));
      CHECK(thrown.names("layer 0"));
      CHECK(sequence->size() == 0);
      CHECK(sequence->cache.length() == 0);
    }
  }
  CHECK(checked > 10);
}

// Where plain decoding itself runs into the bad token, both fail with the same words after the same events.
TEST_CASE("decode/run: a bad row of the output fails plain and speculative runs alike") {
  const auto good_model = [] {
    selftest::TinyModelOptions options;
    options.layers = options.head = tensor::DType::kF32;
    options.tied = false;
    return open_bytes(selftest::tiny_model(options));
  }();
  Rig good(good_model), rig(model_with_bad_token());
  size_t failed = 0;
  for (uint32_t seed = 0; seed < 200 && failed < 4; ++seed) {
    std::vector<int32_t> prompt = random_tokens(20, seed);
    std::replace(prompt.begin(), prompt.end(), kBadToken, kBadToken + 1);
    const Record through = good.run(prompt, {60, true}, nullptr);
    const auto at = std::find(through.tokens.begin(), through.tokens.end(), kBadToken);
    if (at == through.tokens.end() || at + 1 == through.tokens.end()) continue;
    ++failed;
    for (size_t k = 0; k <= 6; ++k) {
      const auto sequence = rig.sequence();
      Run run(rig.session, sequence, prompt, {60, true}, std::make_shared<KnowingDrafter>(20, through.tokens, k));
      int64_t tokens = 0;
      const test::Thrown thrown = test::error_of([&] {
        while (const Event* event = run.next()) tokens += event->kind == Event::Kind::kToken ? 1 : 0;
      });
      CHECK(thrown.status == Status::kNumeric);
      CHECK(thrown.names("position " + std::to_string(20 + (at - through.tokens.begin()))));
      CHECK(tokens == at - through.tokens.begin() + 1);
      CHECK(sequence->size() == 0);
      CHECK(sequence->published() == 0);
      CHECK(test::error_of([&] { run.next(); }).status == Status::kNumeric);
      CHECK(test::error_of([&] { run.record(); }).status == Status::kNumeric);
    }
  }
  CHECK(failed > 0);
}

// A draft asks for no page that plain decoding could do without.
TEST_CASE("decode/run: drafts shrink where the pool ends") {
  const auto model = open_tiny();
  Rig roomy(model);
  const std::vector<int32_t> prompt = random_tokens(9, 2);
  const Record through = roomy.run(prompt, {60, true}, nullptr);
  for (int64_t pool = 12; pool <= 40; pool += 4) {
    Rig rig(model, pool);
    const Record plain = rig.run(prompt, {60, true}, nullptr);
    CHECK(plain.stop == Stop::kKvFull);
    CHECK(static_cast<int64_t>(plain.tokens.size()) == pool + 1 - 9);
    for (size_t k = 1; k <= 8; ++k) {
      check_same(plain, rig.run(prompt, {60, true}, std::make_shared<KnowingDrafter>(9, through.tokens, k)));
      CHECK(rig.session.engine.pages().n_free() == rig.session.engine.pages().n_pages());
    }
  }
}

}  // namespace
}  // namespace nxs::decode
