// SPDX-License-Identifier: Apache-2.0 OR MIT
// A sequence as its user sees it: tokens, and how many of them are in the cache. Tokens behind those (the tail) are fed
// by whatever runs next; after a run the tail is the last emitted token.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kv/sequence.h"

namespace nxs::decode {

/// Stop strings, sorted by bytes and each once; shared by forks, replaced (never changed) when one is added.
using StopStrings = std::shared_ptr<const std::vector<std::string>>;

class TokenSequence {
 public:
  explicit TokenSequence(kv::PagePool& pool);
  /// The first `length` tokens of `parent`, 0 <= length <= its length: pages and stop strings are shared, nothing is
  /// computed.
  TokenSequence(const TokenSequence& parent, int64_t length);

  kv::Sequence cache;           ///< keys and values of the first cache.length() tokens
  std::vector<int32_t> tokens;  ///< never shorter than the cache, except within a forward

  int64_t size() const { return static_cast<int64_t>(tokens.size()); }
  std::span<const int32_t> tail() const { return std::span(tokens).subspan(static_cast<size_t>(cache.length())); }
  const StopStrings& stops() const { return stops_; }

  /// Cuts tokens and cache; 0 <= length <= size(). Never fails.
  void truncate(int64_t length) noexcept;
  /// `text` is not empty.
  void add_stop(std::string_view text);
  void clear_stops();

  /// The length that other threads see: a run publishes what it has delivered, not what it has computed.
  int64_t published() const { return published_.load(std::memory_order_relaxed); }
  void publish(int64_t length) noexcept { published_.store(length, std::memory_order_relaxed); }

 private:
  StopStrings stops_;
  std::atomic<int64_t> published_{0};
};

}  // namespace nxs::decode
