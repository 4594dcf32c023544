// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "base/string_table.h"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("base/string_table: strings of every kind come back") {
  nxs::StringTable table;
  CHECK(table.empty());
  const std::string strings[] = {"one", "", std::string("a\0b", 3), std::string(5000, 'x'), ""};
  for (const std::string& string : strings) table.push_back(string);
  table.shrink_to_fit();
  REQUIRE(table.size() == 5);
  for (size_t i = 0; i < 5; ++i) CHECK(table[i] == strings[i]);
  CHECK(table.bytes() >= 5006 + 5 * 4);
}
