// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/pace.h"

#include <doctest/doctest.h>

using nxs::decode::Pace;

TEST_CASE("decode/pace: begins by drafting") {
  const Pace pace(0.08);
  CHECK(pace.length(3, 6) == 6);
  CHECK(pace.length(2, 0) == 0);
}

TEST_CASE("decode/pace: stops where drafts are wrong, and goes on when they become right unverified") {
  Pace pace(0.08);
  for (int i = 0; i < 40; ++i) pace.observe(2, false, pace.length(2, 6), 0);
  CHECK(pace.length(2, 6) == 0);
  CHECK(pace.length(3, 6) == 6);  // another class of drafts is judged by itself
  for (int i = 0; i < 10; ++i) pace.observe(2, true, 0, 0);
  CHECK(pace.length(2, 6) == 6);
}

TEST_CASE("decode/pace: shortens drafts whose later tokens are wrong") {
  Pace pace(0.08);
  for (int i = 0; i < 200; ++i) pace.observe(3, true, 6, 1);
  const size_t length = pace.length(3, 6);
  CHECK(length >= 1);
  CHECK(length <= 2);
}

TEST_CASE("decode/pace: a dearer row makes shorter drafts") {
  Pace cheap(0.02), dear(0.3);
  for (int i = 0; i < 30; ++i) {
    for (Pace* pace : {&cheap, &dear}) pace->observe(2, i % 3 == 0, 6, i % 3 == 0 ? 2 : 0);
  }
  CHECK(dear.length(2, 6) < cheap.length(2, 6));
}
