// SPDX-License-Identifier: Apache-2.0 OR MIT
// The tokens of a model: their bytes, kinds and merge ranks, read from a GGUF file ("gpt2" byte-level BPE).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/string_table.h"
#include "gguf/gguf.h"
#include "text/merge_table.h"
#include "text/token_table.h"

namespace nxs::text {

struct PreTokenizer;

enum class TokenKind : uint8_t { kNormal, kControl, kUserDefined, kUnused, kByte, kUnknown };

class Vocabulary {
 public:
  /// Throws kFormat (counts, ids, merges naming unknown tokens) or kUnsupported (tokenizer model or pre-tokenizer by
  /// name; a file that names no pre-tokenizer too, since any guess would cut some texts wrongly).
  static Vocabulary read(const gguf::File& file);

  int32_t size() const { return static_cast<int32_t>(bytes_.size()); }
  /// The raw bytes that a token stands for; for control tokens the text of the token itself ("<|im_end|>").
  std::string_view bytes(int32_t token) const { return bytes_[static_cast<size_t>(token)]; }
  TokenKind kind(int32_t token) const { return kinds_[static_cast<size_t>(token)]; }
  bool is_control(int32_t token) const;  ///< control (or the unknown token): matched whole in text when specials are on
  bool is_special(int32_t token) const;  ///< control or user-defined; the latter are matched whole in any text
  bool is_stop(int32_t token) const { return stop_[static_cast<size_t>(token)]; }
  int32_t byte_token(uint8_t byte) const { return byte_token_[byte]; }  ///< -1 when the vocabulary cannot express it
  int32_t find(std::string_view bytes) const;                         ///< a normal token by its raw bytes, -1 when none
  int32_t find_special(std::string_view text) const;                  ///< -1 when none
  const std::vector<int32_t>& specials() const { return specials_; }  ///< longest text first
  /// Rank of merging two tokens (lower first) and the merged token; rank -1 when they do not merge.
  Merge merge(int32_t left, int32_t right) const { return merges_.find(left, right); }
  int32_t bos() const { return bos_; }  ///< -1 when none
  bool wants_bos() const { return add_bos_; }
  int32_t eos() const { return eos_; }
  const PreTokenizer& pre_tokenizer() const { return *pre_; }
  const std::string& model_name() const { return name_; }              ///< general.name, "" when none
  const std::string& chat_template() const { return chat_template_; }  ///< "" when none
  /// Adds everything that decides text <-> tokens <-> stops.
  void add_to(Hasher& hasher) const;
  size_t memory() const;  ///< in bytes

 private:
  /// Both give or use the tokens by their spelling in the file.
  TokenTable read_tokens(const gguf::File& file);
  void read_merges(const gguf::File& file, const TokenTable& by_spelling);
  void add_token(int32_t token, TokenKind kind, std::string_view spelling);
  void read_ids(const gguf::File& file);
  int32_t read_id(const gguf::File& file, const char* key) const;

  StringTable bytes_;
  std::vector<TokenKind> kinds_;
  std::vector<bool> stop_;
  int32_t byte_token_[256] = {};
  TokenTable by_bytes_;  // normal tokens
  TokenTable by_text_;   // special ones
  MergeTable merges_;
  std::vector<int32_t> specials_;
  int32_t bos_ = -1, eos_ = -1;
  bool add_bos_ = false;
  const PreTokenizer* pre_ = nullptr;
  std::string name_, chat_template_;
};

}  // namespace nxs::text
