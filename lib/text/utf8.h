// SPDX-License-Identifier: Apache-2.0 OR MIT
// Well-formed UTF-8 (no surrogates, nothing above U+10FFFF, no overlong forms), letters, and canonical composition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nxs::text {

/// Length of the well-formed character at the front of `text`: 1 to 4, or 0 when there is none.
size_t utf8_length(std::string_view text);
/// The code point of exactly one well-formed character.
uint32_t utf8_decode(std::string_view character);
/// How many bytes at the end of `text` may become a character when more bytes come: 0 to 3.
size_t utf8_unfinished(std::string_view text);
/// Bytes at the front of `text` that are well-formed (`valid`) or that belong to no character (not `valid`).
size_t utf8_run(std::string_view text, bool valid);
/// Whether a code point is a letter or a digit, of any script.
bool is_word(uint32_t code_point);
/// NFC of well-formed text, in linear time but for sorting runs of combining marks.
std::string compose(std::string_view text);

}  // namespace nxs::text
