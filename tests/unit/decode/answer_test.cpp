// SPDX-License-Identifier: Apache-2.0 OR MIT
// The grammar of answers, rule by rule; most inputs are such as other extractors get wrong.
#include "decode/answer.h"

#include <doctest/doctest.h>

#include <random>

namespace nxs::decode {
namespace {

const std::string kNone = "(none)";

std::string integer(std::string_view text) {
  return last_integer(text).value_or(kNone);
}
std::string number(std::string_view text) {
  return last_number(text).value_or(kNone);
}
std::string box(std::string_view text) {
  return boxed(text).value_or(kNone);
}

TEST_CASE("decode/answer: groups of three digits") {
  CHECK(integer("The answer is 1,234.") == "1234");
  CHECK(integer("The total is 72 clips, altogether.") == "72");
  CHECK(integer("1,234,567") == "1234567");
  CHECK(integer("12,34") == "34");
  CHECK(integer("1,23,456") == "456");
  CHECK(integer("1,2345") == "2345");
  CHECK(integer("1234,567") == "567");
  CHECK(integer("1,234,56") == "56");
  CHECK(integer("1.234,56") == "56");
  CHECK(integer("1 234") == "234");
  CHECK(integer("7, 12, 15") == "15");
}

TEST_CASE("decode/answer: signs") {
  CHECK(integer("So x = -7") == "-7");
  CHECK(integer("\u22127") == "-7");
  CHECK(integer("5-3") == "3");
  CHECK(integer("5\u22123") == "3");
  CHECK(integer("10-12") == "12");
  CHECK(integer("2024-01-15") == "15");
  CHECK(integer("x-7") == "7");
  CHECK(integer("\u00e9-7") == "7");
  CHECK(integer("(5)-2") == "2");
  CHECK(integer("a[1]-2") == "2");
  CHECK(integer("{1}-2") == "2");
  CHECK(integer("5 - 3") == "3");
  CHECK(integer("\u20ac-7") == "-7");
  CHECK(integer("+12") == "12");
  CHECK(integer("-0") == "0");
  CHECK(integer("-007") == "-7");
}

TEST_CASE("decode/answer: decimals, exponents and fractions are no integers") {
  CHECK(integer("It is 3.0") == "3");
  CHECK(integer("It costs $29.00.") == "29");
  CHECK(integer("1,234.00") == "1234");
  CHECK(integer("3 or 3.5") == "3");
  CHECK(integer("8 and .5") == "8");
  CHECK(integer("so...5") == "5");
  CHECK(integer("No.5") == "5");
  CHECK(integer("8, version 1.2.0") == "8");
  CHECK(integer("8 is 1e5") == "8");
  CHECK(integer("8 is 2.0E-3") == "8");
  CHECK(integer("8e") == "8");
  CHECK(integer("8 of 1/2") == "8");
  CHECK(integer("8 on 01/15/2024") == "8");
  CHECK(integer("8 of 3\u20444") == "8");
  CHECK(integer("$18/day") == "18");
  CHECK(integer("\\boxed{42}") == "42");
  CHECK(integer("\\boxed{-\\frac{1}{2}}") == kNone);
  CHECK(integer("8 \\dfrac{1}{\\frac{2}{3}}.") == "8");
  CHECK(integer("8 \\frac 12") == "8");
  CHECK(integer("8 \\frac{1") == "8");
}

TEST_CASE("decode/answer: what is passed over is passed over whole") {
  CHECK(integer("8 is 1e\u22125") == "8");
  CHECK(number("8 is 1.5e\u22123") == "8");
  CHECK(integer("8 of 3/\u22124") == "8");
  CHECK(integer("8 of 3/-4") == "8");
  CHECK(integer("8 of 3/+4") == "8");
  CHECK(integer("8 of 1/.5") == "8");
  CHECK(integer("8 of 1/-.5") == "8");
  CHECK(integer("8 of 1/2e\u22123/4") == "8");
  CHECK(integer("8 of 1,00/3") == "8");
  CHECK(integer("8 of 3/1,00") == "8");
  CHECK(integer("8 of 1,00e3") == "8");
  CHECK(number("8 of 1,00.5/3") == "8");
  CHECK(integer("8 1.50,000") == "8");
  CHECK(number("8 1.50,000.25") == "8");
  CHECK(number("1.5,2.5") == "2.5");
  CHECK(number("1.5,2500") == "2500");
  CHECK(integer("1,2,3") == "3");
}

TEST_CASE("decode/answer: fractions in TeX") {
  for (const char* command : {"\\frac", "\\cfrac", "\\dfrac", "\\tfrac"}) {
    for (const char* arguments : {"{1}{2}", "12", " 1 2", "\t{1}\n{2}", "\r\n{1} {2}", "\\pi2", "{\\}1}{2}"}) {
      CHECK(integer("8 " + std::string(command) + arguments) == "8");
      CHECK(integer("8 and 3" + std::string(command) + arguments + ".") == "8");
    }
  }
  CHECK(integer("$\\frac{1}{2$ so 42 is it") == "42");
  CHECK(integer("\\frac{1 so 42") == "42");
  CHECK(integer("8 \\frac{\\frac{1}{2") == "8");
  CHECK(integer("8 of 1/\\frac{2}{3}") == "8");
  CHECK(integer("\\fraction 5") == "5");
  CHECK(integer("\\frac") == kNone);
}

TEST_CASE("decode/answer: none, any length, ASCII digits only") {
  CHECK(integer("") == kNone);
  CHECK(integer("I don't know.") == kNone);
  CHECK(integer("99999999999999999999") == "99999999999999999999");
  CHECK(integer("-9223372036854775808") == "-9223372036854775808");
  CHECK(integer("\uff15") == kNone);
  CHECK(integer("\u0665") == kNone);
  CHECK(integer("000") == "0");
  CHECK(integer(std::string("4\0007", 3)) == "7");
}

TEST_CASE("decode/answer: what follows a run-on question does not count") {
  CHECK(integer("The answer is 18.\n\nQuestion: Tom has 7") == "18");
  CHECK(integer("Let me see.\n\nQuestion: Tom has 7") == "7");
  CHECK(number("It is 0.5.\n\nQuestion: 1\n\nQuestion: 2") == "0.5");
}

TEST_CASE("decode/answer: numbers are written in one way") {
  CHECK(number("3.50") == "3.5");
  CHECK(number("3.0") == "3");
  CHECK(number(".5") == "0.5");
  CHECK(number("-.50") == "-0.5");
  CHECK(number("-0.00") == "0");
  CHECK(number("1,234.50") == "1234.5");
  CHECK(number("0012.300") == "12.3");
  CHECK(number("7 of 1/2") == "7");
  CHECK(number("7 is 1e5") == "7");
  CHECK(number("none") == kNone);
}

TEST_CASE("decode/answer: boxes") {
  CHECK(box("so \\boxed{42}.") == "42");
  CHECK(box("\\boxed{-\\frac{1}{2}}") == "-\\frac{1}{2}");
  CHECK(box("\\boxed{1} and \\boxed{ 2 }") == "2");
  CHECK(box("\\boxed{1} and \\boxed{2") == "1");
  CHECK(box("\\boxed{1} and \\boxed{}") == "1");
  CHECK(box("\\boxed{\\boxed{3}}") == "3");
  CHECK(box("\\boxed{x \\} y}") == "x \\} y");
  CHECK(box("\\boxed{1,234.50}") == "1234.5");
  CHECK(box("\\boxed{+7}") == "7");
  CHECK(box("\\boxed{7 apples}") == "7 apples");
  CHECK(box("\\boxed{42.}") == "42");
  CHECK(box("\\boxed{-1.50.}") == "-1.5");
  CHECK(box("\\boxed{42..}") == "42..");
  CHECK(box("\\boxed{18}.\n\nQuestion: Tom has \\boxed{7}") == "18");
  CHECK(box("Let me see.\n\nQuestion: Tom has \\boxed{7}") == "7");
  CHECK(box(std::string("\\boxed{1} and \\boxed{a\0b}", 23)) == "1");
  CHECK(box(std::string("\\boxed{\0\\boxed{a}}", 18)) == "a");
  CHECK(box("42") == kNone);
  CHECK(box("}}{{\\boxed") == kNone);
}

TEST_CASE("decode/answer: the extractors by number") {
  CHECK(extract(Extractor::kNone, "5") == std::nullopt);
  CHECK(extract(Extractor::kLastInteger, "5 1.5") == "5");
  CHECK(extract(Extractor::kLastNumber, "5 1.5") == "1.5");
  CHECK(extract(Extractor::kBoxed, "\\boxed{x} 5") == "x");
}

// Any bytes, in time that grows with the text: the last of these would take hours if something were quadratic.
TEST_CASE("decode/answer: hostile texts") {
  std::mt19937 random(3);
  const std::string alphabet = "0123456789,,..--//eE+ \\{}()\xe2\x88\x92\xc3\n";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (size_t n = random() % 24; n > 0; --n) text += alphabet[random() % alphabet.size()];
    const std::string whole = integer(text);
    if (whole == kNone) continue;
    REQUIRE(integer(whole) == whole);
    REQUIRE(number(whole) == whole);
  }
  for (const char* part :
       {"\\boxed{", "1,", "1.", "1/", "\\frac{", "\\frac{1}{", "-", "1e", "\n\nQuestion:", "{", "\\"}) {
    std::string text;
    while (text.size() < 2000000) text += part;
    integer(text);
    number(text);
    box(text);
  }
  std::string nested;
  for (int i = 0; i < 200000; ++i) nested += "\\boxed{";
  nested += '\0' + std::string(200000, '}');
  CHECK(box(nested) == kNone);
}

}  // namespace
}  // namespace nxs::decode
