// SPDX-License-Identifier: Apache-2.0 OR MIT
// The keys and values of one attention chunk as tiles of 16, whatever the page size.
#include <cstring>

#include "kv/sequence.h"

namespace nxs::kv {
namespace {

constexpr size_t kTile = kernels::kTile;

size_t k_tile_bytes(const PageLayout& layout) {
  return layout.head_dim * kTile * layout.elem_bytes;
}
size_t v_tile_bytes(const PageLayout& layout) {
  return layout.head_dim_padded * kTile * layout.elem_bytes;
}

// Copies the narrow tile [head_dim][lanes] of one page into lanes `first_lane`... of a tile [head_dim][16].
void gather_k(uint8_t* tile, const uint8_t* narrow, const PageLayout& layout, size_t first_lane) {
  const size_t width = layout.lanes * layout.elem_bytes;
  uint8_t* out = tile + first_lane * layout.elem_bytes;
  for (size_t d = 0; d < layout.head_dim; ++d) {
    std::memcpy(out + d * kTile * layout.elem_bytes, narrow + d * width, width);
  }
}

// One tile from pages of fewer than 16 tokens: the keys from `position` on; those behind the sequence's end become
// zero.
void gather_tile(uint8_t* k, uint8_t* v, const Sequence& sequence, size_t layer, size_t head, int64_t position) {
  const PageLayout& layout = sequence.pool().layout();
  const size_t v_page = layout.lanes * layout.head_dim_padded * layout.elem_bytes;
  if (position + static_cast<int64_t>(kTile) > sequence.length()) {
    std::memset(k, 0, k_tile_bytes(layout));
    std::memset(v, 0, v_tile_bytes(layout));
  }
  for (size_t lane = 0; lane < kTile; lane += layout.lanes) {
    const int64_t p = position + static_cast<int64_t>(lane);
    if (p >= sequence.length()) break;
    gather_k(k, sequence.k_tile(layer, head, p), layout, lane);
    std::memcpy(v + lane / layout.lanes * v_page, sequence.v_row(layer, head, p), v_page);
  }
}

}  // namespace

size_t chunk_tiles(kernels::KvTile* tiles, uint8_t* gather, const Sequence& sequence, size_t layer, size_t head,
                   int64_t chunk, size_t n_keys) {
  const PageLayout& layout = sequence.pool().layout();
  const size_t n_tiles = (n_keys + kTile - 1) / kTile;
  for (size_t t = 0; t < n_tiles; ++t) {
    const int64_t position = chunk * static_cast<int64_t>(kernels::kChunk) + static_cast<int64_t>(t * kTile);
    if (layout.lanes == kTile) {
      tiles[t] = {sequence.k_tile(layer, head, position), sequence.v_row(layer, head, position)};
      continue;
    }
    uint8_t* k = gather + t * (k_tile_bytes(layout) + v_tile_bytes(layout));
    uint8_t* v = k + k_tile_bytes(layout);
    gather_tile(k, v, sequence, layer, head, position);
    tiles[t] = {k, v};
  }
  return n_tiles;
}

size_t gather_bytes(const PageLayout& layout) {
  if (layout.lanes == kTile) return 0;
  return kernels::kChunk / kTile * (k_tile_bytes(layout) + v_tile_bytes(layout));
}

}  // namespace nxs::kv
