// SPDX-License-Identifier: Apache-2.0 OR MIT
// Chat formats: one small renderer per template, recognised by a digest of the template's exact text. Content is
// encoded with specials off, so it cannot inject control tokens. (A Jinja interpreter would be one more renderer behind
// the same call.)
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace nxs::text {

struct Message {
  std::string_view role, content;
};

struct ChatOptions {
  bool reply = false;    ///< end with the opening of an assistant turn
  bool proceed = false;  ///< NXS_CHAT_CONTINUE: only what follows an already present reply (its end token included)
};

/// Appends tokens. Throws kTemplate naming the template (none, unknown, reads the date), kUnencodable.
void format_chat(std::vector<int32_t>& out, const Tokenizer& tokenizer, std::span<const Message> messages,
                 ChatOptions options);
/// The renderer's name ("smollm2", "chatml", "qwen2", "qwen2-early", "qwen2.5", "llama-3"), or NULL when the template
/// is missing or unknown.
const char* chat_format_name(const Vocabulary& vocabulary);

}  // namespace nxs::text
