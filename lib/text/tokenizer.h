// SPDX-License-Identifier: Apache-2.0 OR MIT
// Text to tokens and back. Immutable once made; any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace nxs::text {

struct EncodeOptions {
  bool special = false;  ///< "<|im_end|>" in the text is the control token
  bool bos = false;      ///< the begin token first, if the model asks for one
  bool drop = false;     ///< leave unencodable bytes out and count them
};

class Tokenizer {
 public:
  explicit Tokenizer(Vocabulary vocabulary);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  const Vocabulary& vocabulary() const { return vocabulary_; }
  /// Appends to `out`. Throws kUnencodable with byte and offset unless options.drop. Returns how many bytes were
  /// dropped.
  size_t encode(std::vector<int32_t>& out, std::string_view text, EncodeOptions options) const;
  /// Appends the bytes of the tokens; control tokens only with `special`. Ids outside the vocabulary: kArgument naming
  /// the index.
  void decode(std::string& out, std::span<const int32_t> tokens, bool special) const;
  /// The bytes that one emitted token adds to a text ("" for control tokens).
  std::string_view piece(int32_t token) const;

 private:
  struct Split;  // compiled pre-tokenizer patterns (PCRE2)
  Vocabulary vocabulary_;
  std::unique_ptr<Split> split_;
};

}  // namespace nxs::text
