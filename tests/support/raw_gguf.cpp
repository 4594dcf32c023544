// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "support/raw_gguf.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "gguf/gguf.h"
#include "gguf/metadata.h"

namespace nxs::test {

namespace {

using gguf::Type;

/// Unchecked: the file is one of ours.
class Cursor {
 public:
  explicit Cursor(std::span<const uint8_t> file) : file_(file) {}

  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, file_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  std::string text() {
    const auto length = static_cast<size_t>(number<uint64_t>());
    std::string out(reinterpret_cast<const char*>(file_.data()) + at_, length);
    at_ += length;
    return out;
  }

  std::vector<uint8_t> value(Type type) {
    const size_t start = at_;
    if (type == Type::kString) {
      text();
    } else if (type == Type::kArray) {
      const auto element = static_cast<Type>(number<uint32_t>());
      for (auto n = number<uint64_t>(); n > 0; --n) value(element);
    } else {
      at_ += gguf::scalar_bytes(type);
    }
    return {file_.begin() + static_cast<ptrdiff_t>(start), file_.begin() + static_cast<ptrdiff_t>(at_)};
  }

 private:
  std::span<const uint8_t> file_;
  size_t at_ = 0;
};

void pad(std::vector<uint8_t>& out, uint64_t alignment) {
  while (out.size() % alignment != 0) out.push_back(0);
}

}  // namespace

void put_text(std::vector<uint8_t>& out, std::string_view text) {
  put(out, uint64_t{text.size()});
  out.insert(out.end(), text.begin(), text.end());
}

RawGguf RawGguf::of(std::span<const uint8_t> file) {
  RawGguf raw;
  Cursor in(file);
  in.number<uint32_t>();
  raw.version = in.number<uint32_t>();
  const auto n_tensors = in.number<uint64_t>();
  for (auto n = in.number<uint64_t>(); n > 0; --n) {
    RawValue value;
    value.key = in.text();
    value.type = in.number<uint32_t>();
    value.bytes = in.value(static_cast<Type>(value.type));
    raw.values.push_back(std::move(value));
  }
  // The data comes from the checked header, which also gives sizes.
  const auto source = borrow_memory(file.data(), file.size());
  const gguf::File parsed = gguf::File::parse(*source);
  for (const gguf::TensorInfo& info : parsed.tensors()) {
    const auto data = file.subspan(static_cast<size_t>(info.offset), static_cast<size_t>(info.bytes));
    raw.tensors.push_back(
        {info.name, info.shape, tensor::info(info.type).ggml_type, {data.begin(), data.end()}, {}, {}});
  }
  if (raw.tensors.size() != n_tensors) throw std::logic_error("RawGguf::of: not a file of ours");
  return raw;
}

std::vector<uint8_t> RawGguf::bytes() const {
  std::vector<uint8_t> out = {'G', 'G', 'U', 'F'};
  std::vector<uint8_t> data;
  put(out, version, n_tensors.value_or(tensors.size()), n_values.value_or(values.size()));
  for (const RawValue& value : values) {
    put(out, value.key_length.value_or(value.key.size()));
    out.insert(out.end(), value.key.begin(), value.key.end());
    put(out, value.type);
    out.insert(out.end(), value.bytes.begin(), value.bytes.end());
  }
  for (const RawTensor& t : tensors) {
    put_text(out, t.name);
    put(out, t.n_dims.value_or(static_cast<uint32_t>(t.shape.size())));
    for (const uint64_t dim : t.shape) put(out, dim);
    put(out, t.type, t.offset.value_or(data.size()));
    data.insert(data.end(), t.data.begin(), t.data.end());
    pad(data, alignment);
  }
  pad(out, alignment);
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

void RawGguf::set(std::string_view key, uint32_t type, std::vector<uint8_t> value_bytes) {
  const auto it = std::find_if(values.begin(), values.end(), [&](const RawValue& v) { return v.key == key; });
  RawValue& value = it != values.end() ? *it : values.emplace_back();
  value.key = key;
  value.type = type;
  value.bytes = std::move(value_bytes);
}

void RawGguf::set_u32(std::string_view key, uint32_t value) {
  std::vector<uint8_t> bytes;
  put(bytes, value);
  set(key, static_cast<uint32_t>(Type::kU32), std::move(bytes));
}

void RawGguf::set_f32(std::string_view key, float value) {
  std::vector<uint8_t> bytes;
  put(bytes, std::bit_cast<uint32_t>(value));
  set(key, static_cast<uint32_t>(Type::kF32), std::move(bytes));
}

void RawGguf::set_text(std::string_view key, std::string_view value) {
  std::vector<uint8_t> bytes;
  put_text(bytes, value);
  set(key, static_cast<uint32_t>(Type::kString), std::move(bytes));
}

void RawGguf::set_texts(std::string_view key, const std::vector<std::string>& texts) {
  std::vector<uint8_t> bytes;
  put(bytes, static_cast<uint32_t>(Type::kString), uint64_t{texts.size()});
  for (const std::string& text : texts) put_text(bytes, text);
  set(key, static_cast<uint32_t>(Type::kArray), std::move(bytes));
}

void RawGguf::erase(std::string_view key) {
  if (std::erase_if(values, [&](const RawValue& v) { return v.key == key; }) != 1)
    throw std::logic_error("RawGguf: no such key");
}

RawTensor& RawGguf::tensor(std::string_view name) {
  const auto it = std::find_if(tensors.begin(), tensors.end(), [&](const RawTensor& t) { return t.name == name; });
  if (it == tensors.end()) throw std::logic_error("RawGguf: no such tensor");
  return *it;
}

void RawGguf::erase_tensor(std::string_view name) {
  if (std::erase_if(tensors, [&](const RawTensor& t) { return t.name == name; }) != 1) {
    throw std::logic_error("RawGguf: no such tensor");
  }
}

}  // namespace nxs::test
