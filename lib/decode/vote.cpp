// SPDX-License-Identifier: Apache-2.0 OR MIT
// A change costs the same however many samples there are. Ranks are asked for less often than answers are set, so they
// are made then, in room that the change has made.
#include "decode/vote.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/status.h"

namespace nxs::decode {

namespace {

bool is_before(const Ranked* a, const Ranked* b) {
  return a->votes != b->votes ? a->votes > b->votes : a->first < b->first;
}

}  // namespace

/// A new answer has no votes yet.
Ranked* Tally::entry_of(const Answer& answer, size_t sample) {
  if (!answer) return nullptr;
  if (const auto found = entries_.find(*answer); found != entries_.end()) return found->second.get();
  if (ranks_.capacity() == entries_.size()) ranks_.reserve(2 * entries_.size() + 1);
  auto entry = std::make_unique<Ranked>(Ranked{*answer, 0, static_cast<int32_t>(sample)});
  Ranked* const added = entry.get();
  entries_.emplace(std::string_view(added->answer), std::move(entry));
  return added;
}

/// Votes only grow here, so the best two are among those that were it and the one that grew.
void Tally::add(const Answer& answer) {
  Ranked* const entry = of_sample_.emplace_back(entry_of(answer, of_sample_.size()));
  sorted_ = false;
  if (entry == nullptr) return;
  ++entry->votes;
  if (entry == best_[0]) return;
  if (best_[0] == nullptr || is_before(entry, best_[0])) {
    best_ = {entry, best_[0]};
  } else if (best_[1] == nullptr || is_before(entry, best_[1])) {
    best_[1] = entry;
  }
}

void Tally::set(size_t sample, const Answer& answer) {
  Ranked* const entry = entry_of(answer, sample);
  Ranked* const old = std::exchange(of_sample_[sample], entry);
  if (entry != nullptr) ++entry->votes;
  if (old != nullptr && --old->votes == 0) entries_.erase(entries_.find(old->answer));
  sorted_ = false;
}

const std::string* Tally::answer(size_t sample) const {
  return of_sample_[sample] != nullptr ? &of_sample_[sample]->answer : nullptr;
}

std::span<const Ranked* const> Tally::ranks() noexcept {
  if (sorted_) return ranks_;
  for (size_t s = of_sample_.size(); s-- > 0;) {
    if (of_sample_[s] != nullptr) of_sample_[s]->first = static_cast<int32_t>(s);
  }
  ranks_.clear();
  for (const auto& [answer, entry] : entries_) ranks_.push_back(entry.get());
  std::sort(ranks_.begin(), ranks_.end(), is_before);
  sorted_ = true;
  return ranks_;
}

/// All that are left might give one answer: a new one, which loses ties, or one that wins them by its lower sample. If
/// any answer can become first that way, the second can.
bool Tally::is_decided(int64_t n_left) const {
  if (n_left == 0) return true;
  const auto [first, second] = best_;
  if (first == nullptr || n_left > first->votes) return false;
  if (second == nullptr) return true;
  const int64_t most = second->votes + n_left;
  return most < first->votes || (most == first->votes && first->first < second->first);
}

bool is_tie(std::span<const Ranked* const> ranks) {
  return ranks.size() > 1 && ranks[0]->votes == ranks[1]->votes;
}

int64_t winner_int64(std::span<const Ranked* const> ranks) {
  if (ranks.empty()) fail(Status::kNoAnswer, "no sample gave an answer");
  const std::string& text = ranks[0]->answer;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(Status::kRange, "the answer '%s' is no 64-bit integer", text.c_str());
  return value;
}

void VoteReceipt::begin(size_t n_samples) noexcept {
  constexpr std::string_view kTag = "vote";
  hasher_.reset();
  hasher_.text(kTag.data(), kTag.size());
  hasher_.u64(n_samples);
}

void VoteReceipt::add(std::string_view receipt, const std::string* answer) noexcept {
  hasher_.text(receipt.data(), receipt.size());
  hasher_.u32(answer != nullptr ? 1 : 0);
  if (answer != nullptr) hasher_.text(answer->data(), answer->size());
}

}  // namespace nxs::decode
