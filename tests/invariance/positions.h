// SPDX-License-Identifier: Apache-2.0 OR MIT
// A drafter that keeps count: naive prompt lookup (a scan, no index) that sees from the next context how much of its
// last draft was accepted. So acceptance at each position is observed from outside, and the library's indexed lookup
// has an independent twin.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "support/owners.h"

namespace nxs::test {

class CountingLookup {
 public:
  static constexpr size_t kMostPositions = 9;

  CountingLookup(uint32_t draft_max, uint32_t ngram_max, uint32_t ngram_min);
  nxs_drafter* drafter() const { return drafter_.get(); }
  void new_run() { last_draft_.clear(); }

  /// [p]: drafts whose token at position p was the first rejected one; drafts that were accepted at position p.
  std::array<int64_t, kMostPositions> rejected{}, accepted{};

 private:
  static int32_t draft(void* user, const int32_t* context, size_t n, int32_t* draft, size_t capacity);
  void observe(const int32_t* context, size_t n);

  uint32_t ngram_max_, ngram_min_;
  std::vector<int32_t> last_draft_;
  size_t last_n_ = 0;
  Drafter drafter_;
};

}  // namespace nxs::test
