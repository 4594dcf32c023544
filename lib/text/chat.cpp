// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/chat.h"

#include <algorithm>
#include <string>

#include "base/digest.h"
#include "base/status.h"
#include "text/chat_format.h"
#include "text/utf8.h"

namespace nxs::text {
namespace {

bool is_space(uint32_t c) {
  return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

/// What Jinja's trim filter (Python's str.strip) leaves.
std::string_view trim(std::string_view text) {
  for (size_t n = utf8_length(text); n != 0 && is_space(utf8_decode(text.substr(0, n))); n = utf8_length(text)) {
    text.remove_prefix(n);
  }
  while (!text.empty()) {
    size_t n = 1;
    while (n < 4 && n < text.size() && (static_cast<uint8_t>(text[text.size() - n]) & 0xc0) == 0x80) ++n;
    const std::string_view last = text.substr(text.size() - n);
    if (utf8_length(last) != n || !is_space(utf8_decode(last))) break;
    text.remove_suffix(n);
  }
  return text;
}

/// Collects tokens. Everything between two markers is one run, so that template text and content merge as they would in
/// the rendered text, while content can never become a marker.
class Renderer {
 public:
  Renderer(const Tokenizer& tokenizer, const ChatFormat& format) : tokenizer_(tokenizer), format_(format) {}

  void text(std::string_view text) { run_ += text; }

  void marker(const char* name) {
    const int32_t token = tokenizer_.vocabulary().find_special(name);
    if (token < 0) fail(Status::kTemplate, "chat format '%s': the vocabulary has no token '%s'", format_.name, name);
    token_id(token);
  }

  void token_id(int32_t token) {
    flush();
    tokens_.push_back(token);
  }

  void open(std::string_view role) {
    const bool headers = format_.style == ChatStyle::kHeaders;
    marker(headers ? "<|start_header_id|>" : "<|im_start|>");
    text(role);
    if (headers) marker("<|end_header_id|>");
    text(headers ? "\n\n" : "\n");
  }

  void close() {
    const bool headers = format_.style == ChatStyle::kHeaders;
    marker(headers ? "<|eot_id|>" : "<|im_end|>");
    if (!headers) text("\n");
  }

  void message(std::string_view role, std::string_view content) {
    open(role);
    text(format_.style == ChatStyle::kHeaders ? trim(content) : content);
    close();
  }

  const std::vector<int32_t>& finish() {
    flush();
    return tokens_;
  }

 private:
  void flush() {
    tokenizer_.encode(tokens_, run_, {});
    run_.clear();
  }

  const Tokenizer& tokenizer_;
  const ChatFormat& format_;
  std::string run_;
  std::vector<int32_t> tokens_;
};

/// Beforehand, because here the message and the offset in its content are known.
void check_bytes(const Vocabulary& vocabulary, std::string_view text, size_t message, const char* part) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if (vocabulary.byte_token(byte) >= 0) continue;
    fail(Status::kUnencodable, "messages[%zu].%s: byte 0x%02x at offset %zu has no token in this vocabulary", message,
         part, byte, i);
  }
}

void check_messages(const Vocabulary& vocabulary, const ChatFormat& format, std::span<const Message> messages) {
  for (size_t i = 0; i < messages.size(); ++i) {
    const std::string_view role = messages[i].role;
    if (format.known_roles && role != "system" && role != "user" && role != "assistant") {
      fail(Status::kArgument, "messages[%zu]: chat format '%s' has no role '%.*s'", i, format.name,
           static_cast<int>(std::min<size_t>(role.size(), 60)), role.data());
    }
    check_bytes(vocabulary, role, i, "role");
    check_bytes(vocabulary, messages[i].content, i, "content");
  }
}

[[noreturn]] void fail_template(const Vocabulary& vocabulary) {
  const std::string name = vocabulary.model_name().substr(0, 60);
  const std::string& text = vocabulary.chat_template();
  if (text.empty()) fail(Status::kTemplate, "model '%s' has no chat template (tokenizer.chat_template)", name.c_str());
  const bool dated = text.find("strftime_now") != std::string::npos || text.find("date_string") != std::string::npos;
  std::string start = text.substr(0, 48);
  std::replace(start.begin(), start.end(), '\n', ' ');
  fail(Status::kTemplate, "the chat template of model '%s' %s (digest %s, '%s...')", name.c_str(),
       dated ? "reads the date, which nxs does not render" : "is not one that nxs knows",
       digest_of(text.data(), text.size()).hex().c_str(), start.c_str());
}

}  // namespace

void render_chat(std::vector<int32_t>& out, const Tokenizer& tokenizer, const ChatFormat& format,
                 std::span<const Message> messages, ChatOptions options) {
  const Vocabulary& vocabulary = tokenizer.vocabulary();
  check_messages(vocabulary, format, messages);
  if (messages.empty() && format.known_roles && !options.proceed) {
    fail(Status::kArgument, "chat format '%s' needs at least one message", format.name);
  }
  Renderer renderer(tokenizer, format);
  if (options.proceed) {
    renderer.close();
  } else if (!messages.empty()) {
    if (format.style == ChatStyle::kHeaders && vocabulary.bos() >= 0) renderer.token_id(vocabulary.bos());
    if (format.system != nullptr && messages[0].role != "system") renderer.message("system", format.system);
  }
  for (const Message& message : messages) renderer.message(message.role, message.content);
  if (options.reply) renderer.open("assistant");
  const std::vector<int32_t>& tokens = renderer.finish();
  out.insert(out.end(), tokens.begin(), tokens.end());
}

void format_chat(std::vector<int32_t>& out, const Tokenizer& tokenizer, std::span<const Message> messages,
                 ChatOptions options) {
  const ChatFormat* format = recognise_chat_format(tokenizer.vocabulary());
  if (format == nullptr) fail_template(tokenizer.vocabulary());
  render_chat(out, tokenizer, *format, messages, options);
}

const char* chat_format_name(const Vocabulary& vocabulary) {
  const ChatFormat* format = recognise_chat_format(vocabulary);
  return format == nullptr ? nullptr : format->name;
}

}  // namespace nxs::text
