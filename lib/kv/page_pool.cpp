// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kv/page_pool.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/checked.h"
#include "base/status.h"
#include "kernels/kernels.h"

namespace nxs::kv {
namespace {

// A growing pool takes memory in slabs of about this size: large enough for huge pages, small beside a model.
constexpr size_t kSlabBytes = size_t{4} << 20;
constexpr size_t kCacheLine = 64;

}  // namespace

PageLayout::PageLayout(size_t n_layers_, size_t n_heads_kv_, size_t head_dim_, size_t page_tokens_, bool f32_)
    : n_layers(n_layers_),
      n_heads_kv(n_heads_kv_),
      head_dim(head_dim_),
      head_dim_padded(round_up(head_dim_, 16)),
      page_tokens(page_tokens_),
      lanes(std::min(page_tokens_, kernels::kTile)),
      f32(f32_),
      elem_bytes(f32_ ? 4 : 2) {
  if (page_tokens == 0 || page_tokens > 256 || (page_tokens & (page_tokens - 1)) != 0) {
    fail(Status::kArgument, "page size %zu is not a power of two from 1 to 256", page_tokens);
  }
  // head_dim is at most 256, so only the product over layers and heads can be large.
  k_bytes = round_up(page_tokens * head_dim * elem_bytes, kCacheLine);
  v_bytes = round_up(page_tokens * head_dim_padded * elem_bytes, kCacheLine);
  page_bytes = checked_mul(checked_mul(n_layers, n_heads_kv, "KV page"), k_bytes + v_bytes, "KV page");
}

size_t PageLayout::k_tile(size_t layer, size_t head, size_t tile) const {
  return (layer * n_heads_kv + head) * (k_bytes + v_bytes) + tile * head_dim * lanes * elem_bytes;
}

size_t PageLayout::v_row(size_t layer, size_t head, size_t slot) const {
  return (layer * n_heads_kv + head) * (k_bytes + v_bytes) + k_bytes + slot * head_dim_padded * elem_bytes;
}

PagePool::PagePool(const PageLayout& layout, size_t capacity)
    : layout_(layout),
      capacity_(capacity),
      slab_pages_(capacity != 0 ? capacity : std::max<size_t>(1, kSlabBytes / std::max<size_t>(1, layout.page_bytes))) {
  if (capacity_ > UINT32_MAX) fail(Status::kMemory, "KV pool: %zu pages are too many", capacity_);
  if (capacity_ != 0) add_slab();
}

void PagePool::add_slab() {
  const size_t n = refs_.size();
  if (n + slab_pages_ > UINT32_MAX) fail(Status::kMemory, "KV pool: %zu pages are too many", n + slab_pages_);
  Buffer<uint8_t> slab(checked_mul(slab_pages_, layout_.page_bytes, "KV pages"), "KV pages");
  // Room first, so that neither the lines below nor a later unref can throw.
  slabs_.reserve(slabs_.size() + 1);
  refs_.reserve(n + slab_pages_);
  free_.reserve(n + slab_pages_);
  slabs_.push_back(std::move(slab));
  refs_.resize(n + slab_pages_, 0);
  // Low page numbers lie on top and leave first.
  for (size_t i = slab_pages_; i-- > 0;) free_.push_back(static_cast<PageId>(n + i));
}

PageId PagePool::take() {
  if (free_.empty()) {
    if (!grows()) fail_full(*this, "one more page needs", 1);
    add_slab();
  }
  const PageId page = free_.back();
  free_.pop_back();
  refs_[page] = 1;
  peak_ = std::max(peak_, n_pages() - n_free());
  // Masked keys take part in the kernels with weight zero, so what lies in a page must be finite.
  std::memset(data(page), 0, layout_.page_bytes);
  return page;
}

void PagePool::ref(PageId page) {
  ++refs_[page];
}

void PagePool::unref(PageId page) {
  if (--refs_[page] == 0) free_.push_back(page);
}

uint8_t* PagePool::data(PageId page) {
  return slabs_[page / slab_pages_].data() + page % slab_pages_ * layout_.page_bytes;
}

const uint8_t* PagePool::data(PageId page) const {
  return slabs_[page / slab_pages_].data() + page % slab_pages_ * layout_.page_bytes;
}

size_t PagePool::available() const {
  return grows() ? SIZE_MAX : free_.size();
}

size_t PagePool::bytes() const {
  return slabs_.size() * slab_pages_ * layout_.page_bytes;
}

void fail_full(const PagePool& pool, const char* what, size_t n_pages) {
  const size_t page = pool.layout().page_tokens, needed = n_pages * page, available = pool.available() * page;
  fail(Status::kKvFull, "%s %zu token%s of KV cache (%zu page%s of %zu), %zu %s free of %zu", what, needed,
       needed == 1 ? "" : "s", n_pages, n_pages == 1 ? "" : "s", page, available, available == 1 ? "is" : "are",
       pool.n_pages() * page);
}

}  // namespace nxs::kv
