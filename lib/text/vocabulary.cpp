// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/vocabulary.h"

#include <algorithm>

#include "base/status.h"
#include "text/byte_level.h"
#include "text/split.h"

namespace nxs::text {
namespace {

/// Tokens that end a run in every model that has them as control tokens, whatever ids the file declares.
constexpr std::string_view kStopNames[] = {"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>",
                                           "<|end_of_text|>"};

bool is_stop_name(std::string_view text) {
  return std::find(std::begin(kStopNames), std::end(kStopNames), text) != std::end(kStopNames);
}

/// GGUF numbers the kinds from 1 on. Converters of some models declare end tokens as user-defined; they are control
/// tokens.
TokenKind kind_of(int64_t type, size_t token, std::string_view text) {
  switch (type) {
    case 1:
      return TokenKind::kNormal;
    case 2:
      return TokenKind::kUnknown;
    case 3:
      return TokenKind::kControl;
    case 4:
      return is_stop_name(text) ? TokenKind::kControl : TokenKind::kUserDefined;
    case 5:
      return TokenKind::kUnused;
    case 6:
      return TokenKind::kByte;
    default:
      fail(Status::kFormat, "tokenizer.ggml.token_type[%zu]: %lld is no token type", token,
           static_cast<long long>(type));
  }
}

int printable(std::string_view text) {
  return static_cast<int>(std::min<size_t>(text.size(), 80));
}

}  // namespace

Vocabulary Vocabulary::read(const gguf::File& file) {
  const std::string& model = file.required_string("tokenizer.ggml.model");
  if (model != "gpt2") {
    fail(Status::kUnsupported, "tokenizer.ggml.model '%.*s': only 'gpt2' (byte-level BPE) is supported",
         printable(model), model.c_str());
  }
  const std::string* pre = file.string("tokenizer.ggml.pre");
  if (pre == nullptr)
    fail(Status::kUnsupported, "tokenizer.ggml.pre is missing, and how the model cuts text cannot be guessed");
  Vocabulary out;
  out.pre_ = find_pre_tokenizer(*pre);
  if (out.pre_ == nullptr) {
    fail(Status::kUnsupported, "tokenizer.ggml.pre '%.*s' is not a supported pre-tokenizer", printable(*pre),
         pre->c_str());
  }
  out.read_merges(file, out.read_tokens(file));
  out.read_ids(file);
  if (const std::string* text = file.string("tokenizer.chat_template")) out.chat_template_ = *text;
  if (const std::string* text = file.string("general.name")) out.name_ = *text;
  return out;
}

TokenTable Vocabulary::read_tokens(const gguf::File& file) {
  const StringTable& spellings = file.required_strings("tokenizer.ggml.tokens");
  const auto types = file.integers("tokenizer.ggml.token_type");
  if (spellings.empty() || spellings.size() > INT32_MAX) {
    fail(Status::kFormat, "tokenizer.ggml.tokens: %zu tokens", spellings.size());
  }
  if (types && types->size() != spellings.size()) {
    fail(Status::kFormat, "tokenizer.ggml.token_type: %zu types for %zu tokens", types->size(), spellings.size());
  }
  std::fill(std::begin(byte_token_), std::end(byte_token_), -1);
  TokenTable by_spelling(spellings.size());
  by_bytes_ = TokenTable(spellings.size());
  kinds_.reserve(spellings.size());
  for (size_t i = 0; i < spellings.size(); ++i) {
    const std::string_view spelling = spellings[i];
    const auto token = static_cast<int32_t>(i);
    if (!spelling.empty() && !by_spelling.insert(spellings, token)) {
      fail(Status::kFormat, "tokenizer.ggml.tokens[%zu]: '%.*s' is there already", i, printable(spelling),
           spelling.data());
    }
    add_token(token, kind_of(types ? (*types)[i] : 1, i, spelling), spelling);
  }
  bytes_.shrink_to_fit();
  by_text_ = TokenTable(specials_.size());
  for (const int32_t token : specials_) by_text_.insert(bytes_, token);
  std::stable_sort(specials_.begin(), specials_.end(),
                   [this](int32_t a, int32_t b) { return bytes(a).size() > bytes(b).size(); });
  return by_spelling;
}

void Vocabulary::add_token(int32_t token, TokenKind kind, std::string_view spelling) {
  kinds_.push_back(kind);
  const bool spelt = kind == TokenKind::kNormal || kind == TokenKind::kByte;
  const std::optional<std::string> bytes = spelt ? decode_spelling(spelling) : std::nullopt;
  bytes_.push_back(bytes ? std::string_view(*bytes) : spelling);
  if (bytes && !bytes->empty()) {
    by_bytes_.insert(bytes_, token);
    if (bytes->size() == 1) byte_token_[static_cast<uint8_t>((*bytes)[0])] = token;
  }
  if (is_special(token) && !spelling.empty()) specials_.push_back(token);
}

void Vocabulary::read_merges(const gguf::File& file, const TokenTable& by_spelling) {
  const StringTable& spellings = file.required_strings("tokenizer.ggml.tokens");
  const StringTable& merges = file.required_strings("tokenizer.ggml.merges");
  if (merges.size() > INT32_MAX) fail(Status::kFormat, "tokenizer.ggml.merges: %zu merges", merges.size());
  merges_ = MergeTable(merges.size());
  std::string both;
  const auto find = [&](std::string_view part, size_t i) {
    const int32_t token = by_spelling.find(spellings, part);
    if (token < 0) {
      fail(Status::kFormat, "tokenizer.ggml.merges[%zu]: no token '%.*s'", i, printable(part), part.data());
    }
    return token;
  };
  for (size_t i = 0; i < merges.size(); ++i) {
    const std::string_view merge = merges[i];
    const size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos) {
      fail(Status::kFormat, "tokenizer.ggml.merges[%zu]: '%.*s' is no pair", i, printable(merge), merge.data());
    }
    const std::string_view left = merge.substr(0, space), right = merge.substr(space + 1);
    both.assign(left).append(right);
    merges_.insert(find(left, i), find(right, i), find(both, i));
  }
}

