// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/token_table.h"

#include <doctest/doctest.h>

#include <string>

#include "text/merge_table.h"

namespace nxs::text {

TEST_CASE("text/token_table: finds what was entered, and the first of equals") {
  constexpr int32_t kTokens = 3000;
  StringTable texts;
  for (int32_t i = 0; i < kTokens; ++i) texts.push_back(std::to_string(i * 7));
  texts.push_back("7");
  TokenTable table(kTokens);
  for (int32_t i = 0; i < kTokens; ++i) CHECK(table.insert(texts, i));
  CHECK_FALSE(table.insert(texts, kTokens));
  for (int32_t i = 0; i < kTokens; ++i) CHECK(table.find(texts, std::to_string(i * 7)) == i);
  CHECK(table.find(texts, "8") == -1);
  CHECK(table.find(texts, "") == -1);
  CHECK(TokenTable().find(texts, "7") == -1);
}

TEST_CASE("text/merge_table: ranks count up, and the last of equals counts") {
  MergeTable table(3);
  table.insert(1, 2, 10);
  table.insert(2, 1, 11);
  table.insert(1, 2, 12);
  CHECK(table.find(1, 2).rank == 2);
  CHECK(table.find(1, 2).token == 12);
  CHECK(table.find(2, 1).rank == 1);
  CHECK(table.find(2, 2).rank == -1);
  const std::vector<MergeTable::Entry> merges = table.by_rank();
  REQUIRE(merges.size() == 2);
  CHECK(merges[0].token == 11);
  CHECK(merges[1].token == 12);
  CHECK(MergeTable().find(0, 0).rank == -1);
}

}  // namespace nxs::text
