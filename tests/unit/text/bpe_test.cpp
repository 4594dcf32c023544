// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/bpe.h"

#include <doctest/doctest.h>

#include <random>

#include "unit/text/vocabulary_file.h"

using namespace nxs::text;
using namespace nxs::text::tests;

namespace {

/// The definition: the lowest rank anywhere, the leftmost of those, until none is left.
std::vector<int32_t> merge_slowly(const Vocabulary& vocabulary, std::vector<int32_t> tokens) {
  for (;;) {
    Merge best{-1, -1};
    size_t at = 0;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      const auto merge = vocabulary.merge(tokens[i], tokens[i + 1]);
      if (merge.rank >= 0 && (best.rank < 0 || merge.rank < best.rank)) {
        best = merge;
        at = i;
      }
    }
    if (best.rank < 0) return tokens;
    tokens[at] = best.token;
    tokens.erase(tokens.begin() + static_cast<ptrdiff_t>(at) + 1);
  }
}

}  // namespace

TEST_CASE("text/bpe: lowest rank first, leftmost among equals") {
  const Vocabulary vocabulary = VocabularyFile{.merges = {"b c", "a b", "a a", "aa a"}}.read();
  const auto merged = [&](std::string_view text) {
    std::vector<int32_t> tokens(text.begin(), text.end());
    BytePairMerger(vocabulary).merge(tokens);
    return tokens;
  };
  CHECK(merged("").empty());
  CHECK(merged("a") == std::vector<int32_t>{'a'});
  CHECK(merged("abc") == std::vector<int32_t>{'a', 256});
  CHECK(merged("ab") == std::vector<int32_t>{257});
  CHECK(merged("aaaaa") == std::vector<int32_t>{258, 259});
}

TEST_CASE("text/bpe: equals the definition on random words") {
  const Vocabulary vocabulary = VocabularyFile{
      .merges = {"a b", "b a", "ab a", "a a", "ba b", "aa ab", "c a", "aba ba", "b b", "bb c",
                 "aba aba"}}.read();
  BytePairMerger merger(vocabulary);
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::vector<int32_t> tokens(random() % 40);
    for (int32_t& token : tokens) token = static_cast<int32_t>('a' + random() % 3);
    const auto expected = merge_slowly(vocabulary, tokens);
    merger.merge(tokens);
    REQUIRE(tokens == expected);
  }
}
