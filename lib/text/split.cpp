// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/split.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "base/status.h"

namespace nxs::text {
namespace {

// Unicode's White_Space, which replaces \s in the patterns (where it stands in classes only): PCRE2's own \s counts
// U+180E, which left that property with Unicode 6.3.
constexpr std::string_view kSpaces =
    R"(\x09-\x0d\x20\x85\xa0\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})";

constexpr const char* kDigit = R"(\p{N})";
constexpr const char* kGpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|[\s]+(?![^\s])|[\s]+)";
// Llama 3 takes digits in threes, Qwen 2 one by one; the rest is the same.
constexpr const char* kLlama3 = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
                                R"( ?[^\s\p{L}\p{N}]+[\r\n]*|[\s]*[\r\n]+|[\s]+(?![^\s])|[\s]+)";
constexpr const char* kQwen2 = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
                               R"( ?[^\s\p{L}\p{N}]+[\r\n]*|[\s]*[\r\n]+|[\s]+(?![^\s])|[\s]+)";

constexpr PreTokenizer kPreTokenizers[] = {
    {"gpt-2", false, false, false, {kGpt2, nullptr}},
    {"smollm", false, false, false, {kDigit, kGpt2}},
    {"llama-bpe", false, true, true, {kLlama3, nullptr}},
    {"qwen2", true, false, false, {kQwen2, nullptr}},
};

/// One call's match data and limits. The match limit grows with the text: a run of n blanks may cost n steps back.
class Matcher {
 public:
  explicit Matcher(size_t text_size)
      : data_(pcre2_match_data_create(1, nullptr)), context_(pcre2_match_context_create(nullptr)) {
    if (data_ == nullptr || context_ == nullptr) {
      free_all();
      fail(Status::kMemory, "pre-tokenizer: no memory for matching");
    }
    const size_t limit = std::min<size_t>(UINT32_MAX, 10'000'000 + 8 * text_size);
    pcre2_set_match_limit(context_, static_cast<uint32_t>(limit));
    pcre2_set_depth_limit(context_, 1000);
    pcre2_set_heap_limit(context_, 1024);  // KiB; no pattern here nests, so a few frames do
  }
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;
  ~Matcher() { free_all(); }

  /// The first match at or after `from`; false when there is none.
  bool find(const pcre2_code* code, std::string_view text, size_t from, size_t& begin, size_t& end) {
    const int rc = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from, PCRE2_NO_UTF_CHECK,
                               data_, context_);
    if (rc == PCRE2_ERROR_NOMATCH) return false;
    if (rc == PCRE2_ERROR_NOMEMORY) throw std::bad_alloc();
    if (rc < 0) fail(Status::kInternal, "pre-tokenizer: PCRE2 error %d at byte %zu of a piece", rc, from);
    const PCRE2_SIZE* where = pcre2_get_ovector_pointer(data_);
    begin = where[0];
    end = where[1];
    return end > begin;
  }

 private:
  void free_all() {
    pcre2_match_data_free(data_);
    pcre2_match_context_free(context_);
  }
  pcre2_match_data* data_;
  pcre2_match_context* context_;
};

/// Appends the ends of `piece`'s parts: each match, and what lies between matches. `base` is where the piece begins.
void split_piece(Matcher& matcher, const pcre2_code* code, std::string_view piece, size_t base,
                 std::vector<size_t>& ends) {
  size_t at = 0, begin = 0, end = 0;
  while (at < piece.size() && matcher.find(code, piece, at, begin, end)) {
    if (begin > at) ends.push_back(base + begin);
    ends.push_back(base + end);
    at = end;
  }
  if (at < piece.size()) ends.push_back(base + piece.size());
}

}  // namespace

const PreTokenizer* find_pre_tokenizer(std::string_view name) {
  if (name == "llama3" || name == "llama-v3") name = "llama-bpe";
  for (const PreTokenizer& pre : kPreTokenizers) {
    if (name == pre.name) return &pre;
  }
  return nullptr;
}

void Splitter::Free::operator()(pcre2_real_code_8* code) const {
  pcre2_code_free(code);
}

Splitter::Splitter(const PreTokenizer& pre) {
  for (const char* source : pre.patterns) {
    if (source == nullptr) continue;
    std::string pattern = source;
    for (size_t at = pattern.find("\\s"); at != std::string::npos; at = pattern.find("\\s"))
      pattern.replace(at, 2, kSpaces);
    int error = 0;
    PCRE2_SIZE offset = 0;
    auto* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), PCRE2_UTF, &error, &offset,
                               nullptr);
    if (code == nullptr) {
      if (error == PCRE2_ERROR_HEAP_FAILED) throw std::bad_alloc();
      fail(Status::kInternal, "pre-tokenizer '%s': PCRE2 error %d at %zu of its pattern", pre.name, error, offset);
    }
    patterns_.emplace_back(code);
  }
}

std::vector<size_t> Splitter::split(std::string_view text) const {
  std::vector<size_t> ends, next;
  if (text.empty()) return ends;
  ends.push_back(text.size());
  Matcher matcher(text.size());
  for (const auto& pattern : patterns_) {
    next.clear();
    size_t begin = 0;
    for (const size_t end : ends) {
      split_piece(matcher, pattern.get(), text.substr(begin, end - begin), begin, next);
      begin = end;
    }
    ends.swap(next);
  }
  return ends;
}

}  // namespace nxs::text
