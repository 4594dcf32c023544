// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/vote.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "support/error_of.h"

namespace nxs::decode {
namespace {

using Answers = std::vector<Answer>;

Answers random_answers(std::mt19937& random, size_t n, uint32_t kinds) {
  Answers answers(n);
  for (Answer& a : answers) {
    const uint32_t kind = static_cast<uint32_t>(random()) % kinds;
    if (kind != 0) a = std::to_string(kind);
  }
  return answers;
}

Tally tally_of(const Answers& answers) {
  Tally tally;
  for (const Answer& answer : answers) tally.add(answer);
  return tally;
}

std::vector<Ranked> rank(Tally& tally) {
  std::vector<Ranked> ranks;
  for (const Ranked* r : tally.ranks()) ranks.push_back(*r);
  return ranks;
}
std::vector<Ranked> rank(const Answers& answers) {
  Tally tally = tally_of(answers);
  return rank(tally);
}

bool is_tie(const Answers& answers) {
  Tally tally = tally_of(answers);
  return decode::is_tie(tally.ranks());
}

std::string winner(const Answers& answers) {
  const auto ranks = rank(answers);
  return ranks.empty() ? "(none)" : ranks[0].answer;
}

std::string vote_receipt(const std::vector<std::string>& receipts, const Answers& answers) {
  VoteReceipt receipt;
  receipt.begin(receipts.size());
  for (size_t s = 0; s < receipts.size(); ++s) receipt.add(receipts[s], answers[s] ? &*answers[s] : nullptr);
  return receipt.finish().data();
}

TEST_CASE("decode/vote: most votes, then the lowest sample; ties are told") {
  const auto tie = rank(Answers{"5", "7", "5", "7"});
  REQUIRE(tie.size() == 2);
  CHECK(tie[0].answer == "5");
  CHECK(tie[0].votes == 2);
  CHECK(tie[1].first == 1);
  CHECK(is_tie({"5", "7", "5", "7"}));
  CHECK(winner({"1", "2", "3"}) == "1");
  CHECK(winner({"1", "2", "2"}) == "2");
  CHECK_FALSE(is_tie({"1", "2", "2"}));
  const auto one = rank(Answers{std::nullopt, std::nullopt, "4", std::nullopt});
  REQUIRE(one.size() == 1);
  CHECK(one[0].votes == 1);
  CHECK(one[0].first == 2);
  CHECK_FALSE(is_tie({std::nullopt, "4"}));
  CHECK(rank({std::nullopt, std::nullopt}).empty());
  CHECK(rank(Answers{}).empty());
  CHECK(winner({"7", "07"}) == "7");
}

TEST_CASE("decode/vote: counts do not depend on the order, and sum to the samples that answered") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    Answers answers = random_answers(random, random() % 12, 5);
    const auto ranks = rank(answers);
    const auto answered = std::count_if(answers.begin(), answers.end(), [](const Answer& a) { return a.has_value(); });
    int64_t sum = 0;
    for (const Ranked& r : ranks) {
      sum += r.votes;
      REQUIRE(std::count(answers.begin(), answers.end(), r.answer) == r.votes);
      REQUIRE(answers[static_cast<size_t>(r.first)] == r.answer);
    }
    REQUIRE(sum == answered);
    std::shuffle(answers.begin(), answers.end(), random);
    const auto shuffled = rank(answers);
    REQUIRE(shuffled.size() == ranks.size());
    if (!ranks.empty() && !is_tie(answers)) REQUIRE(shuffled[0].answer == ranks[0].answer);
  }
}

