// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "base/status.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "base/checked.h"

using nxs::Error;
using nxs::fail;
using nxs::Status;

namespace {

std::string message_of(const std::string& text) {
  try {
    fail(Status::kFormat, "%s", text.c_str());
  } catch (const Error& e) {
    CHECK(e.status == Status::kFormat);
    return e.message;
  }
}

std::string repeat(const char* s, size_t n) {
  std::string all;
  for (size_t i = 0; i < n; ++i) all += s;
  return all;
}

}  // namespace

TEST_CASE("base/status: a short message is whole") {
  CHECK(message_of("tensor 'a': no such type") == "tensor 'a': no such type");
  CHECK(message_of("") == "");
  CHECK(message_of(std::string(251, 'x')) == std::string(251, 'x'));
  CHECK(message_of("schön €5 𝄞") == "schön €5 𝄞");
}

TEST_CASE("base/status: a long message loses its middle and keeps both ends") {
  const std::string cut = message_of("begin " + std::string(400, 'x') + " end");
  CHECK(cut == "begin " + std::string(118, 'x') + "..." + std::string(120, 'x') + " end");
  CHECK(cut.size() == 251);
  CHECK(message_of(std::string(126, 'a') + std::string(126, 'b')) ==
        std::string(124, 'a') + "..." + std::string(124, 'b'));
  // Longer than any buffer on the stack: the end is still there.
  CHECK(message_of(std::string(5000, 'a') + std::string(124, 'b')) ==
        std::string(124, 'a') + "..." + std::string(124, 'b'));
}

TEST_CASE("base/status: no character is cut in two") {
  for (size_t shift = 0; shift < 8; ++shift) {
    for (const char* character : {"ä", "€", "𝄞"}) {
      const std::string cut = message_of(std::string(shift, 'x') + repeat(character, 200));
      const size_t dots = cut.find("...");
      const size_t width = std::string(character).size();
      REQUIRE(dots != std::string::npos);
      CHECK(cut.size() <= 251);
      CHECK(cut.size() > 251 - 8);
      CHECK((dots - shift) % width == 0);
      CHECK((cut.size() - dots - 3) % width == 0);
    }
  }
}

TEST_CASE("base/status: what is no UTF-8 becomes a question mark") {
  CHECK(message_of("a\xff!") == "a?!");
  CHECK(message_of("\x80") == "?");                 // a continuation alone
  CHECK(message_of("\xc3") == "?");                 // cut short
  CHECK(message_of("\xe2\x82") == "??");            // cut short
  CHECK(message_of("\xc0\xaf") == "??");            // overlong
  CHECK(message_of("\xe0\x80\xaf") == "???");       // overlong
  CHECK(message_of("\xed\xa0\x80") == "???");       // a surrogate
  CHECK(message_of("\xf4\x90\x80\x80") == "????");  // beyond U+10FFFF
  CHECK(message_of("\xf0\x8f\xbf\xbf") == "????");  // overlong
  CHECK(message_of("\xf4\x8f\xbf\xbf") == "\xf4\x8f\xbf\xbf");
}

TEST_CASE("base/checked: sizes that do not fit throw and name what they are of") {
  CHECK(nxs::checked_mul(6, 7, "x") == 42);
  CHECK(nxs::checked_add(6, 7, "x") == 13);
  CHECK(nxs::checked_mul(0, SIZE_MAX, "x") == 0);
  CHECK(nxs::round_up(0, 64) == 0);
  CHECK(nxs::round_up(65, 64) == 128);
  const auto error_of = [](auto&& work) {
    try {
      work();
    } catch (const Error& e) {
      return std::string(e.message);
    }
    return std::string("nothing thrown");
  };
  CHECK(error_of([] { nxs::checked_mul(SIZE_MAX / 2, 3, "the cache"); }).starts_with("the cache: "));
  CHECK(error_of([] { nxs::checked_add(SIZE_MAX, 1, "the cache"); }).starts_with("the cache: "));
}
