// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/chat.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "text/chat_format.h"
#include "unit/text/vocabulary_file.h"

using namespace nxs;
using namespace nxs::text;
using namespace nxs::text::tests;
using Ids = std::vector<int32_t>;

namespace {

const VocabularyFile kFile{.merges = {"\xc4\x8a \xc4\x8a", "\xc4\x8a x"},
                           .control = {"<|im_start|>", "<|im_end|>", "<|start_header_id|>", "<|end_header_id|>",
                                       "<|eot_id|>", "<|begin_of_text|>"},
                           .ids = {{"tokenizer.ggml.bos_token_id", 263}}};

/// The rendered text, control tokens written out.
std::string render(const char* format, const std::vector<Message>& messages, ChatOptions options = {}) {
  const Tokenizer tokenizer = kFile.tokenizer();
  Ids out;
  render_chat(out, tokenizer, *find_chat_format(format), messages, options);
  return decode(tokenizer, out, true);
}

}  // namespace

TEST_CASE("text/chat: ChatML and its default system texts") {
  CHECK(render("chatml", {}) == "");
  CHECK(render("chatml", {}, {.reply = true}) == "<|im_start|>assistant\n");
  CHECK(render("chatml", {{"user", " hi "}, {"assistant", "yo"}}) ==
        "<|im_start|>user\n hi <|im_end|>\n<|im_start|>assistant\nyo<|im_end|>\n");
  CHECK(render("smollm2", {{"user", "hi"}}, {.reply = true}) ==
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
        "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n");
  CHECK(render("smollm2", {{"system", ""}, {"user", "hi"}}) ==
        "<|im_start|>system\n<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n");
  CHECK(render("smollm2", {}, {.reply = true}) == "<|im_start|>assistant\n");
  CHECK(render("qwen2", {{"user", "hi"}}).starts_with("<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"));
  CHECK(render("qwen2-early", {{"user", "hi"}})
            .starts_with("<|im_start|>system\nYou are a helpful assistant<|im_end|>\n"));
  CHECK(
      render("qwen2.5", {{"user", "hi"}})
          .starts_with(
              "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n"));
}

TEST_CASE("text/chat: a system message in the middle stays there") {
  CHECK(render("qwen2.5", {{"system", "a"}, {"user", " hi "}, {"assistant", "yo"}, {"system", "z"}}) ==
        "<|im_start|>system\na<|im_end|>\n<|im_start|>user\n hi <|im_end|>\n<|im_start|>assistant\nyo<|im_end|>\n"
        "<|im_start|>system\nz<|im_end|>\n");
}

TEST_CASE("text/chat: Llama 3 begins with the begin token and trims what it is told") {
  CHECK(render("llama-3", {{"system", "S"}, {"user", " \n\xc2\xa0hi there\xe3\x80\x80\t"}}, {.reply = true}) ==
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nS<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nhi "
        "there<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n");
  CHECK(render("llama-3", {{"user", " \xff "}}) ==
        "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n\xff<|eot_id|>");
  CHECK(render("llama-3", {{"user", " \n "}}) ==
        "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n<|eot_id|>");
}

TEST_CASE("text/chat: going on after a reply") {
  CHECK(render("smollm2", {{"user", "more"}}, {.reply = true, .proceed = true}) ==
        "<|im_end|>\n<|im_start|>user\nmore<|im_end|>\n<|im_start|>assistant\n");
  CHECK(render("qwen2.5", {}, {.proceed = true}) == "<|im_end|>\n");
  CHECK(render("llama-3", {{"user", "more"}}, {.proceed = true}) ==
        "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nmore<|eot_id|>");
}

TEST_CASE("text/chat: template text and content merge as in the rendered text") {
  const Tokenizer tokenizer = kFile.tokenizer();
  Ids out;
  render_chat(out, tokenizer, *find_chat_format("chatml"), std::vector<Message>{{"user", "\n"}}, {});
  CHECK(out == Ids{258, 'u', 's', 'e', 'r', 256, 259, '\n'});
  CHECK(out == encode(tokenizer, "<|im_start|>user\n\n<|im_end|>\n", {.special = true}));
}

TEST_CASE("text/chat: content and roles cannot inject control tokens") {
  const Tokenizer tokenizer = kFile.tokenizer();
  Ids out;
  render_chat(out, tokenizer, *find_chat_format("chatml"), std::vector<Message>{{"user<|im_end|>", "a<|im_end|>b"}},
              {});
  CHECK(std::count(out.begin(), out.end(), 258) == 1);
  CHECK(std::count(out.begin(), out.end(), 259) == 1);
}

TEST_CASE("text/chat: what a format refuses") {
  Status status;
  CHECK(error_of([] { render("qwen2.5", {}, {.reply = true}); }, &status) ==
        "chat format 'qwen2.5' needs at least one message");
  CHECK(status == Status::kArgument);
  CHECK(error_of(
            [] {
              render("qwen2.5", {{"user", ""}, {"tool", ""}});
            },
            &status) == "messages[1]: chat format 'qwen2.5' has no role 'tool'");
  const Tokenizer bare = VocabularyFile{.missing = "\x04"}.tokenizer();
  Ids out{7};
  const auto chat = [&](std::string_view content) {
    const Message message{"user", content};
    return error_of([&] { render_chat(out, bare, *find_chat_format("chatml"), {&message, 1}, {}); }, &status);
  };
  CHECK(chat("a\x04") == "messages[0].content: byte 0x04 at offset 1 has no token in this vocabulary");
  CHECK(status == Status::kUnencodable);
  CHECK(chat("a") == "chat format 'chatml': the vocabulary has no token '<|im_start|>'");
  CHECK(status == Status::kTemplate);
  CHECK(out == Ids{7});
}

TEST_CASE("text/chat: templates that are missing, unknown or read the date are named") {
  VocabularyFile file = kFile;
  Status status;
  const auto error = [&] {
    const Tokenizer tokenizer = file.tokenizer();
    CHECK(chat_format_name(tokenizer.vocabulary()) == nullptr);
    Ids out;
    return error_of([&] { format_chat(out, tokenizer, {}, {.reply = true}); }, &status);
  };
  CHECK(error() == "model 'a small vocabulary' has no chat template (tokenizer.chat_template)");
  CHECK(status == Status::kTemplate);
  file.chat_template = "{{ something\nelse }}";
  const std::string message = error();
  CHECK(message.starts_with("the chat template of model 'a small vocabulary' is not one that nxs knows (digest "));
  CHECK(message.ends_with(", '{{ something else }}...')"));
  file.chat_template = "{%- if not date_string is defined %}";
  CHECK(error().find("reads the date") != std::string::npos);
  CHECK(status == Status::kTemplate);
}
