// SPDX-License-Identifier: Apache-2.0 OR MIT
// Small vocabularies for the tests, written as GGUF bytes and read back by the library's own reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "base/status.h"
#include "gguf/gguf.h"
#include "selftest/gguf_writer.h"
#include "support/error_of.h"
#include "text/tokenizer.h"

namespace nxs::text::tests {

/// The 256 bytes as tokens 0..255 (less those in `missing`), then merged tokens, then control and user-defined ones.
struct VocabularyFile {
  std::string model = "gpt2";
  std::string pre = "gpt-2";             ///< "" leaves the key out
  std::string missing = {};              ///< bytes that get a spelling which no text has
  std::vector<std::string> merges = {};  ///< "l r", in the byte alphabet
  std::vector<std::string> control = {}, user = {};
  std::string chat_template = {};
  std::vector<std::pair<std::string, uint32_t>> ids = {};  ///< e.g. {"tokenizer.ggml.eos_token_id", 257}
  std::vector<std::string> extra_tokens = {};              ///< normal, after all others

  std::vector<uint8_t> bytes() const;
  Vocabulary read() const;
  Tokenizer tokenizer() const { return Tokenizer(read()); }
};

/// How the "gpt2" alphabet writes a byte.
std::string spelling(uint8_t byte);

inline std::vector<int32_t> encode(const Tokenizer& tokenizer, std::string_view text, EncodeOptions options = {}) {
  std::vector<int32_t> tokens;
  tokenizer.encode(tokens, text, options);
  return tokens;
}

inline std::string decode(const Tokenizer& tokenizer, const std::vector<int32_t>& tokens, bool special = false) {
  std::string text;
  tokenizer.decode(text, tokens, special);
  return text;
}

/// The message of the error that `work` throws, "" when it throws none; the status goes to *status.
template <typename Work>
std::string error_of(Work&& work, Status* status) {
  const test::Thrown thrown = test::error_of(work);
  *status = thrown.status;
  return thrown.message;
}

}  // namespace nxs::text::tests
