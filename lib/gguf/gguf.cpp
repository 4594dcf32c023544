// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "gguf/gguf.h"

#include <cinttypes>
#include <cstring>
#include <utility>

#include "base/status.h"
#include "gguf/metadata.h"
#include "gguf/reader.h"
#include "gguf/tensor_table.h"

namespace nxs::gguf {

namespace {

constexpr uint64_t kDefaultAlignment = 32;
constexpr uint64_t kMostAlignment = uint64_t{1} << 20;

[[noreturn]] void wrong_type(const std::string& key, const Value& value, const char* wanted) {
  fail(Status::kFormat, "key '%s': %s is expected, its value type is %" PRIu32, printable(key).c_str(), wanted,
       static_cast<uint32_t>(value.type));
}

[[noreturn]] void missing(const std::string& key) {
  fail(Status::kFormat, "key '%s' is missing", printable(key).c_str());
}

uint64_t alignment_of(const File& file) {
  const std::string key = "general.alignment";
  const Value* value = file.find(key);
  if (value == nullptr) return kDefaultAlignment;
  if (value->type != Type::kU32) wrong_type(key, *value, "a uint32");
  const uint64_t alignment = std::get<uint64_t>(value->data);
  if (!std::has_single_bit(alignment) || alignment < 8 || alignment > kMostAlignment) {
    fail(Status::kFormat, "key 'general.alignment': %" PRIu64 " is no power of two from 8 to %" PRIu64, alignment,
         kMostAlignment);
  }
  return alignment;
}

template <typename T>
void widen(std::vector<int64_t>& out, const Array& array, const std::string& key) {
  for (size_t i = 0; i < static_cast<size_t>(array.size); ++i) {
    T v;
    std::memcpy(&v, array.bytes.data() + i * sizeof v, sizeof v);
    if (!std::in_range<int64_t>(v))
      fail(Status::kFormat, "key '%s': element %zu is too large", printable(key).c_str(), i);
    out.push_back(static_cast<int64_t>(v));
  }
}

}  // namespace

uint64_t TensorInfo::rows() const {
  uint64_t n = 1;
  for (size_t i = 1; i < shape.size(); ++i) n *= shape[i];
  return n;
}

File File::parse(const Source& source) {
  File file;
  Reader in(source);
  const Header header = read_header(in);
  file.values_ = read_values(in, header.n_values);
  if (const uint64_t parts = file.uint("split.count").value_or(1); parts > 1) {
    fail(Status::kUnsupported, "key 'split.count': one part of a model in %" PRIu64 " files", parts);
  }
  const uint64_t alignment = alignment_of(file);
  file.tensors_ = read_tensor_table(in, header.n_tensors);
  place_tensors(file.tensors_, in.position(), alignment, source.size());
  for (size_t i = 0; i < file.tensors_.size(); ++i) file.tensor_index_.emplace(file.tensors_[i].name, i);
  return file;
}

const TensorInfo* File::find_tensor(std::string_view name) const {
  const auto it = tensor_index_.find(std::string(name));
  return it == tensor_index_.end() ? nullptr : &tensors_[it->second];
}

const Value* File::find(const std::string& key) const {
  const auto it = values_.find(key);
  return it == values_.end() ? nullptr : &it->second;
}

std::optional<uint64_t> File::uint(const std::string& key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* v = std::get_if<uint64_t>(&value->data); v != nullptr && value->type != Type::kBool) return *v;
  const auto* v = std::get_if<int64_t>(&value->data);
  if (v == nullptr) wrong_type(key, *value, "an integer");
  if (*v < 0) fail(Status::kFormat, "key '%s': %" PRId64 " is negative", printable(key).c_str(), *v);
  return static_cast<uint64_t>(*v);
}

uint64_t File::required_uint(const std::string& key) const {
  const std::optional<uint64_t> value = uint(key);
  if (!value) missing(key);
  return *value;
}

std::optional<double> File::real(const std::string& key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* v = std::get_if<double>(&value->data)) return *v;
  wrong_type(key, *value, "a float");
}

std::optional<bool> File::boolean(const std::string& key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->type != Type::kBool) wrong_type(key, *value, "a bool");
  return std::get<uint64_t>(value->data) != 0;
}

const std::string* File::string(const std::string& key) const {
  const Value* value = find(key);
  if (value == nullptr) return nullptr;
  if (value->type != Type::kString) wrong_type(key, *value, "a string");
  return &std::get<std::string>(value->data);
}

const std::string& File::required_string(const std::string& key) const {
  const std::string* value = string(key);
  if (value == nullptr) missing(key);
  return *value;
}

const StringTable& File::required_strings(const std::string& key) const {
  const Value* value = find(key);
  if (value == nullptr) missing(key);
  const Array* array = std::get_if<Array>(&value->data);
  if (array == nullptr || array->type != Type::kString) wrong_type(key, *value, "an array of strings");
  return array->strings;
}

std::optional<std::vector<int64_t>> File::integers(const std::string& key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  const Array* array = std::get_if<Array>(&value->data);
  if (array == nullptr) wrong_type(key, *value, "an array of integers");
  std::vector<int64_t> out;
  switch (array->type) {
    case Type::kU8:
      widen<uint8_t>(out, *array, key);
      break;
    case Type::kI8:
      widen<int8_t>(out, *array, key);
      break;
    case Type::kU16:
      widen<uint16_t>(out, *array, key);
      break;
    case Type::kI16:
      widen<int16_t>(out, *array, key);
      break;
    case Type::kU32:
      widen<uint32_t>(out, *array, key);
      break;
    case Type::kI32:
      widen<int32_t>(out, *array, key);
      break;
    case Type::kU64:
      widen<uint64_t>(out, *array, key);
      break;
    case Type::kI64:
      widen<int64_t>(out, *array, key);
      break;
    default:
      fail(Status::kFormat, "key '%s': an array of integers is expected, its elements have type %" PRIu32,
           printable(key).c_str(), static_cast<uint32_t>(array->type));
  }
  return out;
}

}  // namespace nxs::gguf
