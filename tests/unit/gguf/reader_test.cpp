// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <doctest/doctest.h>

#include <algorithm>

#include "gguf/reader.h"
#include "small_file.h"

namespace nxs::test {

namespace {

/// Reads fail from byte `limit` on, and no read is larger than a slice.
class FailingSource : public Source {
 public:
  FailingSource(std::vector<uint8_t> bytes, uint64_t limit) : bytes_(std::move(bytes)), limit_(limit) {}
  uint64_t size() const override { return bytes_.size(); }
  void read(uint64_t offset, void* out, size_t n) const override {
    CHECK(n <= size_t{1} << 20);
    if (offset + n > limit_) fail(Status::kIo, "the disk is gone");
    std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(offset), n, static_cast<uint8_t*>(out));
  }

 private:
  std::vector<uint8_t> bytes_;
  uint64_t limit_;
};

}  // namespace

TEST_CASE("gguf/reader: bytes come in order across slices") {
  std::vector<uint8_t> bytes(3u << 20);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 31 >> 3);
  const FailingSource source(bytes, bytes.size());
  gguf::Reader in(source);
  std::vector<uint8_t> got;
  for (size_t step = 1; in.remaining() > 0; step = step * 7 % 300001) {
    in.append(got, std::min<uint64_t>(step, in.remaining()), "here");
  }
  CHECK(got == bytes);
  CHECK(in.position() == bytes.size());
}

TEST_CASE("gguf/reader: the end of the file is an error with place and offset") {
  const std::vector<uint8_t> bytes(10);
  const auto source = borrow_memory(bytes.data(), bytes.size());
  gguf::Reader in(*source);
  in.number<uint64_t>("here");
  const Thrown thrown = error_of([&] { in.number<uint32_t>("key 'x'"); });
  CHECK(thrown.status == Status::kFormat);
  CHECK(thrown.names("key 'x'"));
  CHECK(thrown.names("byte 8"));
  CHECK(in.position() == 8);
}

TEST_CASE("gguf/reader: a read that fails stays a read that failed") {
  CHECK(error_of([] { gguf::File::parse(FailingSource(small_file().bytes(), 16)); }).status == Status::kIo);
}

TEST_CASE("gguf/reader: text for messages") {
  CHECK(gguf::printable("plain") == "plain");
  CHECK(gguf::printable("\n\x7f") == "\\x0a\\x7f");
  CHECK(gguf::printable(std::string(1000, 'a')).size() == 83);
}

}  // namespace nxs::test
