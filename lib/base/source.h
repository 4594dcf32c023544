// SPDX-License-Identifier: Apache-2.0 OR MIT
// Where a model's bytes come from: a file read by pread (never mapped: a file that shrinks must not kill the host) or
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace nxs {

class Source {
 public:
  virtual ~Source() = default;
  /// Bytes in all, as they were when the source was opened.
  virtual uint64_t size() const = 0;
  /// Copies bytes [offset, offset + n); short or failing reads throw Status::kIo naming the path and the offset. Any
  /// thread.
  virtual void read(uint64_t offset, void* out, size_t n) const = 0;
};

/// Throws Status::kIo when the path cannot be opened, is a directory or cannot be read at offsets.
std::unique_ptr<Source> open_file(const char* path);
/// Borrows `data`, which must outlive the source.
std::unique_ptr<Source> borrow_memory(const void* data, size_t size);

}  // namespace nxs
