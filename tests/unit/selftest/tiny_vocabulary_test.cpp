// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "selftest/tiny_vocabulary.h"

#include <doctest/doctest.h>

#include <set>

namespace nxs::selftest {

TEST_CASE("selftest/tiny_vocabulary: any size from the least on, each token once") {
  for (const uint32_t n : {259u, 260u, 275u, 320u, 5000u}) {
    IntegerDraws draws(7);
    const TinyVocabulary vocabulary = tiny_vocabulary(draws, n);
    CHECK(vocabulary.tokens.size() == n);
    CHECK(vocabulary.types.size() == n);
    CHECK(vocabulary.merges.size() == n - kFirstMergedId);
    CHECK(std::set(vocabulary.tokens.begin(), vocabulary.tokens.end()).size() == n);
  }
}

TEST_CASE("selftest/tiny_vocabulary: bytes are in the alphabet of byte-level BPE") {
  IntegerDraws draws(7);
  const TinyVocabulary vocabulary = tiny_vocabulary(draws, 320);
  CHECK(vocabulary.tokens[kUnknownId] == "<|endoftext|>");
  CHECK(vocabulary.tokens[kBeginId] == "<|im_start|>");
  CHECK(vocabulary.tokens[kEndId] == "<|im_end|>");
  CHECK(vocabulary.tokens[kFirstByteId + 0x00] == "\u0100");
  CHECK(vocabulary.tokens[kFirstByteId + ' '] == "\u0120");
  CHECK(vocabulary.tokens[kFirstByteId + '\n'] == "\u010a");
  CHECK(vocabulary.tokens[kFirstByteId + 'A'] == "A");
  CHECK(vocabulary.tokens[kFirstByteId + 0xa0] == "\u0142");
  CHECK(vocabulary.tokens[kFirstByteId + 0xad] == "\u0143");
  CHECK(vocabulary.tokens[kFirstByteId + 0xff] == "\u00ff");
}

TEST_CASE("selftest/tiny_vocabulary: a merge names two tokens that stand before the merged one") {
  IntegerDraws draws(7);
  const TinyVocabulary vocabulary = tiny_vocabulary(draws, 1000);
  std::set<std::string> known(vocabulary.tokens.begin(), vocabulary.tokens.begin() + kFirstMergedId);
  for (size_t i = 0; i < vocabulary.merges.size(); ++i) {
    const std::string& merge = vocabulary.merges[i];
    const size_t space = merge.find(' ');
    const std::string left = merge.substr(0, space), right = merge.substr(space + 1);
    CHECK(known.contains(left));
    CHECK(known.contains(right));
    CHECK(vocabulary.tokens[kFirstMergedId + i] == left + right);
    known.insert(left + right);
  }
}

}  // namespace nxs::selftest
