// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "base/counter_rng.h"

#include <doctest/doctest.h>

#include <cstdlib>

namespace nxs {
namespace {

using Block = std::array<uint32_t, 4>;

TEST_CASE("base/counter_rng: the published vectors of Philox4x32-10") {
  CHECK(philox4x32({0, 0}, {0, 0, 0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("base/counter_rng: a draw is the first word's high 24 bits, keyed by seed and position") {
  CHECK(uniform_draw(0, 0) == static_cast<float>(0x6627e8) * 0x1p-24f);
  const int64_t seed = 0x0123456789abcdef, position = 0x0fedcba987654321;
  const Block words = philox4x32({0x89abcdef, 0x01234567}, {0x87654321, 0x0fedcba9, 0, 0});
  CHECK(uniform_draw(seed, position) == static_cast<float>(words[0] >> 8) / 16777216.0f);
  const Block negative = philox4x32({0xffffffff, 0xffffffff}, {5, 0, 0, 0});
  CHECK(uniform_draw(-1, 5) == static_cast<float>(negative[0] >> 8) / 16777216.0f);
}

TEST_CASE("base/counter_rng: draws lie in [0, 1) and fill it evenly") {
  std::array<int, 16> bins{};
  for (int64_t position = 0; position < 64'000; ++position) {
    const float u = uniform_draw(7919, position);
    REQUIRE(u >= 0.0f);
    REQUIRE(u < 1.0f);
    ++bins[static_cast<size_t>(u * 16.0f)];
  }
  for (const int n : bins) CHECK(std::abs(n - 4000) < 5 * 62);
}

}  // namespace
}  // namespace nxs
