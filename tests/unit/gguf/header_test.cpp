// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <doctest/doctest.h>

#include <algorithm>

#include "selftest/tiny_model.h"
#include "small_file.h"
#include "support/allocation_meter.h"

namespace nxs::test {

TEST_CASE("gguf/header: versions 2 and 3 are read") {
  for (const uint32_t version : {2u, 3u}) {
    RawGguf raw = small_file();
    raw.version = version;
    const gguf::File file = parse(raw.bytes());
    CHECK(file.values().size() == 3);
    CHECK(file.tensors().size() == 2);
  }
}

TEST_CASE("gguf/header: another magic is no GGUF file") {
  std::vector<uint8_t> bytes = small_file().bytes();
  std::copy_n("FUGG", 4, bytes.begin());
  const Thrown thrown = parse_error(bytes);
  CHECK(thrown.status == Status::kFormat);
  CHECK(thrown.names("'FUGG'"));
}

TEST_CASE("gguf/header: other versions are named") {
  struct Case {
    uint32_t version;
    Status status;
    const char* words;
  };
  for (const Case& c :
       {Case{0, Status::kFormat, "version 0"}, Case{1, Status::kUnsupported, "version 1"},
        Case{4, Status::kUnsupported, "version 4"}, Case{0x03000000, Status::kUnsupported, "byte-swapped"}}) {
    RawGguf raw = small_file();
    raw.version = c.version;
    const Thrown thrown = parse_error(raw);
    CHECK(thrown.status == c.status);
    CHECK(thrown.names(c.words));
    CHECK(thrown.names("byte 4"));
  }
}

TEST_CASE("gguf/header: a file cut anywhere is an error") {
  const std::vector<uint8_t> whole = small_file().bytes();
  CHECK(parse_error(whole).status == Status::kOk);
  for (size_t n = 0; n < whole.size(); ++n) {
    CAPTURE(n);
    const Thrown thrown = parse_error({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(n)});
    CHECK(thrown.status == Status::kFormat);
    CHECK((thrown.names("GGUF header") || thrown.names("key ") || thrown.names("tensor ")));
    CHECK(thrown.names("byte"));
  }
}

TEST_CASE("gguf/header: counts beyond the file are refused") {
  constexpr uint64_t kAll = UINT64_MAX;
  RawGguf raw = small_file();
  raw.n_tensors = kAll;
  Thrown thrown = parse_error(raw);
  CHECK(thrown.status == Status::kFormat);
  CHECK(thrown.names("18446744073709551615 tensors"));

  raw.n_tensors = (uint64_t{1} << 58) + 2;  // times a struct of 64 bytes wraps to 128
  CHECK(parse_error(raw).status == Status::kFormat);

  raw = small_file();
  raw.n_values = kAll;
  thrown = parse_error(raw);
  CHECK(thrown.status == Status::kFormat);
  CHECK(thrown.names("18446744073709551615 key-value pairs"));
}

TEST_CASE("gguf/header: one pair too few or too many is noticed") {
  RawGguf raw = small_file();
  raw.n_values = 2;  // the third key is taken for a tensor
  CHECK(parse_error(raw).status == Status::kFormat);
  raw.n_values = 4;
  CHECK(parse_error(raw).status == Status::kFormat);
  raw = small_file();
  raw.n_tensors = 3;
  CHECK(parse_error(raw).status == Status::kFormat);
}

TEST_CASE("gguf/header: a small file with large claims allocates little") {
  constexpr uint64_t kGigabyte = uint64_t{1} << 30;
  RawGguf string, array, strings, key;
  string.set("big.text", 8, bytes_of(kGigabyte));
  array.set("big.array", 9, bytes_of(uint32_t{4}, kGigabyte));
  strings.set("big.strings", 9, bytes_of(uint32_t{8}, kGigabyte));
  key.set_u32("key", 1);
  key.values[0].key_length = kGigabyte;
  for (RawGguf* raw : {&string, &array, &strings, &key}) {
    std::vector<uint8_t> bytes = raw->bytes();
    bytes.resize(160);
    const auto source = borrow_memory(bytes.data(), bytes.size());
    reset_allocations();
    CHECK(error_of([&] { gguf::File::parse(*source); }).status == Status::kFormat);
    CHECK(allocations().largest <= 1024);
    CHECK(allocations().total <= 4096);
  }
}

TEST_CASE("gguf/header: metadata of a real size needs memory in proportion to the file") {
  selftest::TinyModelOptions options;
  options.n_vocab = 4096;
  const std::vector<uint8_t> bytes = selftest::tiny_model(options);
  const auto source = borrow_memory(bytes.data(), bytes.size());
  reset_allocations();
  gguf::File::parse(*source);
  CHECK(allocations().largest <= bytes.size());
}

}  // namespace nxs::test
