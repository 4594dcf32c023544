// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "unit/text/vocabulary_file.h"

namespace nxs::text::tests {

std::string spelling(uint8_t byte) {
  uint32_t character = byte, moved = 0;
  for (uint32_t b = 0; b <= byte; ++b) {
    const bool itself = (b >= 0x21 && b <= 0x7e) || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
    character = itself ? b : 0x100 + moved++;
  }
  if (character < 0x80) return {static_cast<char>(character)};
  return {static_cast<char>(0xc0 | character >> 6), static_cast<char>(0x80 | (character & 0x3f))};
}

std::vector<uint8_t> VocabularyFile::bytes() const {
  std::vector<std::string> tokens;
  std::vector<int32_t> types;
  const auto add = [&](const std::string& text, int32_t type) {
    tokens.push_back(text);
    types.push_back(type);
  };
  for (uint32_t b = 0; b < 256; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    const bool gone = missing.find(static_cast<char>(byte)) != std::string::npos;
    add(gone ? "(missing " + std::to_string(b) + ")" : spelling(byte), 1);
  }
  for (const std::string& merge : merges) {
    const size_t space = merge.find(' ', 1);
    add(merge.substr(0, space) + merge.substr(space + 1), 1);
  }
  for (const std::string& text : control) add(text, 3);
  for (const std::string& text : user) add(text, 4);
  for (const std::string& text : extra_tokens) add(text, 1);

  selftest::GgufWriter file;
  file.text("general.name", "a small vocabulary");
  file.text("tokenizer.ggml.model", model);
  if (!pre.empty()) file.text("tokenizer.ggml.pre", pre);
  file.texts("tokenizer.ggml.tokens", tokens);
  file.i32s("tokenizer.ggml.token_type", types);
  file.texts("tokenizer.ggml.merges", merges);
  for (const auto& [key, id] : ids) file.u32(key, id);
  if (!chat_template.empty()) file.text("tokenizer.chat_template", chat_template);
  return file.finish();
}

Vocabulary VocabularyFile::read() const {
  const std::vector<uint8_t> data = bytes();
  const auto source = borrow_memory(data.data(), data.size());
  return Vocabulary::read(gguf::File::parse(*source));
}

}  // namespace nxs::text::tests
