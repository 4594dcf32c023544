// SPDX-License-Identifier: Apache-2.0 OR MIT
// A bounds-checked cursor over a Source. Whatever lies past the end of the file is Status::kFormat with the place and
// its offset.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace nxs::gguf {

static_assert(std::endian::native == std::endian::little, "values are copied from the file as they are");

/// Text from a file made fit for a message: printable ASCII, other bytes as \xNN, cut after 80 bytes.
std::string printable(std::string_view text);

class Reader {
 public:
  /// Buffers a slice of the source, at most 256 KiB and never more than the source has.
  explicit Reader(const Source& source);

  uint64_t position() const { return position_; }
  uint64_t remaining() const { return size_ - position_; }

  /// Copies n bytes, n being a size that is already allocated. `where` is the key or tensor ("key 'a.b'") for messages.
  void bytes(void* out, size_t n, std::string_view where);

  template <typename T>
  T number(std::string_view where) {
    T value;
    bytes(&value, sizeof value, where);
    return value;
  }

  /// A uint64_t length and that many bytes; a length above `max_length` or what is left in the file is an error before
  /// it is allocated.
  std::string string(std::string_view where, uint64_t max_length);

  /// Appends n bytes to `out`, which grows only by slices that were really read.
  void append(std::vector<uint8_t>& out, uint64_t n, std::string_view where);

  /// Throws unless `count` things of at least `least` bytes each can still follow.
  void expect(uint64_t count, uint64_t least, std::string_view where, const char* what) const;

 private:
  void refill();

  const Source& source_;
  uint64_t size_;
  uint64_t position_ = 0;     // of the next byte
  uint64_t slice_start_ = 0;  // position of slice_[0]
  std::vector<uint8_t> slice_;
};

}  // namespace nxs::gguf
