// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/vote.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "base/digest.h"
#include "base/status.h"

namespace nxs::decode {

std::vector<Ranked> rank(std::span<const Answer> answers) {
  std::vector<Ranked> ranks;
  std::unordered_map<std::string, size_t> place;
  for (size_t s = 0; s < answers.size(); ++s) {
    if (!answers[s]) continue;
    const auto [entry, is_new] = place.try_emplace(*answers[s], ranks.size());
    if (is_new) ranks.push_back({*answers[s], 0, static_cast<int32_t>(s)});
    ++ranks[entry->second].votes;
  }
  // They stand in the order of their first samples.
  std::stable_sort(ranks.begin(), ranks.end(), [](const Ranked& a, const Ranked& b) { return a.votes > b.votes; });
  return ranks;
}

bool is_tie(std::span<const Ranked> ranks) {
  return ranks.size() > 1 && ranks[0].votes == ranks[1].votes;
}

/// All that are left might give one answer: a new one, which loses ties, or one that wins them by its lower sample.
bool is_decided(std::span<const Ranked> ranks, int64_t n_left) {
  if (n_left == 0) return true;
  if (ranks.empty() || n_left > ranks[0].votes) return false;
  return std::none_of(ranks.begin() + 1, ranks.end(), [&](const Ranked& other) {
    const int64_t most = other.votes + n_left;
    return most > ranks[0].votes || (most == ranks[0].votes && other.first < ranks[0].first);
  });
}

int64_t winner_int64(std::span<const Ranked> ranks) {
  if (ranks.empty()) fail(Status::kNoAnswer, "no sample gave an answer");
  const std::string& text = ranks[0].answer;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(Status::kRange, "the answer '%s' is no 64-bit integer", text.c_str());
  return value;
}

std::string vote_receipt(std::span<const std::string> receipts, std::span<const Answer> answers) {
  constexpr std::string_view kTag = "vote";
  Hasher h;
  h.text(kTag.data(), kTag.size());
  h.u64(receipts.size());
  for (size_t s = 0; s < receipts.size(); ++s) {
    h.text(receipts[s].data(), receipts[s].size());
    h.u32(answers[s] ? 1 : 0);
    if (answers[s]) h.text(answers[s]->data(), answers[s]->size());
  }
  return "1:" + h.finish().hex();
}

}  // namespace nxs::decode
