// SPDX-License-Identifier: Apache-2.0 OR MIT
// The seam through which every large allocation goes: zeroed, aligned to 64 bytes, in huge pages where that pays.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/checked.h"

namespace nxs {

/// Zeroed memory aligned to 64 bytes (2 MiB, with huge pages asked for, from 4 MiB on). Throws Status::kMemory naming
/// `what`. allocate(0) gives nullptr.
void* allocate(size_t bytes, const char* what);
void release(void* memory, size_t bytes) noexcept;

/// An array of trivial elements with one owner; elements start as zero.
template <typename T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(size_t n, const char* what)
      : data_(static_cast<T*>(allocate(checked_mul(n, sizeof(T), what), what))), size_(n) {}
  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { release(data_, size_ * sizeof(T)); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  size_t bytes() const { return size_ * sizeof(T); }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace nxs
