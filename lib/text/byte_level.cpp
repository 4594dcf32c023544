// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "text/byte_level.h"

#include <array>
#include <cstdint>

#include "text/utf8.h"

namespace nxs::text {
namespace {

constexpr uint32_t kLastSpelling = 0x143;

/// Bytes that are printable in Latin-1 spell themselves; the other 68 follow from U+0100 on, in order.
constexpr bool spells_itself(uint32_t byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
}

constexpr std::array<int16_t, kLastSpelling + 1> make_table() {
  std::array<int16_t, kLastSpelling + 1> table{};
  for (int16_t& entry : table) entry = -1;
  uint32_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    table[spells_itself(byte) ? byte : next++] = static_cast<int16_t>(byte);
  }
  return table;
}

constexpr auto kByteOf = make_table();

}  // namespace

std::optional<std::string> decode_spelling(std::string_view spelling) {
  std::string bytes;
  while (!spelling.empty()) {
    const size_t n = utf8_length(spelling);
    if (n == 0) return std::nullopt;
    const uint32_t c = utf8_decode(spelling.substr(0, n));
    if (c > kLastSpelling || kByteOf[c] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(kByteOf[c]));
    spelling.remove_prefix(n);
  }
  return bytes;
}

}  // namespace nxs::text
