// SPDX-License-Identifier: Apache-2.0 OR MIT
// 128-bit digests (XXH3) for receipts and model identity. No proof against forgery.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace nxs {

/// Little-endian: bytes 0..7 are the low half.
struct Digest {
  std::array<uint8_t, 16> bytes{};
  bool operator==(const Digest&) const = default;
  /// 32 lower-case hex digits, byte 0 first.
  std::string hex() const;
};

Digest digest_of(const void* data, size_t n);

/// Streaming form: the digest of everything that was added, in order. Numbers enter little-endian.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher& other);
  Hasher& operator=(const Hasher& other) noexcept;  ///< allocates nothing
  void reset() noexcept;                            ///< as if nothing had been added
  void bytes(const void* data, size_t n);
  void u8(uint8_t v);
  void u32(uint32_t v);
  void u64(uint64_t v);
  void f32(float v);                   ///< its bits
  void text(const char* s, size_t n);  ///< u64 length, then the bytes
  void digest(const Digest& d);
  Digest finish() const;  ///< may be called in between

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace nxs
