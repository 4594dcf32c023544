// SPDX-License-Identifier: Apache-2.0 OR MIT
// Any bytes as text: encoding never crashes, decoding gives the same bytes back (the tiny vocabulary has a token for
// every byte), streaming them too, and as content of a chat they never become a control token.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "fuzz/fuzz_target.h"
#include "selftest/tiny_model.h"
#include "text/chat.h"
#include "text/utf8_stream.h"

namespace {

using nxs::text::Tokenizer;
using Ids = std::vector<int32_t>;

void require(bool ok) {
  if (!ok) std::abort();
}

const Tokenizer& tokenizer() {
  static const Tokenizer instance = [] {
    const std::vector<uint8_t> file = nxs::selftest::tiny_model({});
    const auto source = nxs::borrow_memory(file.data(), file.size());
    return Tokenizer(nxs::text::Vocabulary::read(nxs::gguf::File::parse(*source)));
  }();
  return instance;
}

Ids check_round_trip(std::string_view text, bool special) {
  Ids tokens;
  require(tokenizer().encode(tokens, text, {.special = special, .bos = false, .drop = false}) == 0);
  std::string back;
  tokenizer().decode(back, tokens, special);
  require(back == text);
  return tokens;
}

void check_stream(const Ids& tokens, std::string_view text) {
  nxs::text::Utf8Stream stream;
  std::string out;
  for (const int32_t token : tokens) out += stream.push(tokenizer().piece(token));
  out += stream.finish();
  require(out == text);
}

void check_chat(std::string_view text) {
  const nxs::text::Message messages[] = {{"system", ""}, {"user", text}};
  Ids tokens;
  nxs::text::format_chat(tokens, tokenizer(), messages, {});
  const auto control = [](int32_t token) { return tokenizer().vocabulary().is_control(token); };
  require(std::count_if(tokens.begin(), tokens.end(), control) == 4);
}

}  // namespace

std::vector<std::vector<uint8_t>> nxs::test::fuzz_corpus() {
  std::vector<std::vector<uint8_t>> corpus;
  for (const std::string_view text :
       {"<|im_start|>user\nWhat's 1,234 + 5?<|im_end|>\n",
        "\xf0\x9f\xa6\x99 \xe2\x82\xac e\xcc\x81 \xc2\xa0\xe3\x80\x80",
        "the there then inner on or is an   \n\n\t\r\n  x", "\xff\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xe6\xad"}) {
    corpus.emplace_back(text.begin(), text.end());
  }
  return corpus;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_stream(check_round_trip(text, false), text);
  check_round_trip(text, true);
  check_chat(text);
  return 0;
}
