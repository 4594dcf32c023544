// SPDX-License-Identifier: Apache-2.0 OR MIT
// What a recognised chat template comes to, as data, and the renderer that all of them share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "text/chat.h"

namespace nxs::text {

/// <|im_start|>role\ncontent<|im_end|>\n, or <|start_header_id|>role<|end_header_id|>\n\ncontent<|eot_id|>.
enum class ChatStyle : uint8_t { kChatMl, kHeaders };

struct ChatFormat {
  const char* name;
  const char* system;  ///< put in front when the first message is not a system message; NULL: nothing
  ChatStyle style;
  bool known_roles;  ///< the template renders system, user and assistant only, and needs a first message
};

/// NULL for a name that there is none of.
const ChatFormat* find_chat_format(std::string_view name);
/// By the digest of the model's template; NULL when it is missing or unknown.
const ChatFormat* recognise_chat_format(const Vocabulary& vocabulary);
/// Appends tokens. Throws kTemplate (a marker that the vocabulary lacks), kArgument (a role or no messages, where the
/// template refuses them) and kUnencodable.
void render_chat(std::vector<int32_t>& out, const Tokenizer& tokenizer, const ChatFormat& format,
                 std::span<const Message> messages, ChatOptions options);

}  // namespace nxs::text
