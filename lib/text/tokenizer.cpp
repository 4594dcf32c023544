// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/tokenizer.h"

#include <algorithm>

#include "base/status.h"
#include "text/bpe.h"
#include "text/specials.h"
#include "text/split.h"
#include "text/utf8.h"

namespace nxs::text {

struct Tokenizer::Split {
  explicit Split(const Vocabulary& vocabulary)
      : pieces(vocabulary.pre_tokenizer()), control(vocabulary, true), user(vocabulary, false) {}
  Splitter pieces;
  SpecialFinder control, user;
};

namespace {

/// One call of encode.
class Encoder {
 public:
  Encoder(std::vector<int32_t>& out, const Vocabulary& vocabulary, const Splitter& splitter, bool drop)
      : out_(out), vocabulary_(vocabulary), splitter_(splitter), merger_(vocabulary), drop_(drop) {}

  size_t dropped() const { return dropped_; }

  /// Text without special tokens that begins at `offset` of the caller's text: runs of well-formed characters, which
  /// the pre-tokenizer cuts, and runs of bytes that belong to no character, each of which is one piece.
  void plain(std::string_view text, size_t offset) {
    while (!text.empty()) {
      const size_t valid = utf8_run(text, true);
      characters(text.substr(0, valid), offset);
      const size_t bad = utf8_run(text.substr(valid), false);
      piece(text.substr(valid, bad), offset + valid);
      text.remove_prefix(valid + bad);
      offset += valid + bad;
    }
  }

 private:
  void characters(std::string_view text, size_t offset) {
    std::string composed;
    if (vocabulary_.pre_tokenizer().compose) {
      composed = compose(text);
      text = composed;
    }
    size_t begin = 0;
    for (const size_t end : splitter_.split(text)) {
      piece(text.substr(begin, end - begin), offset + begin);
      begin = end;
    }
  }

  void piece(std::string_view bytes, size_t offset) {
    if (vocabulary_.pre_tokenizer().whole_pieces) {
      const int32_t whole = vocabulary_.find(bytes);
      if (whole >= 0) return out_.push_back(whole);
    }
    tokens_.clear();
    for (size_t i = 0; i < bytes.size(); ++i) {
      const auto byte = static_cast<uint8_t>(bytes[i]);
      const int32_t token = vocabulary_.byte_token(byte);
      if (token >= 0) {
        tokens_.push_back(token);
      } else if (drop_) {
        ++dropped_;
      } else {
        fail(Status::kUnencodable, "byte 0x%02x at offset %zu has no token in this vocabulary", byte, offset + i);
      }
    }
    merger_.merge(tokens_);
    out_.insert(out_.end(), tokens_.begin(), tokens_.end());
  }

  std::vector<int32_t>& out_;
  const Vocabulary& vocabulary_;
  const Splitter& splitter_;
  BytePairMerger merger_;
  std::vector<int32_t> tokens_;
  bool drop_;
  size_t dropped_ = 0;
};

}  // namespace

Tokenizer::Tokenizer(Vocabulary vocabulary)
    : vocabulary_(std::move(vocabulary)), split_(std::make_unique<Split>(vocabulary_)) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

size_t Tokenizer::encode(std::vector<int32_t>& out, std::string_view text, EncodeOptions options) const {
  if (text.size() > INT32_MAX)
    fail(Status::kArgument, "a text of %zu bytes; at most 2^31 - 1 can be encoded at once", text.size());
  std::vector<int32_t> tokens;
  Encoder encoder(tokens, vocabulary_, split_->pieces, options.drop);
  const SpecialFinder& finder = options.special ? split_->control : split_->user;
  if (options.bos && vocabulary_.wants_bos()) tokens.push_back(vocabulary_.bos());
  for (size_t at = 0; at < text.size();) {
    const auto found = finder.find(vocabulary_, text, at);
    encoder.plain(text.substr(at, found.begin - at), at);
    if (found.token < 0) break;
    tokens.push_back(found.token);
    at = found.begin + vocabulary_.bytes(found.token).size();
  }
  out.insert(out.end(), tokens.begin(), tokens.end());
  return encoder.dropped();
}

void Tokenizer::decode(std::string& out, std::span<const int32_t> tokens, bool special) const {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] < 0 || tokens[i] >= vocabulary_.size()) {
      fail(Status::kArgument, "tokens[%zu]: %d is not in 0..%d", i, tokens[i], vocabulary_.size() - 1);
    }
  }
  for (const int32_t token : tokens) out += special ? vocabulary_.bytes(token) : piece(token);
}

std::string_view Tokenizer::piece(int32_t token) const {
  const bool silent = vocabulary_.is_control(token) || vocabulary_.kind(token) == TokenKind::kUnused;
  return silent ? std::string_view() : vocabulary_.bytes(token);
}

}  // namespace nxs::text
