// SPDX-License-Identifier: Apache-2.0 OR MIT
// A small valid file that the tests of the parser spoil, and the call that parses bytes.
#pragma once

#include <vector>

#include "gguf/gguf.h"
#include "support/error_of.h"
#include "support/raw_gguf.h"

namespace nxs::test {

inline gguf::File parse(const std::vector<uint8_t>& bytes) {
  // A copy of exactly this size, so that a sanitizer sees each byte read past the end.
  const std::vector<uint8_t> exact(bytes.begin(), bytes.end());
  return gguf::File::parse(*borrow_memory(exact.data(), exact.size()));
}

inline Thrown parse_error(const std::vector<uint8_t>& bytes) {
  return error_of([&] { parse(bytes); });
}
inline Thrown parse_error(const RawGguf& raw) {
  return parse_error(raw.bytes());
}

/// Three keys and two F32 tensors of 8 and 16 elements.
inline RawGguf small_file() {
  RawGguf raw;
  raw.set_text("general.name", "small");
  raw.set_u32("some.count", 7);
  raw.set_texts("some.words", {"one", "", "three"});
  raw.tensors.push_back({"a", {8}, 0, std::vector<uint8_t>(32, 1), {}, {}});
  raw.tensors.push_back({"b", {4, 4}, 0, std::vector<uint8_t>(64, 2), {}, {}});
  return raw;
}

/// Little-endian bytes of the integers.
template <typename... T>
std::vector<uint8_t> bytes_of(T... values) {
  std::vector<uint8_t> out;
  put(out, values...);
  return out;
}

}  // namespace nxs::test
