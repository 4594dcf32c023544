// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "selftest/tiny_vocabulary.h"

#include <unordered_set>

namespace nxs::selftest {

namespace {

constexpr int32_t kNormal = 1, kControl = 3;
constexpr uint32_t kSpaceId = kFirstByteId + ' ';
constexpr size_t kLongestToken = 12;

/// Byte-level BPE writes each byte as one printable character: itself where it is printable in Latin-1, else 256 and up
/// in order.
std::string alphabet(uint32_t byte, uint32_t& n_moved) {
  const bool printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  const uint32_t character = printable ? byte : 256 + n_moved++;
  if (character < 0x80) return {static_cast<char>(character)};
  return {static_cast<char>(0xc0 | (character >> 6)), static_cast<char>(0x80 | (character & 0x3f))};
}

class Builder {
 public:
  explicit Builder(TinyVocabulary& vocabulary) : vocabulary_(vocabulary) {
    uint32_t n_moved = 0;
    for (const char* text : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}) add(text, kControl);
    for (uint32_t byte = 0; byte < 256; ++byte) add(alphabet(byte, n_moved), kNormal);
    heads_.push_back(kSpaceId);
    for (uint32_t byte = 'a'; byte <= 'z'; ++byte) {
      heads_.push_back(kFirstByteId + byte);
      tails_.push_back(kFirstByteId + byte);
    }
  }

  /// Whether the merged token was new. A tail is a token of letters alone, a head may start with the space: words never
  /// cross a split.
  bool merge(uint32_t head, uint32_t tail) {
    const std::string &left = vocabulary_.tokens[head], &right = vocabulary_.tokens[tail];
    const std::string merged = left + right;
    if (merged.size() > kLongestToken || !known_.insert(merged).second) return false;
    vocabulary_.merges.push_back(left + " " + right);
    const auto id = static_cast<uint32_t>(vocabulary_.tokens.size());
    heads_.push_back(id);
    if (left[0] >= 'a' && left[0] <= 'z') tails_.push_back(id);
    vocabulary_.tokens.push_back(merged);
    vocabulary_.types.push_back(kNormal);
    return true;
  }

  uint32_t random_head(IntegerDraws& draws) const { return heads_[draws.below(static_cast<uint32_t>(heads_.size()))]; }
  uint32_t random_tail(IntegerDraws& draws) const { return tails_[draws.below(static_cast<uint32_t>(tails_.size()))]; }

 private:
  void add(const std::string& text, int32_t type) {
    vocabulary_.tokens.push_back(text);
    vocabulary_.types.push_back(type);
    known_.insert(text);
  }

  TinyVocabulary& vocabulary_;
  std::unordered_set<std::string> known_;
  std::vector<uint32_t> heads_, tails_;
};

}  // namespace

TinyVocabulary tiny_vocabulary(IntegerDraws& draws, uint32_t n_vocab) {
  TinyVocabulary vocabulary;
  Builder builder(vocabulary);
  const auto letter = [](char c) { return kFirstByteId + static_cast<uint32_t>(c); };
  for (const char* pair :
       {" t", " a", "in", "he", "re", "on", "er", " s", "at", " o", "or", "en", "is", "an", "es", " w"}) {
    if (vocabulary.tokens.size() < n_vocab) builder.merge(letter(pair[0]), letter(pair[1]));
  }
  while (vocabulary.tokens.size() < n_vocab) {
    // Not as two arguments of one call: compilers draw those in different orders.
    const uint32_t tail = builder.random_tail(draws);
    builder.merge(builder.random_head(draws), tail);
  }
  return vocabulary;
}

}  // namespace nxs::selftest
