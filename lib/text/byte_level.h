// SPDX-License-Identifier: Apache-2.0 OR MIT
// The spelling of token bytes in "gpt2" vocabularies: each byte is written as one printable character (U+0021 ..
// U+0143).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nxs::text {

/// The bytes that a token's spelling stands for; nothing when a character of it stands for no byte.
std::optional<std::string> decode_spelling(std::string_view spelling);

}  // namespace nxs::text
