// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/pace.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace nxs::decode {
namespace {

using Earlier = Evidence::Earlier;

constexpr double kCost = 0.11;

/// A draft of n tokens behind `matched` that are the same.
std::vector<Evidence> draft(size_t matched, size_t n, Earlier earlier = Earlier::kNone) {
  std::vector<Evidence> tokens;
  for (size_t j = 0; j < n; ++j)
    tokens.push_back({static_cast<uint8_t>(std::min<size_t>(matched + j, Evidence::kMostMatched)), earlier});
  return tokens;
}

TEST_CASE("decode/pace: begins by drafting, further the more speaks for it") {
  const Pace pace(kCost);
  CHECK(pace.length({}, 100) == 0);
  CHECK(pace.length(draft(1, 6), 100) >= 1);
  CHECK(pace.length(draft(2, 6), 100) >= pace.length(draft(1, 6), 100));
  CHECK(pace.length(draft(8, 6), 100) > pace.length(draft(2, 6), 100));
  CHECK(pace.length(draft(16, 6), 100) == 6);
  CHECK(pace.length(draft(2, 6, Earlier::kSame), 100) > pace.length(draft(2, 6), 100));
  CHECK(pace.length(draft(2, 6, Earlier::kOther), 100) < pace.length(draft(2, 6), 100));
}

TEST_CASE("decode/pace: ends a draft before the token that another place contradicts") {
  std::vector<Evidence> tokens = draft(2, 6);
  CHECK(Pace(kCost).length(tokens, 100) > 2);
  tokens[2].earlier = Earlier::kOther;
  CHECK(Pace(kCost).length(tokens, 100) == 2);
}

TEST_CASE("decode/pace: stops where drafts are wrong, and goes on when they become right unverified") {
  Pace pace(kCost);
  const std::vector<Evidence> tokens = draft(2, 6), other = draft(2, 6, Earlier::kSame);
  const size_t first = pace.length(tokens, 100), others = pace.length(other, 100);
  for (int i = 0; i < 80; ++i) pace.observe(tokens, false, pace.length(tokens, 100), 0);
  CHECK(pace.length(tokens, 100) == 0);
  CHECK(pace.length(other, 100) == others);  // another kind of drafts is judged by itself
  for (int i = 0; i < 20; ++i) pace.observe(tokens, true, 0, 0);
  CHECK(pace.length(tokens, 100) >= first);
}

TEST_CASE("decode/pace: comes back after any number of wrong drafts") {
  Pace pace(kCost);
  const std::vector<Evidence> tokens = draft(3, 6);
  for (int i = 0; i < 100000; ++i) pace.observe(tokens, false, 0, 0);
  CHECK(pace.length(tokens, 100) == 0);
  int needed = 0;
  for (; pace.length(tokens, 100) == 0 && needed < 200; ++needed) pace.observe(tokens, true, 0, 0);
  CHECK(needed < 60);
}

TEST_CASE("decode/pace: shortens drafts whose later tokens are wrong") {
  Pace pace(kCost);
  const std::vector<Evidence> tokens = draft(4, 6);
  const size_t before = pace.length(tokens, 100);
  for (int i = 0; i < 10; ++i) {
    const size_t verified = pace.length(tokens, 100);
    pace.observe(tokens, true, verified, std::min<size_t>(verified, 1));
  }
  CHECK(pace.length(tokens, 100) >= 1);
  CHECK(pace.length(tokens, 100) < before);
}

TEST_CASE("decode/pace: dearer rows and more keys make shorter drafts") {
  const std::vector<Evidence> tokens = draft(3, 6);
  size_t last = 6;
  for (const double cost : {0.02, 0.08, 0.2, 0.6}) {
    const size_t length = Pace(cost).length(tokens, 100);
    CHECK(length <= last);
    CHECK(Pace(cost).length(tokens, 8000) <= length);
    last = length;
  }
  CHECK(Pace(0.02).length(tokens, 100) == 6);
  CHECK(Pace(1).length(tokens, 100) <= 1);
  CHECK(Pace(kCost).length(tokens, 20000) < Pace(kCost).length(tokens, 0));
}

TEST_CASE("decode/pace: a long draft of which each token is right is verified whole") {
  Pace pace(kCost);
  const std::vector<Evidence> tokens = draft(16, 200, Earlier::kSame);
  CHECK(pace.length(tokens, 100) < 200);
  for (int i = 0; i < 20; ++i) {
    const size_t verified = pace.length(tokens, 100);
    pace.observe(tokens, true, verified, verified);
  }
  CHECK(pace.length(tokens, 100) == 200);
}

}  // namespace
}  // namespace nxs::decode
