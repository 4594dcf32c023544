// SPDX-License-Identifier: Apache-2.0 OR MIT
// Forks share the stop strings by pointer; adding one copies the list, so that a fork keeps what it began with.
#include "decode/token_sequence.h"

#include <algorithm>

namespace nxs::decode {

TokenSequence::TokenSequence(kv::PagePool& pool) : cache(pool), stops_(std::make_shared<std::vector<std::string>>()) {}

TokenSequence::TokenSequence(const TokenSequence& parent, int64_t length)
    : cache(parent.cache.fork(std::min(length, parent.cache.length()))),
      tokens(parent.tokens.begin(), parent.tokens.begin() + length),
      stops_(parent.stops_),
      published_(length) {}

void TokenSequence::truncate(int64_t length) noexcept {
  if (cache.length() > length) cache.truncate(length);
  tokens.resize(static_cast<size_t>(length));
  publish(length);
}

void TokenSequence::add_stop(std::string_view text) {
  auto stops = std::make_shared<std::vector<std::string>>(*stops_);
  const auto place = std::lower_bound(stops->begin(), stops->end(), text);
  if (place != stops->end() && *place == text) return;
  stops->insert(place, std::string(text));
  stops_ = std::move(stops);
}

void TokenSequence::clear_stops() {
  stops_ = std::make_shared<std::vector<std::string>>();
}

}  // namespace nxs::decode
