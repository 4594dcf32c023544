// SPDX-License-Identifier: Apache-2.0 OR MIT
// Where n-grams stand in a growing list of tokens: for each length a hash table of chains, newest first. A hash only
// proposes; the tokens themselves are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nxs::decode {

class NgramIndex {
 public:
  /// Indexes lengths shortest..longest, 1 <= shortest <= longest.
  NgramIndex(size_t shortest, size_t longest);

  /// Stands between texts: no n-gram with it is ever found.
  static constexpr int32_t kBorder = -1;
  static constexpr size_t kNone = SIZE_MAX;

  std::span<const int32_t> tokens() const { return tokens_; }
  void append(std::span<const int32_t> tokens);
  /// Forgets all tokens from `length` on.
  void rewind(size_t length) noexcept;

  /// The last position p at which `gram` (of an indexed length) stands and is followed by a token: p + gram.size() <
  /// tokens().size(). With `before`, which is such a position itself: the last one before it.
  size_t find(std::span<const int32_t> gram, size_t before = kNone) const;

 private:
  /// One length: `head` by bucket and `previous` by position hold position + 1, 0 for none.
  struct Level {
    size_t length;
    std::vector<uint32_t> head, previous;
  };

  void insert(Level& level, size_t position);
  void rebuild(size_t buckets);
  size_t bucket(const Level& level, const int32_t* gram) const;

  std::vector<int32_t> tokens_;
  std::vector<Level> levels_;
};

}  // namespace nxs::decode