int32_t Vocabulary::read_id(const gguf::File& file, const char* key) const {
  const auto id = file.uint(key);
  if (!id) return -1;
  if (*id >= bytes_.size()) {
    fail(Status::kFormat, "%s: %llu of %zu tokens", key, static_cast<unsigned long long>(*id), bytes_.size());
  }
  return static_cast<int32_t>(*id);
}

void Vocabulary::read_ids(const gguf::File& file) {
  bos_ = read_id(file, "tokenizer.ggml.bos_token_id");
  eos_ = read_id(file, "tokenizer.ggml.eos_token_id");
  add_bos_ = file.boolean("tokenizer.ggml.add_bos_token").value_or(pre_->bos) && bos_ >= 0;
  stop_.assign(bytes_.size(), false);
  for (const char* key :
       {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
    const int32_t token = read_id(file, key);
    if (token >= 0) stop_[static_cast<size_t>(token)] = true;
  }
  for (const int32_t token : specials_) {
    if (kind(token) == TokenKind::kControl && is_stop_name(bytes(token))) stop_[static_cast<size_t>(token)] = true;
  }
}

bool Vocabulary::is_control(int32_t token) const {
  return kind(token) == TokenKind::kControl || kind(token) == TokenKind::kUnknown;
}

bool Vocabulary::is_special(int32_t token) const {
  return is_control(token) || kind(token) == TokenKind::kUserDefined;
}

int32_t Vocabulary::find(std::string_view bytes) const {
  return by_bytes_.find(bytes_, bytes);
}

int32_t Vocabulary::find_special(std::string_view text) const {
  return by_text_.find(bytes_, text);
}

size_t Vocabulary::memory() const {
  return bytes_.bytes() + by_bytes_.bytes() + by_text_.bytes() + merges_.bytes() + kinds_.capacity() +
         (kinds_.size() / 8) + specials_.capacity() * sizeof(int32_t) + chat_template_.capacity();
}

void Vocabulary::add_to(Hasher& hasher) const {
  const std::string_view name = pre_->name;
  hasher.text(name.data(), name.size());
  hasher.u64(bytes_.size());
  for (size_t i = 0; i < bytes_.size(); ++i) {
    hasher.text(bytes_[i].data(), bytes_[i].size());
    hasher.u8(static_cast<uint8_t>(kinds_[i]));
    hasher.u8(stop_[i] ? 1 : 0);
  }
  const std::vector<MergeTable::Entry> merges = merges_.by_rank();
  hasher.u64(merges.size());
  for (const MergeTable::Entry& merge : merges) {
    hasher.u32(static_cast<uint32_t>(merge.left));
    hasher.u32(static_cast<uint32_t>(merge.right));
    hasher.u32(static_cast<uint32_t>(merge.token));
  }
  hasher.u32(static_cast<uint32_t>(bos_));
  hasher.u32(static_cast<uint32_t>(eos_));
  hasher.u8(add_bos_ ? 1 : 0);
}

}  // namespace nxs::text
