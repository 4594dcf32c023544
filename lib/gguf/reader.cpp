// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "gguf/reader.h"

#include <algorithm>
#include <cinttypes>

#include "base/status.h"

namespace nxs::gguf {

namespace {

constexpr size_t kSliceBytes = size_t{256} << 10;
constexpr size_t kGrowBytes = size_t{1} << 20;

}  // namespace

std::string printable(std::string_view text) {
  constexpr size_t kLongest = 80;
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    if (out.size() >= kLongest) return out + "...";
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

Reader::Reader(const Source& source) : source_(source), size_(source.size()) {}

void Reader::refill() {
  slice_start_ = position_;
  slice_.resize(static_cast<size_t>(std::min<uint64_t>(kSliceBytes, remaining())));
  source_.read(slice_start_, slice_.data(), slice_.size());
}

void Reader::bytes(void* out, size_t n, std::string_view where) {
  if (n > remaining()) {
    fail(Status::kFormat, "%.*s: the file ends at byte %" PRIu64 ", %zu bytes were expected at byte %" PRIu64,
         static_cast<int>(where.size()), where.data(), size_, n, position_);
  }
  auto* to = static_cast<uint8_t*>(out);
  while (n > 0) {
    uint64_t at = position_ - slice_start_;
    if (at >= slice_.size()) {
      refill();
      at = 0;
    }
    const size_t step = std::min(n, slice_.size() - static_cast<size_t>(at));
    std::memcpy(to, slice_.data() + at, step);
    position_ += step;
    to += step;
    n -= step;
  }
}

std::string Reader::string(std::string_view where, uint64_t max_length) {
  const uint64_t start = position_;
  const auto length = number<uint64_t>(where);
  if (length > max_length || length > remaining()) {
    fail(Status::kFormat,
         "%.*s: the string at byte %" PRIu64 " claims %" PRIu64 " bytes, at most %" PRIu64 " are possible",
         static_cast<int>(where.size()), where.data(), start, length, std::min(max_length, remaining()));
  }
  std::string out(static_cast<size_t>(length), '\0');
  bytes(out.data(), out.size(), where);
  return out;
}

void Reader::append(std::vector<uint8_t>& out, uint64_t n, std::string_view where) {
  expect(n, 1, where, "bytes");
  while (n > 0) {
    const size_t step = static_cast<size_t>(std::min<uint64_t>(n, kGrowBytes));
    const size_t start = out.size();
    out.resize(start + step);
    bytes(out.data() + start, step, where);
    n -= step;
  }
}

void Reader::expect(uint64_t count, uint64_t least, std::string_view where, const char* what) const {
  if (count <= remaining() / least) return;
  fail(Status::kFormat,
       "%.*s: %" PRIu64 " %s claimed at byte %" PRIu64 ", but only %" PRIu64 " bytes are left in the file",
       static_cast<int>(where.size()), where.data(), count, what, position_, remaining());
}

}  // namespace nxs::gguf
