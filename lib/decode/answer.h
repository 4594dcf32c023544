// SPDX-License-Identifier: Apache-2.0 OR MIT
// What a text gives as its answer. Pure functions of the text; the command's and the vote's extractors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nxs::decode {

/// Answers are compared as texts, so each extractor writes one number in one way. None: no vote.
using Answer = std::optional<std::string>;

/// NXS_EXTRACT_* of the public header.
enum class Extractor : uint32_t { kNone = 0, kLastInteger = 1, kLastNumber = 2, kBoxed = 3 };

/// The last integer, digits of any length. ASCII digits; ',' between strict groups of three; '-' or U+2212 is a sign
/// unless a digit, a letter or a closing bracket stands right before it; a decimal part of zeros, leading zeros and '+'
/// go. A number with another decimal part, an exponent or a fraction (a bar, \frac and its kin, also behind digits) is
/// none, and is passed over whole.
/// What follows "\n\nQuestion:" counts only if nothing before it does: the model has begun to ask itself.
Answer last_integer(std::string_view text);
/// The same, but decimal parts count, without zeros at their end.
Answer last_number(std::string_view text);
/// What stands in the braces of the last whole \boxed{...} without a NUL, blanks around it cut off; a single number,
/// with or without a full stop, is written as last_number writes it. Behind "\n\nQuestion:" as above.
Answer boxed(std::string_view text);

Answer extract(Extractor extractor, std::string_view text);

}  // namespace nxs::decode
