// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "selftest/gguf_writer.h"

#include <bit>

#include "gguf/gguf.h"

namespace nxs::selftest {

namespace {

constexpr size_t kAlignment = 32;
constexpr uint32_t kVersion = 3;

uint32_t number_of(gguf::Type type) {
  return static_cast<uint32_t>(type);
}

/// Little-endian on any machine.
template <typename T>
void put(std::vector<uint8_t>& out, T value) {
  for (size_t i = 0; i < sizeof value; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

void put_text(std::vector<uint8_t>& out, std::string_view text) {
  put(out, uint64_t{text.size()});
  out.insert(out.end(), text.begin(), text.end());
}

void pad(std::vector<uint8_t>& out) {
  while (out.size() % kAlignment != 0) out.push_back(0);
}

}  // namespace

void GgufWriter::key(std::string_view name, uint32_t type) {
  put_text(values_, name);
  put(values_, type);
  ++n_values_;
}

void GgufWriter::u32(std::string_view name, uint32_t value) {
  key(name, number_of(gguf::Type::kU32));
  put(values_, value);
}

void GgufWriter::f32(std::string_view name, float value) {
  key(name, number_of(gguf::Type::kF32));
  put(values_, std::bit_cast<uint32_t>(value));
}

void GgufWriter::boolean(std::string_view name, bool value) {
  key(name, number_of(gguf::Type::kBool));
  values_.push_back(value ? 1 : 0);
}

void GgufWriter::text(std::string_view name, std::string_view value) {
  key(name, number_of(gguf::Type::kString));
  put_text(values_, value);
}

void GgufWriter::texts(std::string_view name, const std::vector<std::string>& values) {
  key(name, number_of(gguf::Type::kArray));
  put(values_, number_of(gguf::Type::kString));
  put(values_, uint64_t{values.size()});
  for (const std::string& value : values) put_text(values_, value);
}

void GgufWriter::i32s(std::string_view name, const std::vector<int32_t>& values) {
  key(name, number_of(gguf::Type::kArray));
  put(values_, number_of(gguf::Type::kI32));
  put(values_, uint64_t{values.size()});
  for (const int32_t value : values) put(values_, static_cast<uint32_t>(value));
}

void GgufWriter::tensor(std::string_view name, tensor::DType type, const std::vector<uint64_t>& shape,
                        const std::vector<uint8_t>& data) {
  put_text(table_, name);
  put(table_, static_cast<uint32_t>(shape.size()));
  for (const uint64_t dim : shape) put(table_, dim);
  put(table_, tensor::info(type).ggml_type);
  put(table_, uint64_t{data_.size()});
  data_.insert(data_.end(), data.begin(), data.end());
  pad(data_);
  ++n_tensors_;
}

std::vector<uint8_t> GgufWriter::finish() const {
  std::vector<uint8_t> out = {'G', 'G', 'U', 'F'};
  put(out, kVersion);
  put(out, n_tensors_);
  put(out, n_values_);
  out.insert(out.end(), values_.begin(), values_.end());
  out.insert(out.end(), table_.begin(), table_.end());
  pad(out);
  out.insert(out.end(), data_.begin(), data_.end());
  return out;
}

}  // namespace nxs::selftest
