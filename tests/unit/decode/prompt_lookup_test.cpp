// SPDX-License-Identifier: Apache-2.0 OR MIT
// The index against the scan that it replaces.
#include "decode/prompt_lookup.h"

#include <doctest/doctest.h>

#include "decode_support.h"

namespace nxs::decode {
namespace {

/// For g = ngram_max down to ngram_min: from right to left, the first place in `text` where the context's last g tokens
/// stand and something follows.
std::vector<int32_t> scan(std::span<const int32_t> context, std::span<const int32_t> text, const LookupLimits& limits,
                          size_t most) {
  for (size_t g = limits.ngram_max; g >= limits.ngram_min; --g) {
    if (g > context.size()) continue;
    const auto suffix = context.last(g);
    for (size_t p = text.size(); p-- > 0;) {
      if (p + g >= text.size() || !std::equal(suffix.begin(), suffix.end(), text.begin() + static_cast<ptrdiff_t>(p)))
        continue;
      const auto from = text.subspan(p + g, std::min({most, limits.draft_max, text.size() - p - g}));
      return {from.begin(), from.end()};
    }
  }
  return {};
}

std::vector<int32_t> draft(const PromptLookup& lookup, size_t most) {
  std::vector<int32_t> out(most, -9);
  out.resize(lookup.draft(out));
  return out;
}

LookupLimits random_limits(std::mt19937& random) {
  LookupLimits limits;
  limits.ngram_min = 1 + random() % 4;
  limits.ngram_max = limits.ngram_min + random() % 5;
  limits.draft_max = random() % 10;
  return limits;
}

TEST_CASE("decode/prompt_lookup: equals the scan while tokens arrive and go") {
  std::mt19937 random(7);
  size_t found = 0, none = 0;
  for (int round = 0; round < 300; ++round) {
    const LookupLimits limits = random_limits(random);
    const uint64_t alphabet = 1 + random() % 6;
    PromptLookup lookup(limits);
    std::vector<int32_t> context;
    for (int step = 0; step < 60; ++step) {
      const size_t n = random() % 12 == 0 ? random() % 400 : 1 + random() % 7;
      for (size_t i = 0; i < n; ++i) context.push_back(static_cast<int32_t>(random() % alphabet));
      if (random() % 8 == 0) context.resize(random() % (context.size() + 1));
      if (random() % 8 == 0 && !context.empty()) context[random() % context.size()] ^= 1;
      if (context.size() > 900) context.resize(10);
      lookup.set_context(context);
      const size_t most = random() % 12;
      const std::vector<int32_t> want = scan(context, context, limits, most);
      REQUIRE(draft(lookup, most) == want);
      ++(want.empty() ? none : found);
    }
  }
  CHECK(found > 1000);
  CHECK(none > 100);
}

TEST_CASE(
    "decode/prompt_lookup: added text comes after the context, the last one first, and texts do not run together") {
  std::mt19937 random(8);
  size_t from_added = 0;
  for (int round = 0; round < 300; ++round) {
    LookupLimits limits = random_limits(random);
    limits.draft_max = 6;
    PromptLookup lookup(limits);
    std::vector<std::vector<int32_t>> texts;
    for (uint32_t i = 0; i < 1 + random() % 4; ++i) {
      texts.push_back(random_tokens(random() % 60, static_cast<uint32_t>(random()), 5));
      lookup.add_text(texts.back());
    }
    const std::vector<int32_t> context = random_tokens(1 + random() % 12, static_cast<uint32_t>(random()), 5);
    lookup.set_context(context);
    std::vector<int32_t> want = scan(context, context, limits, 6);
    if (want.empty()) {
      // The longest suffix first, over all texts.
      for (size_t g = limits.ngram_max; g >= limits.ngram_min && want.empty(); --g) {
        for (size_t i = texts.size(); i-- > 0 && want.empty();) want = scan(context, texts[i], {6, g, g}, 6);
      }
      from_added += want.empty() ? 0 : 1;
    }
    REQUIRE(draft(lookup, 6) == want);
  }
  CHECK(from_added > 50);
}

/// By scanning: of `drafted`, the tokens that followed the context's last g at `place`.
std::vector<Evidence> weighed(std::span<const int32_t> text, size_t place, size_t g, size_t drafted) {
  size_t before = place, behind = 0;
  while (before-- > 0 &&
         !std::equal(text.begin() + static_cast<ptrdiff_t>(before), text.begin() + static_cast<ptrdiff_t>(before + g),
                     text.end() - static_cast<ptrdiff_t>(g))) {
  }
  const bool compares = before < place;  // else it ran below 0
  while (behind < place + g && text[place + g - 1 - behind] == text[text.size() - 1 - behind]) ++behind;
  std::vector<Evidence> evidence;
  Evidence::Earlier earlier = compares ? Evidence::Earlier::kSame : Evidence::Earlier::kNone;
  for (size_t j = 0; j < drafted; ++j) {
    if (earlier == Evidence::Earlier::kOther) earlier = Evidence::Earlier::kNone;
    if (earlier == Evidence::Earlier::kSame && text[before + g + j] != text[place + g + j])
      earlier = Evidence::Earlier::kOther;
    evidence.push_back({static_cast<uint8_t>(std::min<size_t>(behind + j, Evidence::kMostMatched)), earlier});
  }
  return evidence;
}

TEST_CASE("decode/prompt_lookup: what speaks for a draft equals the scan's") {
  std::mt19937 random(9);
  size_t seen[3] = {};
  for (int round = 0; round < 2000; ++round) {
    const auto alphabet = static_cast<uint32_t>(1 + random() % 5);
    const std::vector<int32_t> text = random_tokens(4 + random() % 60, static_cast<uint32_t>(random()), alphabet);
    const size_t g = 1 + random() % 3;
    PromptLookup lookup({6, g, g});
    lookup.set_context(text);
    std::vector<int32_t> out(6);
    std::vector<Evidence> evidence(3);
    const size_t n = lookup.draft(out, &evidence);
    REQUIRE(evidence.size() == n);
    if (n == 0) continue;
    size_t place = text.size() - g;
    do --place;
    while (
        !std::equal(text.end() - static_cast<ptrdiff_t>(g), text.end(), text.begin() + static_cast<ptrdiff_t>(place)));
    const std::vector<Evidence> want = weighed(text, place, g, n);
    for (size_t j = 0; j < n; ++j) {
      REQUIRE(evidence[j].matched == want[j].matched);
      REQUIRE(evidence[j].earlier == want[j].earlier);
      ++seen[static_cast<size_t>(want[j].earlier)];
    }
  }
  for (const size_t times : seen) CHECK(times > 100);
}

TEST_CASE("decode/prompt_lookup: texts that end or begin say nothing") {
  PromptLookup lookup({6, 2, 2});
  lookup.add_text(std::vector<int32_t>{3, 1, 2});  // nothing follows: no place
  lookup.add_text(std::vector<int32_t>{1, 2, 5});
  lookup.add_text(std::vector<int32_t>{1, 2, 5, 6});
  lookup.set_context(std::vector<int32_t>{9, 1, 2});
  std::vector<int32_t> out(6);
  std::vector<Evidence> evidence;
  REQUIRE(lookup.draft(out, &evidence) == 2);
  CHECK(evidence[0].matched == 2);
  CHECK(evidence[0].earlier == Evidence::Earlier::kSame);
  CHECK(evidence[1].matched == 3);
  CHECK(evidence[1].earlier == Evidence::Earlier::kNone);
}

TEST_CASE("decode/prompt_lookup: the document's defaults") {
  PromptLookup lookup({});
  lookup.set_context(std::vector<int32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3});
  CHECK(draft(lookup, 100) == std::vector<int32_t>{4, 5, 6, 7, 8, 9});
  lookup.set_context(std::vector<int32_t>{5, 5, 5, 5});
  CHECK(draft(lookup, 100) == std::vector<int32_t>{5});
  lookup.set_context(std::vector<int32_t>{1, 2, 9, 9, 1, 2, 8, 1, 2});
  CHECK(draft(lookup, 2) == std::vector<int32_t>{8, 1});
  lookup.set_context(std::vector<int32_t>{1, 1});
  CHECK(draft(lookup, 100).empty());
  lookup.set_context(std::vector<int32_t>{});
  CHECK(draft(lookup, 100).empty());
  CHECK(lookup.largest_added() == -1);
  lookup.add_text(std::vector<int32_t>{3, 77, 4});
  CHECK(lookup.largest_added() == 77);
}

}  // namespace
}  // namespace nxs::decode
