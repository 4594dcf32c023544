// SPDX-License-Identifier: Apache-2.0 OR MIT
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3"): a block of random bits is
// a function of key and counter alone, so that a draw depends on nothing but where it is.
#pragma once

#include <array>
#include <cstdint>

namespace nxs {

inline std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter) noexcept {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53u} * counter[0], b = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
  }
  return counter;
}

/// A multiple of 2^-24 in [0, 1): the draw of `seed` at `position`.
inline float uniform_draw(int64_t seed, int64_t position) noexcept {
  const auto s = static_cast<uint64_t>(seed), p = static_cast<uint64_t>(position);
  const auto words = philox4x32({static_cast<uint32_t>(s), static_cast<uint32_t>(s >> 32)},
                                {static_cast<uint32_t>(p), static_cast<uint32_t>(p >> 32), 0, 0});
  return static_cast<float>(words[0] >> 8) * 0x1p-24f;
}

}  // namespace nxs
