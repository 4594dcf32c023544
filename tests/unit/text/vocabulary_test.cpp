// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/vocabulary.h"

#include <doctest/doctest.h>

#include "text/split.h"
#include "unit/text/vocabulary_file.h"

using namespace nxs;
using namespace nxs::text;
using namespace nxs::text::tests;

namespace {

void check_refused(const VocabularyFile& file, Status expected, const char* part) {
  Status status;
  const std::string message = error_of([&] { file.read(); }, &status);
  CAPTURE(message);
  CHECK(status == expected);
  CHECK(message.find(part) != std::string::npos);
}

Digest digest(const VocabularyFile& file) {
  Hasher hasher;
  file.read().add_to(hasher);
  return hasher.finish();
}

}  // namespace

TEST_CASE("text/vocabulary: tokens are bytes") {
  const Vocabulary v =
      VocabularyFile{.missing = "\x04", .merges = {"a b"}, .control = {"<|im_end|>"}, .user = {"<tool>"}}.read();
  CHECK(v.size() == 259);
  for (int b = 0; b < 256; ++b) CHECK(v.byte_token(static_cast<uint8_t>(b)) == (b == 4 ? -1 : b));
  CHECK(v.bytes(' ') == " ");
  CHECK(v.bytes(0x80) == "\x80");
  CHECK(v.bytes(4) == "(missing 4)");
  CHECK(v.find("ab") == 256);
  CHECK(v.find("<tool>") == -1);
  CHECK(v.find_special("<tool>") == 258);
  CHECK(v.find_special("ab") == -1);
  CHECK(v.is_control(257));
  CHECK(!v.is_control(258));
  CHECK(v.is_special(258));
  CHECK(v.merge('a', 'b').token == 256);
  CHECK(v.merge('b', 'a').rank == -1);
  CHECK(v.bos() == -1);
  CHECK(!v.wants_bos());
}

TEST_CASE("text/vocabulary: stop tokens are the file's ids and the names that always stop") {
  VocabularyFile file{.control = {"<|im_end|>", "<a>", "<b>", "<c>", "<|im_start|>"}, .user = {"<|eot_id|>", "<d>"}};
  file.ids = {
      {"tokenizer.ggml.eos_token_id", 257}, {"tokenizer.ggml.eot_token_id", 258}, {"tokenizer.ggml.eom_token_id", 259}};
  const Vocabulary v = file.read();
  for (int32_t token = 0; token < v.size(); ++token) {
    CAPTURE(token);
    CHECK(v.is_stop(token) == (token >= 256 && token != 260 && token != 262));
  }
  CHECK(v.is_control(261));  // declared as user-defined, yet an end token
  CHECK(v.eos() == 257);
}

TEST_CASE("text/vocabulary: the begin token is asked for by the file or by the pre-tokenizer") {
  VocabularyFile file{.pre = "llama3", .control = {"<s>"}, .ids = {{"tokenizer.ggml.bos_token_id", 256}}};
  CHECK(file.read().wants_bos());
  file.pre = "qwen2";
  CHECK(!file.read().wants_bos());
  CHECK(std::string(file.read().pre_tokenizer().name) == "qwen2");
}

TEST_CASE("text/vocabulary: what is refused") {
  check_refused({.model = "llama"}, Status::kUnsupported, "'llama'");
  check_refused({.pre = "tekken"}, Status::kUnsupported, "'tekken'");
  check_refused({.pre = ""}, Status::kUnsupported, "tokenizer.ggml.pre is missing");
  check_refused({.merges = {"a b"}, .control = {"ab"}}, Status::kFormat, "tokens[257]");
  check_refused({.ids = {{"tokenizer.ggml.eos_token_id", 256}}}, Status::kFormat,
                "tokenizer.ggml.eos_token_id: 256 of 256");
}

TEST_CASE("text/vocabulary: merges that are none") {
  selftest::GgufWriter file;
  file.text("tokenizer.ggml.model", "gpt2");
  file.text("tokenizer.ggml.pre", "gpt-2");
  file.texts("tokenizer.ggml.tokens", {"a", "b", "ab"});
  SUBCASE("unknown token") {
    file.texts("tokenizer.ggml.merges", {"a b", "b a"});
  }
  SUBCASE("no pair") {
    file.texts("tokenizer.ggml.merges", {"a b", "ab"});
  }
  SUBCASE("no left half") {
    file.texts("tokenizer.ggml.merges", {"a b", " b"});
  }
  SUBCASE("types of another count") {
    file.texts("tokenizer.ggml.merges", {});
    file.i32s("tokenizer.ggml.token_type", {1, 1});
  }
  SUBCASE("a type that is none") {
    file.texts("tokenizer.ggml.merges", {});
    file.i32s("tokenizer.ggml.token_type", {1, 1, 9});
  }
  SUBCASE("none at all") {}
  const auto data = file.finish();
  const auto source = borrow_memory(data.data(), data.size());
  Status status;
  error_of([&] { Vocabulary::read(gguf::File::parse(*source)); }, &status);
  CHECK(status == Status::kFormat);
}

TEST_CASE("text/vocabulary: the digest sees whatever decides tokens, and nothing else") {
  const VocabularyFile base{.merges = {"a b", "c d"}, .control = {"<x>", "<y>"}};
  CHECK(digest(base) == digest(base));
  VocabularyFile other = base;
  other.chat_template = "something";
  CHECK(digest(other) == digest(base));
  other = base;
  other.pre = "qwen2";
  CHECK(!(digest(other) == digest(base)));
  other = base;
  other.merges = {"c d", "a b"};
  CHECK(!(digest(other) == digest(base)));
  other = base;
  other.ids = {{"tokenizer.ggml.eos_token_id", 258}};
  CHECK(!(digest(other) == digest(base)));
  other = base;
  other.control = {"<x>"};
  other.user = {"<y>"};
  CHECK(!(digest(other) == digest(base)));
}
