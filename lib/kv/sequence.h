// SPDX-License-Identifier: Apache-2.0 OR MIT
// A sequence's keys and values: a page table and a length. Forks share pages; the first append into a shared, partly
// filled page copies that page and no other.
#pragma once

#include <span>
#include <vector>

#include "kernels/kernels.h"
#include "kv/page_pool.h"

namespace nxs::kv {

class Sequence {
 public:
  explicit Sequence(PagePool& pool) : pool_(&pool) {}
  Sequence(Sequence&& other) noexcept;
  Sequence& operator=(Sequence&& other) noexcept;
  Sequence(const Sequence&) = delete;
  ~Sequence();  ///< releases its pages

  int64_t length() const { return length_; }
  std::span<const PageId> pages() const { return pages_; }
  PagePool& pool() const { return *pool_; }

  /// The first `length` tokens as a sequence of its own; 0 <= length <= this->length().
  Sequence fork(int64_t length) const;
  /// Pages that append(n) would take from the pool.
  size_t pages_needed(int64_t n) const;
  /// Makes room for n more tokens and counts them in. Throws kKvFull or kMemory, and then nothing has changed.
  void append(int64_t n);
  /// Rewinds to `length` <= length() and releases the pages behind it.
  void truncate(int64_t length);

  // Addresses for one position; position < length().
  uint8_t* k_tile(size_t layer, size_t head,
                  int64_t position);  ///< base of the tile it lies in; its lane is position % lanes
  uint8_t* v_row(size_t layer, size_t head, int64_t position);
  const uint8_t* k_tile(size_t layer, size_t head, int64_t position) const;
  const uint8_t* v_row(size_t layer, size_t head, int64_t position) const;

  /// The partly filled last page, if this sequence shares it with others: append copies it. Else kNoPage.
  static constexpr PageId kNoPage = UINT32_MAX;
  PageId shared_open_page() const;

 private:
  size_t pages_for(int64_t length) const;
  void release_from(size_t first) noexcept;

  PagePool* pool_;
  std::vector<PageId> pages_;
  int64_t length_ = 0;
};

/// Pages that append(n[i]) on each sequences[i] takes in all: of k appenders that share an open page with nobody else,
/// the last one keeps it. Never more than the sum of pages_needed.
size_t pages_needed(std::span<Sequence* const> sequences, std::span<const int64_t> n);

/// Fills `tiles` (up to 16) for keys [256 * chunk, ...) of one head, the last visible key being `n_keys - 1` of the
/// chunk. Pages of 16 tokens or more are pointed to; smaller ones are gathered into `gather` (one tile after another, K
/// then V, in the pool's element type; 16 tiles at most; may be NULL when lanes == 16). Returns how many tiles.
size_t chunk_tiles(kernels::KvTile* tiles, uint8_t* gather, const Sequence& sequence, size_t layer, size_t head,
                   int64_t chunk, size_t n_keys);
/// Bytes of `gather`.
size_t gather_bytes(const PageLayout& layout);

}  // namespace nxs::kv
