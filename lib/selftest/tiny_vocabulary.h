// SPDX-License-Identifier: Apache-2.0 OR MIT
// The tiny model's vocabulary: <|endoftext|>, <|im_start|>, <|im_end|>, the 256 bytes (id 3 + byte), then merged
// tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "selftest/tiny_matrix.h"

namespace nxs::selftest {

inline constexpr uint32_t kUnknownId = 0, kBeginId = 1, kEndId = 2, kFirstByteId = 3, kFirstMergedId = 259;

struct TinyVocabulary {
  std::vector<std::string> tokens;  ///< in the alphabet of byte-level BPE
  std::vector<int32_t> types;       ///< 3 control, 1 normal
  std::vector<std::string> merges;  ///< merge i makes token kFirstMergedId + i
};

/// n_vocab >= kFirstMergedId. The merges are some frequent ones of English, then random pairs of letters and merged
/// tokens.
TinyVocabulary tiny_vocabulary(IntegerDraws& draws, uint32_t n_vocab);

}  // namespace nxs::selftest
