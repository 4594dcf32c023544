// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "base/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/status.h"

namespace nxs {
namespace {

/// The system's words for an errno; strerror_r comes in two forms, and each of these takes one.
const char* words(const char* text, const char*) {
  return text;
}
[[maybe_unused]] const char* words(int, const char* buffer) {
  return buffer;
}

[[noreturn]] void fail_with(int error, const char* verb, const char* path) {
  char buffer[128] = "unknown error";
  fail(Status::kIo, "cannot %s '%s': %s", verb, path, words(strerror_r(error, buffer, sizeof buffer), buffer));
}

class File final : public Source {
 public:
  File(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~File() override { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Called once, before the file is handed out.
  void check_kind() {
    struct stat info {};
    if (fstat(descriptor_, &info) != 0) fail_with(errno, "examine", path_.c_str());
    if (S_ISDIR(info.st_mode)) fail(Status::kIo, "cannot read '%s': it is a directory", path_.c_str());
    if (!S_ISREG(info.st_mode)) fail(Status::kIo, "cannot read '%s': it is no regular file", path_.c_str());
    size_ = static_cast<uint64_t>(info.st_size);
  }

  uint64_t size() const override { return size_; }

  void read(uint64_t offset, void* out, size_t n) const override {
    if (offset > size_ || n > size_ - offset) fail_short(offset);
    char* to = static_cast<char*>(out);
    while (n > 0) {
      const ssize_t got = pread(descriptor_, to, n, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_at(errno, offset);
      if (got == 0) fail_short(offset);
      to += got;
      offset += static_cast<uint64_t>(got);
      n -= static_cast<size_t>(got);
    }
  }

 private:
  [[noreturn]] void fail_at(int error, uint64_t offset) const {
    char buffer[128] = "unknown error";
    fail(Status::kIo, "cannot read '%s' at offset %llu: %s", path_.c_str(), static_cast<unsigned long long>(offset),
         words(strerror_r(error, buffer, sizeof buffer), buffer));
  }
  [[noreturn]] void fail_short(uint64_t offset) const {
    fail(Status::kIo, "cannot read '%s' at offset %llu: the file ends (it had %llu bytes when opened)", path_.c_str(),
         static_cast<unsigned long long>(offset), static_cast<unsigned long long>(size_));
  }

  int descriptor_;
  std::string path_;
  uint64_t size_ = 0;
};

class Memory final : public Source {
 public:
  Memory(const void* data, size_t size) : data_(static_cast<const char*>(data)), size_(size) {}
  uint64_t size() const override { return size_; }
  void read(uint64_t offset, void* out, size_t n) const override {
    if (offset > size_ || n > size_ - offset) {
      fail(Status::kIo, "cannot read memory at offset %llu: it has %zu bytes", static_cast<unsigned long long>(offset),
           size_);
    }
    if (n > 0) std::memcpy(out, data_ + offset, n);
  }

 private:
  const char* data_;
  size_t size_;
};

}  // namespace

std::unique_ptr<Source> open_file(const char* path) {
  std::string name(path);
  // O_NONBLOCK: opening a pipe must not wait for its writer; it means nothing for a regular file.
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail_with(errno, "open", path);
  std::unique_ptr<File> file;
  try {
    file = std::make_unique<File>(descriptor, std::move(name));
  } catch (...) {
    close(descriptor);
    throw;
  }
  file->check_kind();
  return file;
}

std::unique_ptr<Source> borrow_memory(const void* data, size_t size) {
  return std::make_unique<Memory>(data, size);
}

}  // namespace nxs
