// SPDX-License-Identifier: Apache-2.0 OR MIT
// Arrays with canaries on both sides, at any distance from an aligned address: a kernel that writes outside is caught.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nxs::kernels::check {

template <typename T>
class Guarded {
 public:
  /// n zeros; data() lies `offset` elements after an address aligned to 64 bytes.
  explicit Guarded(size_t n, size_t offset = 0) : size_(n), bytes_((n + offset) * sizeof(T) + 3 * kEdge, kCanary) {
    const auto address = reinterpret_cast<uintptr_t>(bytes_.data());
    begin_ = kEdge + (kEdge - address % kEdge) % kEdge + offset * sizeof(T);
    for (size_t i = 0; i < n; ++i) (*this)[i] = T{0};
  }
  T* data() { return reinterpret_cast<T*>(bytes_.data() + begin_); }
  const T* data() const { return reinterpret_cast<const T*>(bytes_.data() + begin_); }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }

  bool intact() const {
    for (size_t i = 0; i < bytes_.size(); ++i) {
      const bool inside = i >= begin_ && i < begin_ + size_ * sizeof(T);
      if (!inside && bytes_[i] != kCanary) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kEdge = 64;
  static constexpr uint8_t kCanary = 0xa5;
  size_t size_;
  size_t begin_ = 0;
  std::vector<uint8_t> bytes_;
};

}  // namespace nxs::kernels::check
