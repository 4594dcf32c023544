// SPDX-License-Identifier: Apache-2.0 OR MIT
// A row of logits read from the largest down, equal ones by ascending id, and sorted only as far as it is read: a draw
// rarely looks beyond the first few dozen of a vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace nxs::decode {

class LogitWalk {
 public:
  /// Begins anew with `row` (no NaN), which must stay as it is while it is read.
  void begin(std::span<const float> row);
  /// The ids of the n largest; of all, if there are fewer.
  std::span<const int32_t> first(size_t n);
  size_t bytes() const;

 private:
  void extend(size_t n);
  float border_for(size_t n);
  void collect(float from);

  static constexpr size_t kMostColumns = 1536;
  std::span<const float> row_;
  size_t n_columns_ = 0;
  std::vector<float> column_max_;  ///< [c]: largest of row[c], row[c + n_columns], ...
  std::vector<float> scratch_;
  std::vector<uint64_t> keys_;
  std::vector<int32_t> ids_;  ///< sorted: all whose logit is not below border_
  float border_ = std::numeric_limits<float>::infinity();
};

}  // namespace nxs::decode
