// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <doctest/doctest.h>

#include <vector>

#include "kv/sequence.h"
#include "kv_support.h"

namespace nxs::kv {
namespace {

// The key in lane `lane` of a 16-lane tile, element d.
float tile_key(const kernels::KvTile& tile, size_t lane, size_t d) {
  return static_cast<const float*>(tile.k)[d * kernels::kTile + lane];
}

TEST_CASE("kv/tiles: chunks show the same keys and values for every page size, and zero behind the end") {
  constexpr int64_t kLength = 600;
  for (size_t page = 1; page <= 256; page *= 2) {
    const PageLayout layout(2, 2, 6, page, true);
    PagePool pool(layout, 0);
    Sequence sequence(pool);
    sequence.append(kLength);
    for (int64_t p = 0; p < kLength; ++p) write_token(sequence, p, static_cast<uint32_t>(p));
    Buffer<uint8_t> gather(gather_bytes(layout), "test");
    kernels::KvTile tiles[16];
    for (int64_t chunk = 0; chunk < 3; ++chunk) {
      const auto n_keys = static_cast<size_t>(std::min<int64_t>(256, kLength - 256 * chunk));
      REQUIRE(chunk_tiles(tiles, gather.data(), sequence, 1, 1, chunk, n_keys) == (n_keys + 15) / 16);
      for (size_t j = 0; j < (n_keys + 15) / 16 * 16; ++j) {
        const auto token = static_cast<uint32_t>(256 * chunk) + static_cast<uint32_t>(j);
        const bool inside = j < n_keys;
        for (size_t d = 0; d < layout.head_dim; ++d) {
          const float v = static_cast<const float*>(tiles[j / 16].v)[j % 16 * layout.head_dim_padded + d];
          REQUIRE(tile_key(tiles[j / 16], j % 16, d) == (inside ? stamp(token, 1, 1, d, false) : 0.0f));
          REQUIRE(v == (inside ? stamp(token, 1, 1, d, true) : 0.0f));
        }
      }
    }
  }
}

}  // namespace
}  // namespace nxs::kv
