// SPDX-License-Identifier: Apache-2.0 OR MIT
// A GGUF file taken apart into raw pieces, so that a test can spoil any of them and put the file together again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nxs::test {

/// Appends the little-endian bytes of each integer.
template <typename... T>
void put(std::vector<uint8_t>& out, T... values) {
  const auto one = [&out](auto v) {
    for (size_t i = 0; i < sizeof v; ++i) out.push_back(static_cast<uint8_t>(v >> (8 * i)));
  };
  (one(values), ...);
}
void put_text(std::vector<uint8_t>& out, std::string_view text);

struct RawValue {
  std::string key;
  uint32_t type = 0;                   ///< gguf::Type, or any other number
  std::vector<uint8_t> bytes;          ///< what stands behind the type
  std::optional<uint64_t> key_length;  ///< instead of the true one
};

struct RawTensor {
  std::string name;
  std::vector<uint64_t> shape;
  uint32_t type = 0;
  std::vector<uint8_t> data;
  // Instead of the true ones:
  std::optional<uint32_t> n_dims;
  std::optional<uint64_t> offset;
};

struct RawGguf {
  uint32_t version = 3;
  std::vector<RawValue> values;
  std::vector<RawTensor> tensors;
  std::optional<uint64_t> n_values, n_tensors;  ///< instead of the true ones
  uint64_t alignment = 32;                      ///< where the tensors really lie

  /// Takes a well-formed file apart (u32 to f32, bool, strings and arrays of i32 or strings are all it knows).
  static RawGguf of(std::span<const uint8_t> file);
  std::vector<uint8_t> bytes() const;

  // Each replaces the value of the key or adds it.
  void set(std::string_view key, uint32_t type, std::vector<uint8_t> value_bytes);
  void set_u32(std::string_view key, uint32_t value);
  void set_f32(std::string_view key, float value);
  void set_text(std::string_view key, std::string_view value);
  void set_texts(std::string_view key, const std::vector<std::string>& values);
  void erase(std::string_view key);  ///< fails the test when it is not there
  RawTensor& tensor(std::string_view name);
  void erase_tensor(std::string_view name);
};

}  // namespace nxs::test