// Decided means: whatever the rest would say, the winner stays. And it is said as early as that is true.
TEST_CASE("decode/vote: decided exactly when no rest can change the winner") {
  std::mt19937 random(2);
  size_t decided = 0, open = 0;
  for (int round = 0; round < 3000; ++round) {
    const size_t n = 1 + random() % 9, n_left = random() % 5;
    const Answers counted = random_answers(random, n, 4);
    bool can_change = false;
    size_t combinations = 1;
    for (size_t i = 0; i < n_left; ++i) combinations *= 6;
    for (size_t c = 0; c < combinations; ++c) {
      Answers all = counted;
      for (size_t i = 0, rest = c; i < n_left; ++i, rest /= 6) {
        all.push_back(rest % 6 == 0 ? Answer() : Answer(std::to_string(rest % 6)));
      }
      can_change = can_change || winner(all) != winner(counted);
    }
    const Tally tally = tally_of(counted);
    if (tally.n_answers() == 0 && n_left == 0) continue;
    REQUIRE(tally.is_decided(static_cast<int64_t>(n_left)) == !can_change);
    ++(can_change ? open : decided);
  }
  CHECK(decided > 300);
  CHECK(open > 300);
}

TEST_CASE("decode/vote: answers that are set count as if they had come so") {
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    Answers answers = random_answers(random, 1 + random() % 12, 5);
    Tally tally = tally_of(answers);
    for (int change = 0; change < 20; ++change) {
      const size_t s = random() % answers.size();
      answers[s] = random_answers(random, 1, 5)[0];
      tally.set(s, answers[s]);
      if (change % 3 == 0) continue;
      const auto ranks = rank(tally), fresh = rank(answers);
      REQUIRE(ranks.size() == fresh.size());
      REQUIRE(tally.n_answers() == fresh.size());
      for (size_t i = 0; i < ranks.size(); ++i) {
        REQUIRE(ranks[i].answer == fresh[i].answer);
        REQUIRE(ranks[i].votes == fresh[i].votes);
        REQUIRE(ranks[i].first == fresh[i].first);
      }
      REQUIRE((tally.answer(s) != nullptr) == answers[s].has_value());
    }
  }
}

// All different, which is the worst case: were something done for each answer at each step, this would take hours.
TEST_CASE("decode/vote: very many answers") {
  constexpr size_t kMany = 1 << 18;
  size_t n_decided = 0;
  Tally tally;
  for (size_t s = 0; s < kMany; ++s) {
    tally.add(std::to_string(s));
    n_decided += tally.is_decided(static_cast<int64_t>(kMany - s - 1)) ? 1 : 0;
  }
  CHECK(n_decided == 1);  // with the last
  for (size_t s = 0; s < kMany; ++s) tally.set(s, std::to_string(s / 2));
  CHECK(tally.ranks().size() == kMany / 2);
  CHECK(tally.ranks()[1]->answer == "1");
}

int64_t winning(const Answers& answers) {
  Tally tally = tally_of(answers);
  return winner_int64(tally.ranks());
}

TEST_CASE("decode/vote: the winner as a number") {
  CHECK(winning({"-9223372036854775808"}) == INT64_MIN);
  CHECK(winning({"9223372036854775807"}) == INT64_MAX);
  CHECK(winning({"0", "-3", "-3"}) == -3);
  for (const char* text : {"9223372036854775808", "99999999999999999999", "0.5", "", "x", "7 ", "+7"}) {
    const test::Thrown thrown = test::error_of([&] { winning({text}); });
    CHECK(thrown.status == Status::kRange);
    CHECK(thrown.names(text));
  }
  CHECK(test::error_of([] { winner_int64({}); }).status == Status::kNoAnswer);
}

TEST_CASE("decode/vote: the receipt tells receipts, answers and their places apart") {
  const std::vector<std::string> receipts = {"1:a", "1:b"};
  const std::string base = vote_receipt(receipts, Answers{"1", std::nullopt});
  CHECK(base.size() == 34);
  CHECK(base == vote_receipt(receipts, Answers{"1", std::nullopt}));
  CHECK(base != vote_receipt(receipts, Answers{std::nullopt, "1"}));
  CHECK(base != vote_receipt(receipts, Answers{"1", ""}));
  CHECK(base != vote_receipt(std::vector<std::string>{"1:b", "1:a"}, Answers{"1", std::nullopt}));
  CHECK(base != vote_receipt(std::vector<std::string>{"1:a"}, Answers{"1"}));
}

}  // namespace
}  // namespace nxs::decode
