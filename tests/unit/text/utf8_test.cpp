// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/utf8.h"

#include <doctest/doctest.h>

#include "text/utf8_stream.h"

using namespace nxs::text;
using namespace std::string_literals;

TEST_CASE("text/utf8: what is a character and what is not") {
  CHECK(utf8_length("a") == 1);
  CHECK(utf8_length("\0"s) == 1);
  CHECK(utf8_length("\xc2\x80") == 2);
  CHECK(utf8_length("\xef\xbf\xbd") == 3);
  CHECK(utf8_length("\xf4\x8f\xbf\xbf") == 4);
  CHECK(utf8_decode("\xf4\x8f\xbf\xbf") == 0x10ffff);
  CHECK(utf8_decode("\xe2\x82\xac") == 0x20ac);
  for (const char* bad : {"", "\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe6\xad",
                          "\xe6\xad"
                          "a",
                          "\xf0\x9f"}) {
    CAPTURE(std::string(bad));
    CHECK(utf8_length(bad) == 0);
  }
}

TEST_CASE("text/utf8: runs of characters and of stray bytes") {
  const std::string text = "a\xc3\xa9\xff\xfe\xf4\x90\x80\x80z";
  CHECK(utf8_run(text, true) == 3);
  CHECK(utf8_run(text.substr(3), false) == 6);
  CHECK(utf8_run("", true) == 0);
}

TEST_CASE("text/utf8: composition") {
  CHECK(compose("e\xcc\x81") == "\xc3\xa9");
  CHECK(compose("plain") == "plain");
  CHECK(compose("\xe1\x84\x80\xe1\x85\xa1") == "\xea\xb0\x80");              // Hangul
  CHECK(compose("\xe2\x84\xab") == "\xc3\x85");                              // a singleton: the sign of Angstrom
  CHECK(compose("\xe0\xa4\x95\xe0\xa4\xbc") == "\xe0\xa4\x95\xe0\xa4\xbc");  // excluded from composition
  CHECK(compose("a\xcc\x81\xcc\xa3") == "\xe1\xba\xa1\xcc\x81");             // marks are put in order first
}

TEST_CASE("text/utf8: composition of very many marks takes no quadratic time") {
  std::string marks = "a";
  for (int i = 0; i < 200'000; ++i) marks += i % 2 != 0 ? "\xcc\xa3" : "\xcc\x81";
  const std::string composed = compose(marks);
  CHECK(composed.size() == marks.size());  // "a" and the first dot below became one character of three bytes
  CHECK(composed.substr(0, 5) == "\xe1\xba\xa1\xcc\xa3");
}

TEST_CASE("text/utf8_stream: whole characters come out, the rest waits") {
  Utf8Stream stream;
  CHECK(stream.push("ab\xf0\x9f") == "ab");
  CHECK(stream.push("\xa6") == "");
  CHECK(stream.push("\x99!") == "\xf0\x9f\xa6\x99!");
  CHECK(stream.push("\xe2\x82") == "");
  CHECK(stream.finish() == "\xe2\x82");
  CHECK(stream.finish() == "");
}

TEST_CASE("text/utf8_stream: bytes of no character come through at once") {
  Utf8Stream stream;
  CHECK(stream.push("\xff") == "\xff");
  CHECK(stream.push("\x80\x80") == "\x80\x80");
  CHECK(stream.push("\xe2") == "");
  CHECK(stream.push("a") ==
        "\xe2"
        "a");
  CHECK(stream.push("\xf4") == "");
  CHECK(stream.push("\x90") == "\xf4\x90");
  CHECK(stream.push("\xed") == "");
  CHECK(stream.push("\xa0") == "\xed\xa0");
}

TEST_CASE("text/utf8_stream: any cut of any bytes gives the same bytes") {
  const std::string text = "x\xf0\x9f\xa6\x99\xff\xe2\x82\xac\xc3\xf4\x90\xe6\xad";
  for (size_t a = 0; a <= text.size(); ++a) {
    for (size_t b = a; b <= text.size(); ++b) {
      Utf8Stream stream;
      std::string out;
      for (const auto& part : {text.substr(0, a), text.substr(a, b - a), text.substr(b)}) {
        out += stream.push(part);
      }
      out += stream.finish();
      CHECK(out == text);
    }
  }
}
