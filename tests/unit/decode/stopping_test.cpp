// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/stopping.h"

#include <doctest/doctest.h>

#include "decode_support.h"

namespace nxs::decode {
namespace {

std::string random_text(std::mt19937& random, size_t n) {
  std::string text;
  for (size_t i = 0; i < n; ++i) text += static_cast<char>('a' + random() % 3);
  return text;
}

/// The end of the first stop string to be complete, and the earliest begin of those that end there.
struct Found {
  size_t begin, end;
};
Found search(const std::string& text, const std::vector<std::string>& stops) {
  for (size_t end = 1; end <= text.size(); ++end) {
    size_t begin = end;
    for (const std::string& s : stops) {
      if (s.size() <= end && text.compare(end - s.size(), s.size(), s) == 0) begin = std::min(begin, end - s.size());
    }
    if (begin < end) return {begin, end};
  }
  return {text.size(), text.size() + 1};
}

/// The longest end of the text that a stop string begins with.
size_t held(const std::string& text, const std::vector<std::string>& stops) {
  size_t most = 0;
  for (const std::string& s : stops) {
    for (size_t n = 1; n < s.size() && n <= text.size(); ++n) {
      if (text.compare(text.size() - n, n, s, 0, n) == 0) most = std::max(most, n);
    }
  }
  return most;
}

TEST_CASE(
    "decode/stopping: several stop strings, found and held back as by plain search, wherever the pieces are cut") {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    auto stops = std::make_shared<std::vector<std::string>>();
    for (uint32_t i = 0; i < random() % 4; ++i) stops->push_back(random_text(random, 1 + random() % 7));
    const std::string text = random_text(random, random() % 60);
    StopText search_while_growing(stops);
    const Found want = search(text, *stops);
    std::string so_far;
    bool stopped = false;
    while (so_far.size() < text.size() && !stopped) {
      const std::string piece = text.substr(so_far.size(), random() % 5);
      so_far += piece;
      stopped = search_while_growing.push(piece);
      REQUIRE(stopped == (want.end <= so_far.size()));
      if (stopped) {
        REQUIRE(search_while_growing.cut() == want.begin);
      } else {
        REQUIRE(search_while_growing.safe() == so_far.size() - held(so_far, *stops));
      }
    }
  }
}

TEST_CASE("decode/token_sequence: stop strings are sorted, each once, and a fork keeps those it began with") {
  kv::PagePool pool(kv::PageLayout(1, 1, 16, 4, false), 0);
  TokenSequence sequence(pool);
  sequence.add_stop("b");
  sequence.add_stop("a");
  sequence.add_stop("b");
  const TokenSequence fork(sequence, 0);
  CHECK(*fork.stops() == std::vector<std::string>{"a", "b"});
  sequence.clear_stops();
  CHECK(sequence.stops()->empty());
  CHECK(fork.stops()->size() == 2);
}

}  // namespace
}  // namespace nxs::decode
