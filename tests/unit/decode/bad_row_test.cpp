// SPDX-License-Identifier: Apache-2.0 OR MIT
// Votes some of whose samples meet values that are not finite.
#include <map>

#include "bad_token.h"
#include "support/error_of.h"
#include "vote_support.h"

namespace nxs::decode {
namespace {

TEST_CASE("decode/self_consistency: a bad row of one sample fails the vote as it fails a run") {
  Rig rig(model_with_bad_token());
  size_t failed = 0, good = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    std::vector<int32_t> prompt = random_tokens(6, seed);
    std::replace(prompt.begin(), prompt.end(), kBadToken, kBadToken + 1);
    const Params params = sampled(30, static_cast<int64_t>(seed));
    std::string message;
    for (size_t s = 0; s < 4 && message.empty(); ++s) {
      message = test::error_of([&] { single(rig, prompt, params, s); }).message;
    }
    ++(message.empty() ? good : failed);
    for (const VoteMode mode : kModes) {
      const auto sequence = rig.sequence();
      const test::Thrown thrown =
          test::error_of([&] { vote_on(rig.session, sequence, prompt, params, samples(4), mode); });
      CHECK(thrown.message == message);
      CHECK(thrown.status == (message.empty() ? Status::kOk : Status::kNumeric));
      if (!message.empty()) CHECK(sequence->size() == 0);
    }
  }
  CHECK(failed > 2);
  CHECK(good > 2);
}

/// Tokens of one seed's samples until each ends or meets its bad row.
std::vector<size_t> tokens_before_failing(Rig& rig, std::span<const int32_t> prompt, const Params& params, size_t n,
                                          size_t* n_failed) {
  std::vector<size_t> lengths(n);
  for (size_t s = 0; s < n; ++s) {
    Run run(rig.session, rig.sequence(), prompt, alone(params, s), nullptr);
    const test::Thrown thrown = test::error_of([&] {
      while (const Event* event = run.next()) lengths[s] += event->kind == Event::Kind::kToken ? 1 : 0;
    });
    *n_failed += thrown.status == Status::kOk ? 0 : 1;
  }
  return lengths;
}

// Sample 0 is the longest and goes well; the vote is cancelled once others have met their bad rows.
TEST_CASE("decode/self_consistency: a bad row that no single run would reach fails nothing") {
  Rig rig(model_with_bad_token());
  size_t tried = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::vector<int32_t> prompt = random_tokens(6, seed);
    std::replace(prompt.begin(), prompt.end(), kBadToken, kBadToken + 1);
    const Params params = sampled(30, static_cast<int64_t>(seed));
    size_t n_failed = 0;
    const std::vector<size_t> lengths = tokens_before_failing(rig, prompt, params, 6, &n_failed);
    const bool longest = std::max_element(lengths.begin(), lengths.end()) == lengths.begin();
    if (n_failed == 0 || !longest || lengths[0] < 30) continue;
    ++tried;
    const auto listener = [](int32_t s, const Event& event) { return s == 0 && event.index == 29 ? 1 : 0; };
    const VoteRecord vote =
        vote_on(rig.session, rig.sequence(), prompt, params, samples(6), VoteMode::kBatched, listener);
    for (size_t s = 1; s < 6; ++s) {
      // One that failed has all tokens before its bad row.
      CHECK(vote.samples[s].tokens.size() == std::min<size_t>(lengths[s], 29));
      CHECK(vote.samples[s].receipt.size() == 34);
    }
  }
  CHECK(tried > 0);
}

TEST_CASE("decode/self_consistency: a sample with a bad row that is not needed has an end") {
  Rig rig(model_with_bad_token());
  size_t skipped_bad = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::vector<int32_t> prompt = random_tokens(6, seed);
    std::replace(prompt.begin(), prompt.end(), kBadToken, kBadToken + 1);
    const Params params = sampled(12, static_cast<int64_t>(seed), 0.6f);
    std::map<int32_t, int> ends;  // of those that began
    const auto listener = [&](int32_t s, const Event& event) {
      if (event.kind != Event::Kind::kPrefill) ends[s] += event.kind == Event::Kind::kEnd ? 1 : 0;
      return 0;
    };
    VoteRecord vote;
    const test::Thrown thrown = test::error_of([&] {
      vote = vote_on(rig.session, rig.sequence(), prompt, params, samples(8, 0, true), VoteMode::kBatched, listener);
    });
    if (thrown.status != Status::kOk || vote.n_skipped == 0) continue;
    for (const auto& [s, n] : ends) CHECK(n == 1);
    size_t n_failed = 0;
    tokens_before_failing(rig, prompt, params, 8, &n_failed);
    skipped_bad += n_failed;
  }
  CHECK(skipped_bad > 0);
}

}  // namespace
}  // namespace nxs::decode
