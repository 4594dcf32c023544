// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <doctest/doctest.h>

#include <bit>

#include "small_file.h"

namespace nxs::test {

namespace {

using gguf::Type;

void expect(const RawGguf& raw, Status status, std::string_view name, std::string_view words) {
  const Thrown thrown = parse_error(raw);
  CAPTURE(thrown.message);
  CHECK(thrown.status == status);
  CHECK(thrown.names(name));
  CHECK(thrown.names(words));
}

RawGguf with(std::string_view key, uint32_t type, std::vector<uint8_t> value) {
  RawGguf raw = small_file();
  raw.set(key, type, std::move(value));
  return raw;
}

}  // namespace

TEST_CASE("gguf/metadata: every scalar type is widened") {
  RawGguf raw;
  raw.set("u8", 0, bytes_of(uint8_t{255}));
  raw.set("i8", 1, bytes_of(uint8_t{255}));
  raw.set("u16", 2, bytes_of(uint16_t{65535}));
  raw.set("i16", 3, bytes_of(uint16_t{65535}));
  raw.set("u32", 4, bytes_of(UINT32_MAX));
  raw.set("i32", 5, bytes_of(UINT32_MAX));
  raw.set("f32", 6, bytes_of(std::bit_cast<uint32_t>(1.5f)));
  raw.set("bool", 7, bytes_of(uint8_t{1}));
  raw.set("u64", 10, bytes_of(UINT64_MAX));
  raw.set("i64", 11, bytes_of(UINT64_MAX));
  raw.set("f64", 12, bytes_of(std::bit_cast<uint64_t>(-0.25)));
  const gguf::File file = parse(raw.bytes());
  CHECK(file.required_uint("u8") == 255);
  CHECK(file.required_uint("u16") == 65535);
  CHECK(file.required_uint("u32") == UINT32_MAX);
  CHECK(file.required_uint("u64") == UINT64_MAX);
  for (const char* key : {"i8", "i16", "i32", "i64"}) {
    CHECK(std::get<int64_t>(file.find(key)->data) == -1);
    const Thrown thrown = error_of([&] { file.uint(key); });
    CHECK(thrown.status == Status::kFormat);
    CHECK(thrown.names("negative"));
  }
  CHECK(*file.real("f32") == 1.5);
  CHECK(*file.real("f64") == -0.25);
  CHECK(*file.boolean("bool"));
}

TEST_CASE("gguf/metadata: integer arrays of any width are widened") {
  RawGguf raw;
  const uint64_t n = 2;
  raw.set("u8", 9, bytes_of(uint32_t{0}, n, uint8_t{1}, uint8_t{255}));
  raw.set("i8", 9, bytes_of(uint32_t{1}, n, uint8_t{1}, uint8_t{255}));
  raw.set("u16", 9, bytes_of(uint32_t{2}, n, uint16_t{1}, uint16_t{65535}));
  raw.set("i16", 9, bytes_of(uint32_t{3}, n, uint16_t{1}, uint16_t{65535}));
  raw.set("u32", 9, bytes_of(uint32_t{4}, n, uint32_t{1}, UINT32_MAX));
  raw.set("i32", 9, bytes_of(uint32_t{5}, n, uint32_t{1}, UINT32_MAX));
  raw.set("i64", 9, bytes_of(uint32_t{11}, n, uint64_t{1}, UINT64_MAX));
  raw.set("u64", 9, bytes_of(uint32_t{10}, n, uint64_t{1}, UINT64_MAX));
  const gguf::File file = parse(raw.bytes());
  CHECK(*file.integers("u8") == std::vector<int64_t>{1, 255});
  CHECK(*file.integers("u16") == std::vector<int64_t>{1, 65535});
  CHECK(*file.integers("u32") == std::vector<int64_t>{1, UINT32_MAX});
  for (const char* key : {"i8", "i16", "i32", "i64"}) CHECK(*file.integers(key) == std::vector<int64_t>{1, -1});
  CHECK(error_of([&] { file.integers("u64"); }).names("'u64'"));
  CHECK_FALSE(file.integers("absent").has_value());
}

TEST_CASE("gguf/metadata: lengths beyond the file are refused") {
  RawGguf raw = small_file();
  raw.values[0].key_length = UINT64_MAX;
  expect(raw, Status::kFormat, "key 1 of 3", "byte 24");
  expect(with("long", 8, bytes_of(UINT64_MAX)), Status::kFormat, "key 'long'", "18446744073709551615 bytes");
  expect(with("long", 8, bytes_of(uint64_t{1} << 30)), Status::kFormat, "key 'long'", "1073741824 bytes");
  for (const uint32_t type : {0u, 4u, 8u, 10u, 12u}) {
    expect(with("many", 9, bytes_of(type, uint64_t{1} << 61)), Status::kFormat, "key 'many'", "2305843009213693952");
    expect(with("many", 9, bytes_of(type, UINT64_MAX)), Status::kFormat, "key 'many'", "byte");
  }
  // A string within an array of strings.
  expect(with("words", 9, bytes_of(uint32_t{8}, uint64_t{1}, uint64_t{1} << 40)), Status::kFormat, "key 'words'",
         "byte");
}

TEST_CASE("gguf/metadata: keys are there once and not empty") {
  RawGguf raw = small_file();
  raw.values[1].key.clear();
  expect(raw, Status::kFormat, "key 2", "empty");
  raw = small_file();
  raw.values[1].key = raw.values[0].key;
  expect(raw, Status::kFormat, "key 'general.name'", "twice");
  raw = small_file();
  raw.values[1].key = std::string(65536, 'k');
  expect(raw, Status::kFormat, "key 2", "65535");
}

TEST_CASE("gguf/metadata: unknown types are named") {
  expect(with("odd", 13, bytes_of(uint64_t{0})), Status::kFormat, "key 'odd'", "value type 13");
  expect(with("odd", UINT32_MAX, bytes_of(uint64_t{0})), Status::kFormat, "key 'odd'", "value type 4294967295");
  expect(with("odd", 9, bytes_of(uint32_t{13}, uint64_t{0})), Status::kFormat, "key 'odd'", "element type 13");
  expect(with("odd", 7, bytes_of(uint8_t{2})), Status::kFormat, "key 'odd'", "bool is 2");
  expect(with("odd", 9, bytes_of(uint32_t{7}, uint64_t{2}, uint8_t{0}, uint8_t{9})), Status::kFormat, "key 'odd'",
         "bool is 9");
}

TEST_CASE("gguf/metadata: arrays of arrays are refused at any depth without recursion") {
  std::vector<uint8_t> nested;
  for (int depth = 0; depth < 100000; ++depth) put(nested, uint32_t{9}, uint64_t{1});
  expect(with("deep", 9, std::move(nested)), Status::kUnsupported, "key 'deep'", "array of arrays");
}

TEST_CASE("gguf/metadata: the alignment is a u32, a power of two and bounded") {
  for (const uint32_t alignment : {0u, 1u, 4u, 13u, 24u, 1u << 30, UINT32_MAX}) {
    RawGguf raw = small_file();
    raw.set_u32("general.alignment", alignment);
    expect(raw, Status::kFormat, "general.alignment", std::to_string(alignment));
  }
  expect(with("general.alignment", 5, bytes_of(uint32_t{32})), Status::kFormat, "general.alignment", "uint32");
  expect(with("general.alignment", 10, bytes_of(uint64_t{32})), Status::kFormat, "general.alignment", "uint32");
  for (const uint32_t alignment : {8u, 64u, 4096u}) {
    RawGguf raw = small_file();
    raw.set_u32("general.alignment", alignment);
    raw.alignment = alignment;
    const gguf::File file = parse(raw.bytes());
    for (const gguf::TensorInfo& tensor : file.tensors()) CHECK(tensor.offset % alignment == 0);
  }
}

TEST_CASE("gguf/metadata: a part of a split model is refused") {
  expect(with("split.count", 2, bytes_of(uint16_t{2})), Status::kUnsupported, "split.count", "2 files");
  CHECK(parse_error(with("split.count", 2, bytes_of(uint16_t{1}))).status == Status::kOk);
}

TEST_CASE("gguf/metadata: messages show odd bytes of a key as numbers") {
  expect(with(std::string_view("a\x01\0\xff", 4), 99, {}), Status::kFormat, "key 'a\\x01\\x00\\xff'", "value type 99");
}

}  // namespace nxs::test
