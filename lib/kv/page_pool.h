// SPDX-License-Identifier: Apache-2.0 OR MIT
// Fixed-size pages of keys and values with reference counts. A page holds `page_tokens` consecutive tokens of all
// layers and heads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/memory.h"

namespace nxs::kv {

/// Where things lie in a page: for each (layer, kv head) K in tiles [head_dim][lanes] of lanes = min(16, page_tokens)
/// keys, then V [page_tokens][head_dim_padded] (multiple of 16). Both parts start at multiples of 64 bytes.
struct PageLayout {
  PageLayout(size_t n_layers, size_t n_heads_kv, size_t head_dim, size_t page_tokens, bool f32);

  size_t n_layers, n_heads_kv, head_dim, head_dim_padded;
  size_t page_tokens;                   ///< power of two, 1..256
  size_t lanes;                         ///< keys of a K tile
  bool f32;                             ///< else F16
  size_t elem_bytes, k_bytes, v_bytes;  ///< of one (layer, head)
  size_t page_bytes;

  size_t k_tile(size_t layer, size_t head,
                size_t tile) const;                            ///< byte offset of tile `tile` (tokens lanes * tile ...)
  size_t v_row(size_t layer, size_t head, size_t slot) const;  ///< byte offset of token `slot`'s value row
};

using PageId = uint32_t;

/// One per session; not thread-safe. Fresh pages are zeroed.
class PagePool {
 public:
  /// `capacity` pages taken at once, or 0: grows in slabs as needed.
  PagePool(const PageLayout& layout, size_t capacity);

  const PageLayout& layout() const { return layout_; }
  /// A page with one reference. Throws kKvFull (fixed pool exhausted; the message has the sizes in tokens) or kMemory;
  /// nothing changes then.
  PageId take();
  void ref(PageId page);
  void unref(PageId page);  ///< the last one makes the page free
  uint32_t refs(PageId page) const { return refs_[page]; }
  uint8_t* data(PageId page);
  const uint8_t* data(PageId page) const;

  size_t n_pages() const { return refs_.size(); }  ///< pool size now
  size_t n_free() const { return free_.size(); }   ///< free now (a growing pool can take more)
  size_t n_used_peak() const { return peak_; }
  bool grows() const { return capacity_ == 0; }
  /// Most pages that take() can still give without failing for want of capacity; SIZE_MAX when it grows.
  size_t available() const;
  size_t bytes() const;  ///< resident memory

 private:
  void add_slab();  // strong guarantee

  PageLayout layout_;
  size_t capacity_, peak_ = 0, slab_pages_ = 0;
  std::vector<Buffer<uint8_t>> slabs_;
  std::vector<uint32_t> refs_;
  std::vector<PageId> free_;
};

/// Throws kKvFull for want of `n_pages`: "`what` 8 tokens of KV cache ...", `what` being "the prompt needs" or the
/// like.
[[noreturn]] void fail_full(const PagePool& pool, const char* what, size_t n_pages);

}  // namespace nxs::kv
