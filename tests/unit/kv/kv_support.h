// SPDX-License-Identifier: Apache-2.0 OR MIT
// Writes recognisable keys and values through a sequence's addresses and reads them back.
#pragma once

#include <cstdint>
#include <cstring>

#include "kv/sequence.h"

namespace nxs::kv {

inline float stamp(uint32_t token, size_t layer, size_t head, size_t d, bool value) {
  return static_cast<float>(token * 8 + (value ? 4 : 0) + layer * 2 + head) + static_cast<float>(d) / 256.0f;
}

/// Where element d of the key at `position` lies (F32 pools only).
inline float* key_at(Sequence& s, size_t layer, size_t head, int64_t position, size_t d) {
  const PageLayout& layout = s.pool().layout();
  auto* tile = reinterpret_cast<float*>(s.k_tile(layer, head, position));
  return tile + d * layout.lanes + static_cast<size_t>(position) % layout.lanes;
}

inline float* value_at(Sequence& s, size_t layer, size_t head, int64_t position, size_t d) {
  return reinterpret_cast<float*>(s.v_row(layer, head, position)) + d;
}

inline void write_token(Sequence& s, int64_t position, uint32_t token) {
  const PageLayout& layout = s.pool().layout();
  for (size_t l = 0; l < layout.n_layers; ++l) {
    for (size_t h = 0; h < layout.n_heads_kv; ++h) {
      for (size_t d = 0; d < layout.head_dim; ++d) {
        *key_at(s, l, h, position, d) = stamp(token, l, h, d, false);
        *value_at(s, l, h, position, d) = stamp(token, l, h, d, true);
      }
    }
  }
}

inline bool holds_token(Sequence& s, int64_t position, uint32_t token) {
  const PageLayout& layout = s.pool().layout();
  for (size_t l = 0; l < layout.n_layers; ++l) {
    for (size_t h = 0; h < layout.n_heads_kv; ++h) {
      for (size_t d = 0; d < layout.head_dim; ++d) {
        if (*key_at(s, l, h, position, d) != stamp(token, l, h, d, false)) return false;
        if (*value_at(s, l, h, position, d) != stamp(token, l, h, d, true)) return false;
      }
    }
  }
  return true;
}

}  // namespace nxs::kv
