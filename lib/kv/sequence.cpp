// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "kv/sequence.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nxs::kv {

Sequence::Sequence(Sequence&& other) noexcept
    : pool_(other.pool_), pages_(std::exchange(other.pages_, {})), length_(std::exchange(other.length_, 0)) {}

Sequence& Sequence::operator=(Sequence&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(pages_, other.pages_);
  std::swap(length_, other.length_);
  return *this;
}

Sequence::~Sequence() {
  release_from(0);
}

size_t Sequence::pages_for(int64_t length) const {
  const size_t page_tokens = pool_->layout().page_tokens;
  return (static_cast<size_t>(length) + page_tokens - 1) / page_tokens;
}

void Sequence::release_from(size_t first) noexcept {
  for (size_t i = first; i < pages_.size(); ++i) pool_->unref(pages_[i]);
  pages_.resize(first);
}

PageId Sequence::shared_open_page() const {
  const bool open = static_cast<size_t>(length_) % pool_->layout().page_tokens != 0;
  return open && pool_->refs(pages_.back()) > 1 ? pages_.back() : kNoPage;
}

Sequence Sequence::fork(int64_t length) const {
  Sequence child(*pool_);
  child.pages_.assign(pages_.begin(), pages_.begin() + static_cast<std::ptrdiff_t>(pages_for(length)));
  for (const PageId page : child.pages_) pool_->ref(page);
  child.length_ = length;
  return child;
}

size_t Sequence::pages_needed(int64_t n) const {
  if (n == 0) return 0;
  return pages_for(length_ + n) - pages_.size() + (shared_open_page() != kNoPage ? 1 : 0);
}

void Sequence::append(int64_t n) {
  if (n == 0) return;
  const size_t before = pages_.size(), after = pages_for(length_ + n);
  // The copy of the open page stands behind the new pages until nothing can fail any more.
  const PageId shared = shared_open_page();
  if (after + 1 > pages_.capacity()) pages_.reserve(std::max(after + 1, 2 * pages_.capacity()));
  try {
    while (pages_.size() < after + (shared != kNoPage ? 1 : 0)) pages_.push_back(pool_->take());
  } catch (...) {
    release_from(before);
    throw;
  }
  if (shared != kNoPage) {
    const PageId copy = pages_.back();
    pages_.pop_back();
    std::memcpy(pool_->data(copy), pool_->data(shared), pool_->layout().page_bytes);
    pages_[before - 1] = copy;
    pool_->unref(shared);
  }
  length_ += n;
}

void Sequence::truncate(int64_t length) {
  release_from(pages_for(length));
  length_ = length;
}

const uint8_t* Sequence::k_tile(size_t layer, size_t head, int64_t position) const {
  const PageLayout& layout = pool_->layout();
  const size_t p = static_cast<size_t>(position), slot = p % layout.page_tokens;
  return pool_->data(pages_[p / layout.page_tokens]) + layout.k_tile(layer, head, slot / layout.lanes);
}

const uint8_t* Sequence::v_row(size_t layer, size_t head, int64_t position) const {
  const PageLayout& layout = pool_->layout();
  const size_t p = static_cast<size_t>(position);
  return pool_->data(pages_[p / layout.page_tokens]) + layout.v_row(layer, head, p % layout.page_tokens);
}

uint8_t* Sequence::k_tile(size_t layer, size_t head, int64_t position) {
  return const_cast<uint8_t*>(std::as_const(*this).k_tile(layer, head, position));
}

uint8_t* Sequence::v_row(size_t layer, size_t head, int64_t position) {
  return const_cast<uint8_t*>(std::as_const(*this).v_row(layer, head, position));
}

size_t pages_needed(std::span<Sequence* const> sequences, std::span<const int64_t> n) {
  size_t total = 0;
  std::vector<PageId> shared;
  for (size_t i = 0; i < sequences.size(); ++i) {
    total += sequences[i]->pages_needed(n[i]);
    const PageId page = n[i] > 0 ? sequences[i]->shared_open_page() : Sequence::kNoPage;
    if (page != Sequence::kNoPage) shared.push_back(page);
  }
  std::sort(shared.begin(), shared.end());
  for (auto it = shared.begin(); it != shared.end();) {
    const auto end = std::upper_bound(it, shared.end(), *it);
    // As many appenders as holders: the last holder finds itself alone and copies nothing.
    if (static_cast<size_t>(end - it) == sequences.front()->pool().refs(*it)) --total;
    it = end;
  }
  return total;
}

}  // namespace nxs::kv
