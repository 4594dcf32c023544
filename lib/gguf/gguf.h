// SPDX-License-Identifier: Apache-2.0 OR MIT
// The GGUF file format (v2, v3, little-endian): metadata and where the tensors lie. Nothing is believed before it is
// checked against the file's size, and nothing is allocated on the file's word alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/source.h"
#include "base/string_table.h"
#include "tensor/dtype.h"

namespace nxs::gguf {

/// Value types of the format, by their numbers.
enum class Type : uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kString, kArray, kU64, kI64, kF64 };

/// An array of one scalar type or of strings. Scalars keep their file bytes.
struct Array {
  Type type{};
  uint64_t size = 0;
  std::vector<uint8_t> bytes;  ///< scalars: size * width, little-endian
  StringTable strings;         ///< kString only
};

/// Scalars are widened: unsigned and bool to uint64_t, signed to int64_t, floats to double.
struct Value {
  Type type{};
  std::variant<uint64_t, int64_t, double, std::string, Array> data;
};

struct TensorInfo {
  std::string name;
  tensor::DType type{};
  std::vector<uint64_t> shape;  ///< GGUF order: shape[0] is the row length
  uint64_t offset = 0;          ///< in the file, absolute
  uint64_t bytes = 0;
  uint64_t rows() const;  ///< product of shape[1..]
};

/// A checked header. Errors are Status::kFormat with key or tensor and offset, kUnsupported for what this version
/// lacks, kIo.
class File {
 public:
  static File parse(const Source& source);

  const std::unordered_map<std::string, Value>& values() const { return values_; }
  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  const TensorInfo* find_tensor(std::string_view name) const;  ///< NULL when there is none
  const Value* find(const std::string& key) const;

  // Typed access. Every form throws Status::kFormat naming the key when it has another type, the `required` ones also
  // when it is missing.
  uint64_t required_uint(const std::string& key) const;  ///< any integer type with a non-negative value
  std::optional<uint64_t> uint(const std::string& key) const;
  std::optional<double> real(const std::string& key) const;
  std::optional<bool> boolean(const std::string& key) const;
  const std::string* string(const std::string& key) const;
  const std::string& required_string(const std::string& key) const;
  const StringTable& required_strings(const std::string& key) const;
  /// An integer array (any width), widened; empty optional when missing.
  std::optional<std::vector<int64_t>> integers(const std::string& key) const;

 private:
  std::unordered_map<std::string, Value> values_;
  std::vector<TensorInfo> tensors_;
  std::unordered_map<std::string, size_t> tensor_index_;
};

}  // namespace nxs::gguf
