// SPDX-License-Identifier: Apache-2.0 OR MIT
// Votes against single runs, where the C interface cannot look: pages, and failures half-way.
#include "decode/self_consistency.h"

#include <doctest/doctest.h>

#include <map>

#include "support/error_of.h"
#include "vote_support.h"

namespace nxs::decode {
namespace {

size_t used(Rig& rig) {
  return rig.session.engine.pages().n_pages() - rig.session.engine.pages().n_free();
}

TEST_CASE("decode/self_consistency: each sample is a plain run with its seed, in every mode and batch") {
  Rig rig(open_tiny(2));
  size_t different = 0;
  for (const size_t n_prompt : {1, 3, 4, 5, 16, 33}) {
    const std::vector<int32_t> prompt = random_tokens(n_prompt, static_cast<uint32_t>(n_prompt));
    Params params = sampled(20);
    params.logprobs = n_prompt == 5;
    for (const VoteMode mode : kModes) {
      for (const uint32_t max_batch : {0u, 1u, 3u}) {
        const auto sequence = rig.sequence();
        const VoteRecord vote = vote_on(rig.session, sequence, prompt, params, samples(8, max_batch), mode);
        REQUIRE(vote.samples.size() == 8);
        for (size_t s = 0; s < 8; ++s) check_same(vote.samples[s], single(rig, prompt, params, s));
        different += vote.samples[0].tokens != vote.samples[1].tokens ? 1 : 0;
        CHECK(sequence->tokens == prompt);
        CHECK(sequence->cache.length() == static_cast<int64_t>(n_prompt));
        CHECK(used(rig) == sequence->cache.pages().size());
      }
    }
  }
  CHECK(different > 20);
}

TEST_CASE("decode/self_consistency: a prefix, its tail, and more samples over the same prompt") {
  Rig rig(open_tiny(2));
  const std::vector<int32_t> prefix = random_tokens(9, 1), prompt = random_tokens(6, 2);
  for (const VoteMode mode : kModes) {
    const auto a = rig.sequence(), b = rig.sequence();
    rig.run(a, prefix, sampled(3), nullptr);
    rig.run(b, prefix, sampled(3), nullptr);
    const VoteRecord vote = vote_on(rig.session, a, prompt, sampled(12), samples(3), mode);
    check_same(vote.samples[0], rig.run(std::make_shared<TokenSequence>(*b, b->size()), prompt, sampled(12), nullptr));
    const auto n_prompt = static_cast<int64_t>(a->size());
    CHECK(vote.stats.n_prompt == n_prompt);
    CHECK(vote.stats.n_reused == b->cache.length());
    const VoteRecord more = vote_on(rig.session, a, {}, sampled(12, 99), samples(3), mode);
    CHECK(more.stats.n_reused == n_prompt - 1);
    Params other = sampled(12, 99);
    other.sampling.seed += 2 * 7919;
    check_same(more.samples[2], rig.run(b, prompt, other, nullptr));
    CHECK(a->size() == n_prompt);
  }
}

TEST_CASE("decode/self_consistency: counts close") {
  Rig rig(open_tiny(2));
  const std::vector<int32_t> prompt = random_tokens(21, 3);
  for (const VoteMode mode : kModes) {
    const VoteRecord vote = vote_on(rig.session, rig.sequence(), prompt, sampled(15), samples(6), mode);
    int64_t rows = 0, decode_forwards = 0;
    for (const Record& r : vote.samples) {
      CHECK(r.stats.n_prompt == 21);
      rows += r.stats.n_rows - (r.stats.n_prompt - r.stats.n_reused);
      decode_forwards = std::max(decode_forwards, r.stats.n_forwards);
      CHECK(r.stats.n_reused == (mode == VoteMode::kReset ? 0 : 21));
    }
    const int64_t prefills = mode == VoteMode::kReset ? 6 : 1;
    CHECK(vote.stats.n_rows == 21 * prefills + rows);
    CHECK(vote.stats.n_forwards == (mode == VoteMode::kBatched ? 2 + decode_forwards : 2 * prefills + rows));
  }
}

TEST_CASE("decode/self_consistency: max_new 0 and 1, and a context that ends") {
  Rig rig(open_tiny(2));
  const std::vector<int32_t> prompt = random_tokens(7, 3);
  const std::vector<int32_t> long_prompt = random_tokens(2045, 4);
  for (const VoteMode mode : kModes) {
    for (const int64_t max_new : {0, 1, 2}) {
      const VoteRecord vote = vote_on(rig.session, rig.sequence(), prompt, sampled(max_new), samples(3), mode);
      for (size_t s = 0; s < 3; ++s) check_same(vote.samples[s], single(rig, prompt, sampled(max_new), s));
    }
    Params params = sampled(-1);
    params.ignore_stop = true;
    const VoteRecord vote = vote_on(rig.session, rig.sequence(), long_prompt, params, samples(2), mode);
    CHECK(vote.samples[1].stop == Stop::kContext);
    CHECK(vote.samples[1].tokens.size() == 3);
  }
}

// Pages: the prompt's, and one more for each fork that has appended (its copy of the open page, or a fresh one).
TEST_CASE("decode/self_consistency: what forks take from the pool") {
  const auto model = open_tiny();
  for (const size_t n_prompt : {600, 640}) {
    Session session(model, {1, kernels::Isa::kBest, false, 64, 0}, model->config.n_ctx, 256);
    const auto sequence = std::make_shared<TokenSequence>(session.engine.pages());
    const std::vector<int32_t> prompt = random_tokens(n_prompt, 1);
    Params params = sampled(4);
    params.ignore_stop = true;
    std::map<int64_t, size_t> used_at;  // by number of tokens that each fork has appended
    const auto listener = [&](int32_t sample, const Event& event) {
      const kv::PagePool& pool = session.engine.pages();
      if (sample == 7 && event.kind == Event::Kind::kToken) used_at[event.index] = pool.n_pages() - pool.n_free();
      return 0;
    };
    vote_on(session, sequence, prompt, params, samples(8), VoteMode::kBatched, listener);
    const size_t pages = (n_prompt + 63) / 64;
    CHECK(used_at[0] == pages);      // chosen from the prompt's row, not appended yet
    CHECK(used_at[1] == pages + 8);  // each has appended its first token
    CHECK(used_at[3] == pages + 8);
    CHECK(session.engine.pages().n_used_peak() == pages + 8);
  }
}

TEST_CASE("decode/self_consistency: a small pool makes waves of the same bytes, one too small changes nothing") {
  const auto model = open_tiny(2);
  const std::vector<int32_t> prompt = random_tokens(10, 3);
  Rig roomy(model);
  Params params = sampled(9);
  params.ignore_stop = true;
  const VoteRecord all = vote_on(roomy.session, roomy.sequence(), prompt, params, samples(7), VoteMode::kBatched);
  for (int64_t pages = 1; pages <= 12; ++pages) {
    for (const VoteMode mode : kModes) {
      Rig rig(model, 4 * pages);
      const auto sequence = rig.sequence();
      VoteRecord vote;
      const test::Thrown thrown =
          test::error_of([&] { vote = vote_on(rig.session, sequence, prompt, params, samples(7), mode); });
      // The prompt's 3 pages, and from its third one on those of 19 tokens.
      CHECK(thrown.status == (pages < 6 ? Status::kKvFull : Status::kOk));
      if (thrown.status != Status::kOk) {
        CHECK(used(rig) == 0);
        CHECK(sequence->size() == 0);
        CHECK(rig.session.engine.pages().n_used_peak() == 0);
        continue;
      }
      REQUIRE(vote.samples.size() == 7);
      for (size_t s = 0; s < 7; ++s) check_same(vote.samples[s], all.samples[s]);
      const int64_t lanes = mode == VoteMode::kBatched ? (pages - 3) / 3 : 1;
      CHECK(rig.session.engine.pages().n_used_peak() <= static_cast<size_t>(3 + 3 * lanes));
      CHECK(used(rig) == 3);
    }
  }
}

std::string winner(const VoteRecord& vote) {
  Tally tally;
  for (size_t s = 0; s < vote.tally.size(); ++s) {
    const std::string* answer = vote.tally.answer(s);
    tally.add(answer ? Answer(*answer) : std::nullopt);
  }
  return tally.ranks().empty() ? "" : tally.ranks()[0]->answer;
}

TEST_CASE("decode/self_consistency: early decision keeps the winner, and skips the same samples in every mode") {
  Rig rig(open_tiny(2));
  int32_t skipped = 0;
  for (uint32_t round = 0; round < 12; ++round) {
    const std::vector<int32_t> prompt = random_tokens(6, round);
    // Texts of a tiny model are noise: a low temperature and short texts make answers that agree now and then.
    const Params params = sampled(10, round, 0.3f);
    const VoteRecord full = vote_on(rig.session, rig.sequence(), prompt, params, samples(9), VoteMode::kBatched);
    std::vector<std::string> receipts;
    for (const VoteMode mode : kModes) {
      for (const uint32_t max_batch : {0u, 2u}) {
        const VoteRecord early =
            vote_on(rig.session, rig.sequence(), prompt, params, samples(9, max_batch, true), mode);
        CHECK(static_cast<int32_t>(early.samples.size()) + early.n_skipped == 9);
        skipped += early.n_skipped;
        for (size_t s = 0; s < early.samples.size(); ++s) check_same(early.samples[s], full.samples[s]);
        CHECK(winner(early) == winner(full));
        receipts.push_back(std::to_string(early.samples.size()));
      }
    }
    for (const std::string& r : receipts) CHECK(r == receipts[0]);
  }
  CHECK(skipped > 0);
}

using Log = std::vector<std::pair<int64_t, int32_t>>;  // (index, token) of one sample's events

TEST_CASE("decode/self_consistency: events of a sample are those of a single run, and every sample ends") {
  Rig rig(open_tiny(2));
  const std::vector<int32_t> prompt = random_tokens(20, 3);
  for (const VoteMode mode : kModes) {
    std::map<int32_t, Log> logs;
    std::map<int32_t, std::string> texts;
    const auto listener = [&](int32_t sample, const Event& event) {
      if (event.kind == Event::Kind::kPrefill) {
        CHECK((mode == VoteMode::kReset || sample == 0));
      } else {
        logs[sample].emplace_back(event.index, event.token);
        texts[sample] += event.text;
      }
      return 0;
    };
    const VoteRecord vote = vote_on(rig.session, rig.sequence(), prompt, sampled(12), samples(5), mode, listener);
    REQUIRE(logs.size() == 5);
    for (int32_t s = 0; s < 5; ++s) {
      const Record& record = vote.samples[static_cast<size_t>(s)];
      Log want;
      for (size_t i = 0; i < record.tokens.size(); ++i) want.emplace_back(i, record.tokens[i]);
      want.emplace_back(record.tokens.size(), -1);
      CHECK(logs[s] == want);
      CHECK(texts[s] == record.text);
    }
  }
}

TEST_CASE("decode/self_consistency: cancelled at any event") {
  Rig rig(open_tiny(2));
  const std::vector<int32_t> prompt = random_tokens(20, 3);
  Params params = sampled(6);
  params.ignore_stop = true;
  for (const VoteMode mode : kModes) {
    const VoteRecord full = vote_on(rig.session, rig.sequence(), prompt, params, samples(3), mode);
    for (int at = 0; at < 26; ++at) {
      const auto sequence = rig.sequence();
      int n_events = 0;
      size_t n_tokens = 0;
      const auto listener = [&](int32_t, const Event& event) {
        n_tokens += event.kind == Event::Kind::kToken ? 1 : 0;
        return n_events++ == at ? 1 : 0;
      };
      const VoteRecord vote = vote_on(rig.session, sequence, prompt, params, samples(3), mode, listener);
      CAPTURE(at);
      CAPTURE(mode);
      REQUIRE(vote.tally.size() == 3);
      size_t total = 0;
      for (size_t s = 0; s < 3; ++s) {
        const Record r = sample(vote, s);
        const std::vector<int32_t>& all = full.samples[s].tokens;
        REQUIRE(r.tokens.size() <= all.size());
        CHECK(std::equal(r.tokens.begin(), r.tokens.end(), all.begin()));
        CHECK(r.receipt.size() == 34);
        if (r.stop == Stop::kCancelled) {
          CHECK(vote.tally.answer(s) == nullptr);
          CHECK(vote.stop == Stop::kCancelled);
        }
        total += r.tokens.size();
      }
      CHECK(total == n_tokens);
      // As a run does: nothing stays of one that was cancelled before its first token.
      CHECK(sequence->size() == (total == 0 ? 0 : 20));
      CHECK(used(rig) == sequence->cache.pages().size());
    }
    rig.session.cancel = 1;
    const VoteRecord none = vote_on(rig.session, rig.sequence(), prompt, params, samples(3), mode);
    // Those that did not begin have the receipts of runs that were cancelled at once.
    for (size_t s = 0; s < 3; ++s) {
      Run run(rig.session, rig.sequence(), prompt, alone(params, s), nullptr);
      while (run.next() != nullptr) {
      }
      check_same(sample(none, s), run.record());
      CHECK(sample(none, s).stop == Stop::kCancelled);
    }
    rig.session.cancel = 0;
    CHECK(none.tally.size() == 3);
  }
}

TEST_CASE("decode/self_consistency: a callback that fails undoes everything, at any event") {
  Rig rig(open_tiny(2));
  const std::vector<int32_t> prefix = random_tokens(5, 2), prompt = random_tokens(20, 3);
  const auto sequence = rig.sequence();
  rig.run(sequence, prefix, sampled(2), nullptr);
  const std::vector<int32_t> before = sequence->tokens;
  const size_t pages = used(rig);
  for (const VoteMode mode : kModes) {
    for (int at = 0; at < 20; ++at) {
      int n_events = 0;
      const auto listener = [&](int32_t, const Event&) { return n_events++ == at ? -1 : 0; };
      const test::Thrown thrown =
          test::error_of([&] { vote_on(rig.session, sequence, prompt, sampled(8), samples(3), mode, listener); });
      if (n_events <= at) break;
      CHECK(thrown.status == Status::kCallback);
      CHECK(sequence->tokens == before);
      CHECK(used(rig) == pages);
    }
  }
}

}  // namespace
}  // namespace nxs::decode
