// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "base/digest.h"

#include <xxhash.h>

#include <bit>
#include <cstring>
#include <new>

#include "base/status.h"

namespace nxs {
namespace {

static_assert(std::endian::native == std::endian::little, "digests take numbers as they lie in memory");

Digest to_digest(XXH128_hash_t hash) {
  Digest d;
  std::memcpy(d.bytes.data(), &hash.low64, 8);
  std::memcpy(d.bytes.data() + 8, &hash.high64, 8);
  return d;
}

}  // namespace

std::string Digest::hex() const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Digest digest_of(const void* data, size_t n) {
  return to_digest(XXH3_128bits(data, n));
}

/// libxxhash wants its state at 64 bytes, so it makes it.
struct Hasher::State {
  State() : xxh(XXH3_createState()) {
    if (xxh == nullptr) throw std::bad_alloc();
  }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  XXH3_state_t* xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  reset();
}
Hasher::~Hasher() = default;
Hasher::Hasher(const Hasher& other) : state_(std::make_unique<State>()) {
  *this = other;
}
// NOLINTNEXTLINE(bugprone-unhandled-self-assignment): states are copied
Hasher& Hasher::operator=(const Hasher& other) noexcept {
  XXH3_copyState(state_->xxh, other.state_->xxh);
  return *this;
}
void Hasher::reset() noexcept {
  XXH3_128bits_reset(state_->xxh);
}

void Hasher::bytes(const void* data, size_t n) {
  if (n > 0) XXH3_128bits_update(state_->xxh, data, n);
}
void Hasher::u8(uint8_t v) {
  bytes(&v, sizeof v);
}
void Hasher::u32(uint32_t v) {
  bytes(&v, sizeof v);
}
void Hasher::u64(uint64_t v) {
  bytes(&v, sizeof v);
}
void Hasher::f32(float v) {
  u32(std::bit_cast<uint32_t>(v));
}
void Hasher::text(const char* s, size_t n) {
  u64(n);
  bytes(s, n);
}
void Hasher::digest(const Digest& d) {
  bytes(d.bytes.data(), d.bytes.size());
}
Digest Hasher::finish() const {
  return to_digest(XXH3_128bits_digest(state_->xxh));
}

}  // namespace nxs
