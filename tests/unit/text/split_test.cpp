// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/split.h"

#include <doctest/doctest.h>

using nxs::text::find_pre_tokenizer;
using nxs::text::Splitter;
using Pieces = std::vector<std::string>;

namespace {

Pieces pieces(const char* pre, const std::string& text) {
  const Splitter splitter(*find_pre_tokenizer(pre));
  Pieces out;
  size_t begin = 0;
  for (const size_t end : splitter.split(text)) {
    out.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  CHECK(begin == text.size());
  return out;
}

}  // namespace

TEST_CASE("text/split: names and aliases") {
  CHECK(find_pre_tokenizer("llama3") == find_pre_tokenizer("llama-bpe"));
  CHECK(find_pre_tokenizer("default") == nullptr);
  CHECK(find_pre_tokenizer("") == nullptr);
}

TEST_CASE("text/split: the four patterns") {
  CHECK(pieces("gpt-2", "").empty());
  CHECK(pieces("gpt-2", "I'll we'RE 3333 x!!  y\n\n z") ==
        Pieces{"I", "'ll", " we", "'", "RE", " 3333", " x", "!!", " ", " y", "\n\n", " z"});
  CHECK(pieces("smollm", "a 12,3") == Pieces{"a", " ", "1", "2", ",", "3"});
  CHECK(pieces("llama-bpe", "we'RE 3333 x!!\n\n  y") ==
        Pieces{"we", "'RE", " ", "333", "3", " x", "!!\n\n", " ", " y"});
  CHECK(pieces("qwen2", "a.b 333\r\n") == Pieces{"a", ".b", " ", "3", "3", "3", "\r\n"});
}

TEST_CASE("text/split: white space is Unicode's, of its present version") {
  CHECK(pieces("gpt-2", "a\xc2\x85\xc2\x85z") == Pieces{"a", "\xc2\x85", "\xc2\x85", "z"});  // U+0085 is
  CHECK(pieces("gpt-2", "a\xe1\xa0\x8e\xe1\xa0\x8ez") ==
        Pieces{"a", "\xe1\xa0\x8e\xe1\xa0\x8e", "z"});  // U+180E is not
  CHECK(pieces("gpt-2", "a\xe2\x80\x8b\xe2\x80\x8bz") == Pieces{"a", "\xe2\x80\x8b\xe2\x80\x8b", "z"});  // nor U+200B
}

TEST_CASE("text/split: contractions fold as Unicode does") {
  CHECK(pieces("qwen2", "it'\xc5\xbf") == Pieces{"it", "'\xc5\xbf"});  // U+017F is a kind of s
  CHECK(pieces("gpt-2", "it'S") == Pieces{"it", "'", "S"});
}

TEST_CASE("text/split: long runs") {
  for (const char* pre : {"gpt-2", "smollm", "llama-bpe", "qwen2"}) {
    CAPTURE(pre);
    CHECK(pieces(pre, std::string(43'000, 'A')).size() == 1);
    CHECK(pieces(pre, std::string(26'000, ' ')).size() == 1);
    CHECK(pieces(pre, std::string(100'000, '\n')).size() == 1);
    CHECK(pieces(pre, std::string(1'000'000, '^')).size() == 1);
    CHECK(pieces(pre, std::string(1'000'000, ' ') + "a").size() == 2);
    CHECK(pieces(pre, std::string(1'000'000, '\n') + "a").size() <= 3);
  }
}
