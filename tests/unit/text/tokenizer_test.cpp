// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/tokenizer.h"

#include <doctest/doctest.h>

#include <random>
#include <thread>

#include "unit/text/vocabulary_file.h"

using namespace nxs;
using namespace nxs::text;
using namespace nxs::text::tests;
using namespace std::string_literals;
using Ids = std::vector<int32_t>;

namespace {

const EncodeOptions kSpecial{.special = true};

VocabularyFile small() {
  return {.merges = {"h e", "l l", "he ll", "\xc4\xa0 a"}, .control = {"<|im_end|>", "<|im"}, .user = {"<tool>"}};
}

}  // namespace

TEST_CASE("text/tokenizer: special tokens are the leftmost, then the longest; control tokens only when asked for") {
  const Tokenizer t = small().tokenizer();
  CHECK(encode(t, "") == Ids{});
  CHECK(encode(t, "hell<|im_end|>", kSpecial) == Ids{258, 260});
  CHECK(encode(t, "<|im<|im_end|><", kSpecial) == Ids{261, 260, '<'});
  CHECK(encode(t, "<|im_end|>").size() == 10);
  CHECK(encode(t, "a<tool>a") == Ids{'a', 262, 'a'});
}

TEST_CASE("text/tokenizer: special tokens end a piece") {
  const Tokenizer t = small().tokenizer();
  CHECK(encode(t, "he<tool>ll a") == Ids{256, 262, 257, 259});
}

TEST_CASE("text/tokenizer: decoding") {
  const Tokenizer t = small().tokenizer();
  CHECK(decode(t, {258, 260, 262, 259}) == "hell<tool> a");
  CHECK(decode(t, {258, 260, 262, 259}, true) == "hell<|im_end|><tool> a");
  CHECK(t.piece(260) == "");
  CHECK(t.piece(262) == "<tool>");
  CHECK(t.piece(0) == "\0"s);
  Status status;
  std::string out = "kept";
  const std::string message = error_of([&] { t.decode(out, Ids{1, 263}, false); }, &status);
  CHECK(status == Status::kArgument);
  CHECK(message == "tokens[1]: 263 is not in 0..262");
  error_of([&] { t.decode(out, Ids{-1}, false); }, &status);
  CHECK(status == Status::kArgument);
  CHECK(out == "kept");
}

TEST_CASE("text/tokenizer: bytes without a token are an error that names them, or are dropped and counted") {
  VocabularyFile file = small();
  file.missing = "\x04\xff";
  const Tokenizer t = file.tokenizer();
  Ids out{7};
  Status status;
  const std::string message = error_of([&] { t.encode(out, "<tool>ab\x04", {}); }, &status);
  CHECK(status == Status::kUnencodable);
  CHECK(message == "byte 0x04 at offset 8 has no token in this vocabulary");
  CHECK(error_of([&] { t.encode(out, "a\xe2\x82\xac\xff", {}); }, &status) ==
        "byte 0xff at offset 4 has no token in this vocabulary");
  CHECK(out == Ids{7});
  CHECK(t.encode(out,
                 "h\x04"
                 "e\xff",
                 {.drop = true}) == 2);
  CHECK(out == Ids{7, 'h', 'e'});
}

TEST_CASE("text/tokenizer: the begin token comes first when asked for") {
  VocabularyFile file = small();
  file.pre = "llama-bpe";
  file.ids = {{"tokenizer.ggml.bos_token_id", 261}};
  const Tokenizer t = file.tokenizer();
  CHECK(encode(t, "a", {.bos = true}) == Ids{261, 'a'});
  CHECK(encode(t, "", {.bos = true}) == Ids{261});
  CHECK(encode(small().tokenizer(), "a", {.bos = true}) == Ids{'a'});
}

TEST_CASE("text/tokenizer: llama-bpe takes a piece that is a token whole") {
  VocabularyFile file = small();
  file.extra_tokens = {"xyz"};
  CHECK(encode(file.tokenizer(), "xyz") == Ids{'x', 'y', 'z'});
  file.pre = "llama-bpe";
  CHECK(encode(file.tokenizer(), "xyz") == Ids{263});
}

TEST_CASE("text/tokenizer: only qwen2 composes") {
  VocabularyFile file = small();
  CHECK(decode(file.tokenizer(), encode(file.tokenizer(), "e\xcc\x81")) == "e\xcc\x81");
  file.pre = "qwen2";
  CHECK(decode(file.tokenizer(), encode(file.tokenizer(), "e\xcc\x81\xff")) == "\xc3\xa9\xff");
}

TEST_CASE("text/tokenizer: any bytes come back") {
  std::mt19937 random(2);
  for (const char* pre : {"gpt-2", "smollm", "llama-bpe"}) {
    VocabularyFile file = small();
    file.pre = pre;
    const Tokenizer t = file.tokenizer();
    const std::string alphabet = "he ll a\n1'\xe2\x82\xac\xf4\x90\x80\xff<tool>\xc3\xed\xa0\x80\0|im"s;
    for (int i = 0; i < 1000; ++i) {
      std::string text(random() % 60, ' ');
      for (char& c : text) c = alphabet[random() % alphabet.size()];
      REQUIRE(decode(t, encode(t, text)) == text);
      REQUIRE(decode(t, encode(t, text, kSpecial), true) == text);
    }
  }
}

TEST_CASE("text/tokenizer: several threads, and a tokenizer that moved") {
  Tokenizer first = small().tokenizer();
  const Tokenizer t = std::move(first);
  std::vector<std::thread> threads;
  bool equal[4] = {};
  for (bool& out : equal) {
    threads.emplace_back([&t, &out] {
      out = true;
      for (int i = 0; i < 200; ++i) out = out && encode(t, "hell<tool> a") == Ids{258, 262, 259};
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const bool e : equal) CHECK(e);
}

TEST_CASE("text/tokenizer: long inputs of every pre-tokenizer") {
  for (const char* pre : {"gpt-2", "smollm", "llama-bpe", "qwen2"}) {
    VocabularyFile file = small();
    file.pre = pre;
    file.merges = {"^ ^", "^^ ^^", "a b", "ab ab", "A A", "\xc4\xa0 \xc4\xa0", "\xc4\x8a \xc4\x8a"};
    const Tokenizer t = file.tokenizer();
    std::string word;
    while (word.size() < 1'000'000) word += "abba";
    for (const std::string& text : {std::string(43'000, 'A'), std::string(26'000, ' '), std::string(100'000, '\n'),
                                    std::string(1'000'000, '^'), word, std::string(1'000'000, '\xff')}) {
      CHECK(decode(t, encode(t, text)) == text);
    }
  }
}
