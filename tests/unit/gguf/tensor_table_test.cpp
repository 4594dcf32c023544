// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <doctest/doctest.h>

#include "small_file.h"

namespace nxs::test {

namespace {

/// The small file with its second tensor spoilt: the error names it.
template <typename F>
void expect(Status status, std::string_view words, F&& spoil) {
  RawGguf raw = small_file();
  spoil(raw.tensors[1]);
  const Thrown thrown = parse_error(raw);
  CAPTURE(words);
  CAPTURE(thrown.message);
  CHECK(thrown.status == status);
  CHECK(thrown.names("'b'"));
  CHECK(thrown.names(words));
}

void expect_shape(std::vector<uint64_t> shape, uint32_t type = 0) {
  expect(Status::kFormat, "byte", [&](RawTensor& t) {
    t.shape = std::move(shape);
    t.type = type;
  });
}

}  // namespace

TEST_CASE("gguf/tensor_table: offsets become absolute, sizes come from shape and type") {
  const gguf::File file = parse(small_file().bytes());
  const gguf::TensorInfo* b = file.find_tensor("b");
  REQUIRE(b != nullptr);
  CHECK(b->bytes == 64);
  CHECK(b->rows() == 4);
  CHECK(b->offset == file.find_tensor("a")->offset + 32);
  CHECK(b->offset + b->bytes == small_file().bytes().size());
  CHECK(file.find_tensor("c") == nullptr);
}

TEST_CASE("gguf/tensor_table: the number of dimensions is 1 to 4") {
  for (const uint32_t n : {0u, 5u, UINT32_MAX}) {
    expect(Status::kFormat, std::to_string(n) + " dimensions", [&](RawTensor& t) { t.n_dims = n; });
  }
}

TEST_CASE("gguf/tensor_table: dimensions that no tensor has") {
  expect_shape({0});
  expect_shape({4, 0});
  expect_shape({UINT64_MAX});
  expect_shape({4, UINT64_MAX});
  expect_shape({uint64_t{1} << 22, (uint64_t{1} << 42) + 1});           // the product wraps
  expect_shape({4, (uint64_t{1} << 30) - 1, (uint64_t{1} << 30) + 1});  // the padded size wraps to 0
  expect_shape({uint64_t{1} << 32, uint64_t{1} << 32, uint64_t{1} << 32, uint64_t{1} << 32});
  expect_shape({(uint64_t{1} << 62) - 32}, 8);
  expect_shape({uint64_t{1} << 61});  // times four wraps
}

TEST_CASE("gguf/tensor_table: rows are whole blocks") {
  for (const uint32_t type : {2u, 3u, 6u, 7u, 8u, 12u, 13u, 14u}) {
    expect(Status::kFormat, "multiple", [&](RawTensor& t) {
      t.shape = {33, 2};
      t.type = type;
    });
  }
}

TEST_CASE("gguf/tensor_table: types that are not supported are named") {
  expect(Status::kUnsupported, "Q2_K", [](RawTensor& t) { t.type = 10; });
  expect(Status::kUnsupported, "I32", [](RawTensor& t) { t.type = 26; });
  expect(Status::kFormat, "type 4 ", [](RawTensor& t) { t.type = 4; });
  expect(Status::kFormat, "type 4294967295", [](RawTensor& t) { t.type = UINT32_MAX; });
}

TEST_CASE("gguf/tensor_table: offsets are aligned, inside and apart") {
  expect(Status::kFormat, "alignment", [](RawTensor& t) { t.offset = UINT64_MAX; });
  expect(Status::kFormat, "alignment", [](RawTensor& t) { t.offset = 33; });
  expect(Status::kFormat, "end after", [](RawTensor& t) { t.offset = UINT64_MAX - 31; });
  expect(Status::kFormat, "end after", [](RawTensor& t) { t.offset = 64; });
  expect(Status::kFormat, "overlaps tensor 'a'", [](RawTensor& t) { t.offset = 0; });
}

TEST_CASE("gguf/tensor_table: two tensors whose sizes add up to nothing") {
  RawGguf raw;
  const uint64_t elements = ((uint64_t{1} << 63) - 64) / 4;
  raw.tensors.push_back({"a", {elements}, 0, {}, {}, 0});
  raw.tensors.push_back({"b", {elements}, 0, {}, {}, (uint64_t{1} << 63) - 64});
  const Thrown thrown = parse_error(raw);
  CHECK(thrown.status == Status::kFormat);
  CHECK(thrown.names("'a'"));
}

TEST_CASE("gguf/tensor_table: names are there once, short and not empty") {
  RawGguf raw = small_file();
  raw.tensors[1].name = raw.tensors[0].name;
  CHECK(parse_error(raw).names("tensor 'a'"));
  CHECK(parse_error(raw).names("twice"));
  raw.tensors[1].name.clear();
  CHECK(parse_error(raw).names("tensor 2"));
  raw.tensors[1].name = std::string(65, 'n');
  CHECK(parse_error(raw).names("tensor 2 of 2"));
  raw.tensors[1].name = std::string(64, 'n');
  CHECK(parse_error(raw).status == Status::kOk);
}

TEST_CASE("gguf/tensor_table: the order of the data is free") {
  RawGguf raw = small_file();
  raw.tensors[0].offset = 64;
  raw.tensors[1].offset = 0;
  const gguf::File file = parse(raw.bytes());
  CHECK(file.find_tensor("a")->offset == file.find_tensor("b")->offset + 64);
}

}  // namespace nxs::test
