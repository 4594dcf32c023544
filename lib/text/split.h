// SPDX-License-Identifier: Apache-2.0 OR MIT
// Pre-tokenizers: the patterns that cut a text into the pieces within which bytes are merged.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct pcre2_real_code_8;

namespace nxs::text {

/// What a pre-tokenizer's name decides.
struct PreTokenizer {
  const char* name;         ///< the one of several names that enters digests
  bool compose;             ///< the text is brought into NFC first
  bool whole_pieces;        ///< a piece that is a token is that token, whatever the merges say
  bool bos;                 ///< the begin token is asked for unless the file says otherwise
  const char* patterns[2];  ///< applied one after the other, each to the pieces of the one before
};

/// NULL for a name that is not supported.
const PreTokenizer* find_pre_tokenizer(std::string_view name);

/// Compiled patterns: immutable, any number of threads. Matching is PCRE2's interpreter, whose memory is on the heap:
/// compiling to machine code would need writable code pages, which hardened hosts refuse, and a process-wide allocator.
class Splitter {
 public:
  explicit Splitter(const PreTokenizer& pre);

  /// The ends of the pieces of well-formed text, ascending, the last being its size; empty for "".
  std::vector<size_t> split(std::string_view text) const;

 private:
  struct Free {
    void operator()(pcre2_real_code_8* code) const;
  };
  std::vector<std::unique_ptr<pcre2_real_code_8, Free>> patterns_;
};

}  // namespace nxs::text
