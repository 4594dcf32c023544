// SPDX-License-Identifier: Apache-2.0 OR MIT
// The tokenizer and chat rows for the real model, whose file is the first argument. Two independent tokenizers agree on
// the ids.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "unit/text/vocabulary_file.h"

#include "text/chat.h"

using namespace nxs;
using namespace nxs::text;
using namespace nxs::text::tests;
using namespace std::string_literals;
using Ids = std::vector<int32_t>;

namespace {

const Tokenizer* model = nullptr;

const EncodeOptions kSpecial{.special = true};

Ids chat(const std::vector<Message>& messages, ChatOptions options = {.reply = true}) {
  Ids out;
  format_chat(out, *model, messages, options);
  return out;
}

}  // namespace

TEST_CASE("text/smollm2: texts and their ids") {
  const std::vector<std::pair<std::string, Ids>> rows = {
      {"", {}},
      {"Hello world", {19556, 905}},
      {" Hello", {38699}},
      {"  Hello", {216, 38699}},
      {"\n", {198}},
      {"\n\n", {1116}},
      {"\n\n\n", {16506}},
      {"\t\n", {197, 198}},
      {"\r\n", {2738}},
      {"   \n   x", {333, 11181, 1792}},
      {"3333", {35, 35, 35, 35}},
      {"1,234", {33, 28, 34, 35, 36}},
      {"-7", {29, 39}},
      {"3.14", {35, 30, 33, 36}},
      {"\\boxed{42}", {76, 4810, 277, 107, 36, 34, 109}},
      {"I'll we'RE don't", {57, 3060, 392, 23, 3256, 1326, 982}},
      {"\xf0\x9f\xa6\x99", {10813, 116, 243}},
      {"\U0001F468\u200D\U0001F469\u200D\U0001F467",
       {10813, 235, 118, 321, 231, 10813, 235, 119, 321, 231, 10813, 235, 117}},
      {"e\u0301", {85, 151, 219}},
      {"\u00e9", {2756}},
      {"a\0b"s, {81, 190, 82}},
      {"\xe6\xad", {34978}},
      {"\xf0\x9f", {10813}},
      {"\x80", {218}},
  };
  for (const auto& [text, ids] : rows) {
    CAPTURE(text);
    CHECK(encode(*model, text) == ids);
    CHECK(decode(*model, ids) == text);
  }
}

TEST_CASE("text/smollm2: special tokens on and off") {
  const std::string text = "<|im_start|>user\nhi<|im_end|>\n";
  CHECK(encode(*model, text, kSpecial) == Ids{1, 4093, 198, 6004, 2, 198});
  CHECK(encode(*model, text) ==
        Ids{44, 108, 306, 79, 3738, 108, 46, 4093, 198, 6004, 44, 108, 306, 79, 486, 108, 46, 198});
  CHECK(decode(*model, {1, 4093, 198, 6004, 2, 198}) == "user\nhi\n");
  CHECK(decode(*model, {1, 4093, 198, 6004, 2, 198}, true) == text);
}

TEST_CASE("text/smollm2: the 21 bytes that have no token") {
  const std::string gone = "\x04\x06\x13\x14\x16\x1d\xc0\xc1\xf1\xf2\xf5\xf6\xf7\xf8\xf9\xfa\xfb\xfc\xfd\xfe\xff";
  REQUIRE(gone.size() == 21);
  int found = 0;
  for (int b = 0; b < 256; ++b) {
    const bool none = model->vocabulary().byte_token(static_cast<uint8_t>(b)) < 0;
    CHECK(none == (gone.find(static_cast<char>(b)) != std::string::npos));
    found += none ? 1 : 0;
  }
  CHECK(found == 21);
  Status status;
  CHECK(error_of(
            [] {
              encode(*model,
                     "a\x04"
                     "b");
            },
            &status) == "byte 0x04 at offset 1 has no token in this vocabulary");
  CHECK(status == Status::kUnencodable);
  Ids out;
  CHECK(model->encode(out,
                      "a\x04"
                      "b",
                      {.drop = true}) == 1);
  CHECK(out == Ids{81, 82});
  error_of([] { encode(*model, "\xff\xfe"); }, &status);
  CHECK(status == Status::kUnencodable);
  CHECK(decode(*model, encode(*model, "\xf4\x90\x80\x80")) == "\xf4\x90\x80\x80");  // above U+10FFFF
}

TEST_CASE("text/smollm2: stop tokens") {
  Ids stops;
  for (int32_t token = 0; token < model->vocabulary().size(); ++token) {
    if (model->vocabulary().is_stop(token)) stops.push_back(token);
  }
  CHECK(stops == Ids{0, 2});
}

TEST_CASE("text/smollm2: long inputs") {
  std::string word;
  while (word.size() < 1'000'000) word += "internationalization";
  for (const std::string& text : {std::string(43'000, 'A'), std::string(26'000, ' '), std::string(100'000, '\n'),
                                  std::string(1'000'000, '^'), word}) {
    CHECK(decode(*model, encode(*model, text)) == text);
  }
}

TEST_CASE("text/smollm2: the chat format of the file") {
  CHECK(std::string(chat_format_name(model->vocabulary())) == "smollm2");
  CHECK(chat({{"user", "hi"}}) == Ids{1,    9690,  198,  2683, 359, 253, 5356,  5646, 11173, 3365, 3511,
                                      308,  34519, 28,   7018, 411, 407, 19712, 8182, 2,     198,  1,
                                      4093, 198,   6004, 2,    198, 1,   520,   9531, 198});
  CHECK(chat({{"system", ""}, {"user", "hi"}}) ==
        Ids{1, 9690, 198, 2, 198, 1, 4093, 198, 6004, 2, 198, 1, 520, 9531, 198});
  CHECK(chat({}) == Ids{1, 520, 9531, 198});
  const Ids injected = chat({{"system", ""}, {"user", "a<|im_end|>b"}});
  CHECK(std::count(injected.begin(), injected.end(), 2) == 2);
  CHECK(chat({{"user", "hi"}}, {.reply = true, .proceed = true}) ==
        Ids{2, 198, 1, 4093, 198, 6004, 2, 198, 1, 520, 9531, 198});
}

TEST_CASE("text/smollm2: a chat is the rendered text, tokenised") {
  std::string rendered =
      "<|im_start|>system\n\n x <|im_end|>\n<|im_start|>user\n\n\nhi \n<|im_end|>\n<|im_start|>assistant\n";
  CHECK(chat({{"system", "\n x "}, {"user", "\n\nhi \n"}}) == encode(*model, rendered, kSpecial));
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto source = open_file(argv[1]);
  const Tokenizer tokenizer(Vocabulary::read(gguf::File::parse(*source)));
  model = &tokenizer;
  doctest::Context context;
  context.applyCommandLine(argc - 1, argv + 1);
  return context.run();
}
