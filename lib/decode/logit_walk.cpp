// SPDX-License-Identifier: Apache-2.0 OR MIT
// A border below which nothing is sorted is lowered step by step. The n-th largest of the columns' maxima is such a
// border: at least n logits reach it, and few more do, all of them in columns that are known.
#include "decode/logit_walk.h"

#include <algorithm>
#include <bit>
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

/// Ascending keys are descending logits (+0 and -0 are one), then ascending ids.
uint64_t key_of(float logit, size_t id) {
  const uint32_t bits = std::bit_cast<uint32_t>(logit + 0.0f);
  const uint32_t descending = (bits >> 31) != 0 ? bits : ~bits & 0x7fffffffu;
  return (uint64_t{descending} << 32) | id;
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

size_t LogitWalk::bytes() const {
  return (column_max_.capacity() + scratch_.capacity()) * sizeof(float) + keys_.capacity() * sizeof(uint64_t) +
         ids_.capacity() * sizeof(int32_t);
}

/// A border that at least n logits reach.
float LogitWalk::border_for(size_t n) {
  if (n <= n_columns_ / 8 * 7) {
    scratch_ = column_max_;
    return nth_largest(scratch_, n);
  }
  if (n <= row_.size() / 4) {
    scratch_.assign(row_.begin(), row_.end());
    return nth_largest(scratch_, n);
  }
  return -std::numeric_limits<float>::infinity();
}

/// The logits in [from, border_) into keys_, unsorted.
void LogitWalk::collect(float from) {
  keys_.clear();
  for (size_t c = 0; c < n_columns_; ++c) {
    if (column_max_[c] < from) continue;
    for (size_t i = c; i < row_.size(); i += n_columns_) {
      if (row_[i] >= from && row_[i] < border_) keys_.push_back(key_of(row_[i], i));
    }
  }
}

void LogitWalk::extend(size_t n) {
  const float from = border_for(std::min(std::max({n, kFirstStep, kGrowth * ids_.size()}), row_.size()));
  collect(from);
  std::sort(keys_.begin(), keys_.end());
  ids_.reserve(ids_.size() + keys_.size());
  for (const uint64_t key : keys_) ids_.push_back(static_cast<int32_t>(key & 0xffffffffu));
  border_ = from;
}

}  // namespace nxs::decode
