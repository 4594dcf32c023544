// SPDX-License-Identifier: Apache-2.0 OR MIT
// A border below which nothing is sorted is lowered step by step. The n-th largest of the columns' maxima is such a
// border: at least n logits reach it, and few more do, all of them in columns that are known.
#include "decode/logit_walk.h"

#include <algorithm>
#include <functional>

namespace nxs::decode {

namespace {

constexpr size_t kFirstStep = 64;
constexpr size_t kGrowth = 8;

float nth_largest(std::vector<float>& values, size_t n) {
  const auto nth = values.begin() + static_cast<ptrdiff_t>(n - 1);
  std::nth_element(values.begin(), nth, values.end(), std::greater<>());
  return *nth;
}

}  // namespace

void LogitWalk::begin(std::span<const float> row) {
  row_ = row;
  n_columns_ = std::min(kMostColumns, row.size());
  column_max_.assign(row.begin(), row.begin() + static_cast<ptrdiff_t>(n_columns_));
  for (size_t at = n_columns_; at < row.size(); at += n_columns_) {
    const size_t n = std::min(n_columns_, row.size() - at);
    for (size_t c = 0; c < n; ++c) column_max_[c] = row[at + c] > column_max_[c] ? row[at + c] : column_max_[c];
  }
  ids_.clear();
  border_ = std::numeric_limits<float>::infinity();
}

std::span<const int32_t> LogitWalk::first(size_t n) {
  n = std::min(n, row_.size());
  if (ids_.size() < n) extend(n);
  return std::span(ids_).first(n);
}

/// A border that at least n logits reach.
float LogitWalk::border_for(size_t n) {
  if (n <= n_columns_ / 2) {
    scratch_ = column_max_;
    return nth_largest(scratch_, n);
  }
  if (n <= row_.size() / 4) {
    scratch_.assign(row_.begin(), row_.end());
    return nth_largest(scratch_, n);
  }
  return -std::numeric_limits<float>::infinity();
}

/// Appends the ids of logits in [from, border_), in the order of ids within a column.
void LogitWalk::collect(float from) {
  for (size_t c = 0; c < n_columns_; ++c) {
    if (column_max_[c] < from) continue;
    for (size_t i = c; i < row_.size(); i += n_columns_) {
      if (row_[i] >= from && row_[i] < border_) ids_.push_back(static_cast<int32_t>(i));
    }
  }
}

void LogitWalk::extend(size_t n) {
  const float from = border_for(std::min(std::max({n, kFirstStep, kGrowth * ids_.size()}), row_.size()));
  const auto sorted = static_cast<ptrdiff_t>(ids_.size());
  collect(from);
  std::sort(ids_.begin() + sorted, ids_.end(), [this](int32_t a, int32_t b) {
    const float x = row_[static_cast<size_t>(a)], y = row_[static_cast<size_t>(b)];
    return x > y || (x == y && a < b);
  });
  border_ = from;
}

}  // namespace nxs::decode
