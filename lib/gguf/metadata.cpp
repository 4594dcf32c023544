// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "gguf/metadata.h"

#include <algorithm>
#include <cinttypes>
#include <utility>

#include "base/status.h"

namespace nxs::gguf {

namespace {

constexpr uint64_t kLongestKey = 65535;  // the format's own limit
constexpr uint64_t kLeastValueBytes = 8 + 1 + 4 + 1;
constexpr uint64_t kLeastTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;

[[noreturn]] void bad_version(uint32_t version) {
  const uint32_t swapped = __builtin_bswap32(version);
  if (swapped >= 1 && swapped <= 3) {
    fail(Status::kUnsupported, "GGUF version at byte 4 is byte-swapped: a big-endian file of version %" PRIu32,
         swapped);
  }
  const Status status = version == 0 ? Status::kFormat : Status::kUnsupported;
  fail(status, "GGUF version %" PRIu32 " at byte 4: only 2 and 3 are known", version);
}

void check_bools(const uint8_t* bytes, size_t n, const std::string& where) {
  const uint8_t* bad = std::find_if(bytes, bytes + n, [](uint8_t b) { return b > 1; });
  if (bad == bytes + n) return;
  fail(Status::kFormat, "%s: a bool is %u, neither 0 nor 1", where.c_str(), unsigned{*bad});
}

Array read_array(Reader& in, const std::string& where) {
  const uint64_t start = in.position();
  Array array;
  array.type = static_cast<Type>(in.number<uint32_t>(where));
  array.size = in.number<uint64_t>(where);
  if (array.type == Type::kArray) {
    fail(Status::kUnsupported, "%s: an array of arrays at byte %" PRIu64, where.c_str(), start);
  }
  if (array.type == Type::kString) {
    in.expect(array.size, sizeof(uint64_t), where, "strings");
    for (uint64_t i = 0; i < array.size; ++i) array.strings.push_back(in.string(where, UINT64_MAX));
    return array;
  }
  const uint32_t width = scalar_bytes(array.type);
  if (width == 0) {
    fail(Status::kFormat, "%s: unknown array element type %" PRIu32 " at byte %" PRIu64, where.c_str(),
         static_cast<uint32_t>(array.type), start);
  }
  in.expect(array.size, width, where, "array elements");
  in.append(array.bytes, array.size * width, where);
  if (array.type == Type::kBool) check_bools(array.bytes.data(), array.bytes.size(), where);
  return array;
}

Value read_value(Reader& in, const std::string& where) {
  Value value;
  value.type = static_cast<Type>(in.number<uint32_t>(where));
  const auto put_unsigned = [&](uint64_t v) { value.data = v; };
  const auto put_signed = [&](int64_t v) { value.data = v; };
  switch (value.type) {
    case Type::kU8:
      put_unsigned(in.number<uint8_t>(where));
      break;
    case Type::kI8:
      put_signed(in.number<int8_t>(where));
      break;
    case Type::kU16:
      put_unsigned(in.number<uint16_t>(where));
      break;
    case Type::kI16:
      put_signed(in.number<int16_t>(where));
      break;
    case Type::kU32:
      put_unsigned(in.number<uint32_t>(where));
      break;
    case Type::kI32:
      put_signed(in.number<int32_t>(where));
      break;
    case Type::kU64:
      put_unsigned(in.number<uint64_t>(where));
      break;
    case Type::kI64:
      put_signed(in.number<int64_t>(where));
      break;
    case Type::kF32:
      value.data = double{in.number<float>(where)};
      break;
    case Type::kF64:
      value.data = in.number<double>(where);
      break;
    case Type::kString:
      value.data = in.string(where, UINT64_MAX);
      break;
    case Type::kArray:
      value.data = read_array(in, where);
      break;
    case Type::kBool: {
      const auto byte = in.number<uint8_t>(where);
      check_bools(&byte, 1, where);
      put_unsigned(byte);
      break;
    }
    default:
      fail(Status::kFormat, "%s: unknown value type %" PRIu32 " at byte %" PRIu64, where.c_str(),
           static_cast<uint32_t>(value.type), in.position() - sizeof(uint32_t));
  }
  return value;
}

}  // namespace

Header read_header(Reader& in) {
  constexpr char kMagic[4] = {'G', 'G', 'U', 'F'};
  char magic[4];
  in.bytes(magic, sizeof magic, "GGUF header");
  if (!std::equal(magic, magic + 4, kMagic)) {
    fail(Status::kFormat, "not a GGUF file: it starts with '%s'", printable({magic, sizeof magic}).c_str());
  }
  Header header{};
  header.version = in.number<uint32_t>("GGUF header");
  if (header.version != 2 && header.version != 3) bad_version(header.version);
  header.n_tensors = in.number<uint64_t>("GGUF header");
  header.n_values = in.number<uint64_t>("GGUF header");
  in.expect(header.n_values, kLeastValueBytes, "GGUF header", "key-value pairs");
  in.expect(header.n_tensors, kLeastTensorBytes, "GGUF header", "tensors");
  return header;
}

uint32_t scalar_bytes(Type type) {
  switch (type) {
    case Type::kU8:
    case Type::kI8:
    case Type::kBool:
      return 1;
    case Type::kU16:
    case Type::kI16:
      return 2;
    case Type::kU32:
    case Type::kI32:
    case Type::kF32:
      return 4;
    case Type::kU64:
    case Type::kI64:
    case Type::kF64:
      return 8;
    default:
      return 0;
  }
}

std::unordered_map<std::string, Value> read_values(Reader& in, uint64_t n) {
  std::unordered_map<std::string, Value> values;
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t start = in.position();
    std::string key = in.string("key " + std::to_string(i + 1) + " of " + std::to_string(n), kLongestKey);
    if (key.empty()) fail(Status::kFormat, "key %" PRIu64 " at byte %" PRIu64 " is empty", i + 1, start);
    const std::string where = "key '" + printable(key) + "'";
    if (values.contains(key)) fail(Status::kFormat, "%s at byte %" PRIu64 " stands twice", where.c_str(), start);
    values.emplace(std::move(key), read_value(in, where));
  }
  return values;
}

}  // namespace nxs::gguf
