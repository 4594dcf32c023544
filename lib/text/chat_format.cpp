// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/chat_format.h"

#include <algorithm>
#include <string>

#include "base/digest.h"

namespace nxs::text {
namespace {

constexpr ChatFormat kFormats[] = {
    {"smollm2", "You are a helpful AI assistant named SmolLM, trained by Hugging Face", ChatStyle::kChatMl, false},
    {"chatml", nullptr, ChatStyle::kChatMl, false},
    {"qwen2", "You are a helpful assistant.", ChatStyle::kChatMl, false},
    {"qwen2-early", "You are a helpful assistant", ChatStyle::kChatMl, false},
    {"qwen2.5", "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.", ChatStyle::kChatMl, true},
    {"llama-3", nullptr, ChatStyle::kHeaders, false},
};

/// Digests of template texts. Most templates are around in two spellings that render alike: line feeds inside their
/// strings written out or as "\n" (Qwen2.5: with and without a line feed at the end).
struct Known {
  const char* digest;
  const char* name;
};
constexpr Known kKnown[] = {
    {"cdda29965e99ab998fd221d4c33cf698", "smollm2"},
    {"a0072bb6dc9d0583236e5d1af63a32f0", "smollm2"},
    {"6302445a201e1956b0fd398427a8a6f0", "chatml"},
    {"ebb56b96d69fbee21e2ef773ce7f7a57", "chatml"},
    {"01aca4469e6a20da2d28b04fc8e844a3", "chatml"},  // sets add_generation_prompt first
    {"a29e07c232906f8490bee473048e127a", "chatml"},
    {"2f08d90bbd43d9d528504183dac280e5", "qwen2"},
    {"58aef0d5a93490c7561d5bc9cb174c7c", "qwen2"},
    {"eeea39512b0cf220b37a6f35e760c868", "qwen2-early"},
    {"80ed9c5f77c6c18d62e5a856b6142c5e", "qwen2-early"},
    {"67fa334dfe4795638bb9128c14de3bc6", "qwen2.5"},
    {"6e50798f50c96924fd03850106aa92e3", "qwen2.5"},
    {"9405ea2d6ead99971843a94a0eccfa09", "llama-3"},
    {"fe12da50fac86f865c5d81e9798dcc11", "llama-3"},
    {"b8bec1adb79178b910ce69a6edb9208f", "llama-3"},  // always opens a reply; here that follows the caller's option
    {"f7d9c6930e83e48092d78c611be5eb0d", "llama-3"},
};

}  // namespace

const ChatFormat* find_chat_format(std::string_view name) {
  const auto* it =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const ChatFormat& f) { return name == f.name; });
  return it == std::end(kFormats) ? nullptr : it;
}

const ChatFormat* recognise_chat_format(const Vocabulary& vocabulary) {
  const std::string& text = vocabulary.chat_template();
  if (text.empty()) return nullptr;
  const std::string digest = digest_of(text.data(), text.size()).hex();
  for (const Known& known : kKnown) {
    if (digest == known.digest) return find_chat_format(known.name);
  }
  return nullptr;
}

}  // namespace nxs::text
