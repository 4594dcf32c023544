// SPDX-License-Identifier: Apache-2.0 OR MIT
// One loop for all three ways: lanes begin while there is room, hand out what they have, and wait for one forward
// together. Paged is a batch of one; reset is that, with the prompt taken in again for each sample.
#include "decode/self_consistency.h"

#include <algorithm>

namespace nxs::decode {

SelfConsistency::SelfConsistency(Session& session, std::shared_ptr<TokenSequence> sequence,
                                 std::span<const int32_t> prompt, const Params& params, const VoteParams& vote,
                                 VoteMode mode, Listener listener)
    : session_(session),
      sequence_(std::move(sequence)),
      prompt_(prompt.begin(), prompt.end()),
      n_before_(sequence_->size()),
      params_(params),
      vote_(vote),
      mode_(mode),
      listener_(std::move(listener)) {
  begin_prompt(0);
  check_room();
}

Params SelfConsistency::params_of(size_t sample) const {
  Params params = params_;
  params.sampling.seed = seed_of(params.sampling.seed, vote_.seed_stride, sample);
  return params;
}

void SelfConsistency::begin_prompt(size_t sample) {
  root_ = std::make_unique<Run>(session_, sequence_, prompt_, params_of(sample), row_);
}

/// Pages that a sample may come to own: those from the prompt's last, partly filled one on.
size_t SelfConsistency::pages_of_sample() const {
  const auto page = static_cast<int64_t>(session_.engine.pages().layout().page_tokens);
  const int64_t n_prompt = sequence_->size(), left = session_.n_ctx - n_prompt;
  const int64_t most = params_.max_new < 0 ? left : std::min(left, params_.max_new);
  if (most == 0) return 0;
  return static_cast<size_t>((n_prompt + most + page - 1) / page - n_prompt / page);
}

/// Prompt and one sample must fit, before anything is computed.
void SelfConsistency::check_room() const {
  const kv::PagePool& pool = session_.engine.pages();
  if (root_->pages_to_prefill() + pages_of_sample() > pool.available()) session_.reclaim();
  const size_t needed = root_->pages_to_prefill() + pages_of_sample();
  if (needed > pool.available()) kv::fail_full(pool, "prompt and one sample need", needed);
}

/// Each lane has all the pages it may need set aside, so that no sample ends for want of one.
size_t SelfConsistency::most_lanes() const {
  if (mode_ != VoteMode::kBatched) return 1;
  const size_t most = vote_.max_batch == 0 ? kMostLanes : vote_.max_batch, own = pages_of_sample();
  return own == 0 ? most : std::clamp<size_t>(session_.engine.pages().available() / own, 1, most);
}

void SelfConsistency::tell(size_t sample, const Event& event) {
  if (event.kind == Event::Kind::kToken) ++n_emitted_;
  if (!listener_) return;
  const int32_t answer = listener_(static_cast<int32_t>(sample), event);
  if (answer < 0) fail(Status::kCallback, "on_event returned %d", answer);
  if (answer > 0) cancelled_ = true;
}

/// Also when the session's flag is up; it may be lowered again before every lane has seen it.
bool SelfConsistency::over() {
  if (session_.cancel.load(std::memory_order_relaxed) != 0) cancelled_ = true;
  return decided_ || cancelled_;
}

/// False when the vote was cancelled on the way.
bool SelfConsistency::prefill(size_t sample) {
  while (!root_->prefilled()) {
    if (cancelled_) root_->cancel();
    const Event& event = *root_->next();
    tell(sample, event);
    if (event.kind != Event::Kind::kEnd) continue;
    ended_.emplace_back(root_->record());
    cancelled_ = true;
    return false;
  }
  return true;
}

/// Hands out what the lane has. Afterwards it waits for a row, or it has ended and its record is there. One that has
/// met a bad row stays until it may fail, or is cancelled.
void SelfConsistency::pump(Lane& lane, bool may_fail) {
  for (;;) {
    if (over()) {
      lane.run.cancel();
    } else if (lane.run.failing() && !may_fail) {
      return;
    }
    const Event* event = lane.run.next();
    if (event == nullptr) break;
    tell(lane.sample, *event);
  }
  if (!lane.run.waiting()) ended_[lane.sample] = lane.run.record();
}

/// Lets all lanes hand out, and takes those that have ended off the list.
void SelfConsistency::pump_all() {
  for (const auto& lane : lanes_) {
    pump(*lane, false);
    std::optional<Record>& record = ended_[lane->sample];
    if (!record || mode_ != VoteMode::kReset) continue;
    // In this mode the prompt was computed for this sample alone.
    const RunStats& prompt = root_->stats();
    RunStats& stats = record->stats;
    stats.n_reused = prompt.n_reused;
    stats.n_forwards += prompt.n_forwards;
    stats.n_rows += prompt.n_rows;
    stats.prefill_seconds = prompt.prefill_seconds;
  }
  std::erase_if(lanes_, [this](const auto& lane) { return ended_[lane->sample].has_value(); });
}

/// Counts samples in their order as far as they have ended, so that what is decided, and when, is the same in all three
/// modes.
void SelfConsistency::settle() {
  while (!decided_ && tally_.size() < ended_.size() && ended_[tally_.size()]) {
    const Record& record = *ended_[tally_.size()];
    tally_.add(record.stop == Stop::kCancelled ? Answer() : extract(vote_.extractor, record.text));
    if (!vote_.early || cancelled_) continue;
    decided_ = tally_.is_decided(vote_.n_samples - static_cast<int64_t>(tally_.size()));
  }
}

/// One forward for all lanes that wait, a row each. When the first lane fails, all samples before it have ended: a vote
/// fails as single runs in their order do.
void SelfConsistency::round() {
  if (lanes_.front()->run.failing()) return pump(*lanes_.front(), true);
  std::vector<Lane*> waiting;
  std::vector<kv::Sequence*> caches;
  std::vector<model::Row> rows;
  std::vector<size_t> wanted;
  for (const auto& lane : lanes_) {
    if (!lane->run.waiting()) continue;
    waiting.push_back(lane.get());
    TokenSequence& sequence = *lane->sequence;
    rows.push_back({sequence.tail()[0], static_cast<uint32_t>(rows.size()), sequence.cache.length(), true});
    wanted.push_back(wanted.size());
    caches.push_back(&sequence.cache);
  }
  const Stopwatch watch(stats_.decode_seconds);
  std::vector<Digest> digests(rows.size());
  double seconds = 0;
  {
    const Stopwatch forward(seconds);
    session_.engine.forward(caches, rows);
    session_.engine.digest_rows(wanted, digests.data());
  }
  ++stats_.n_forwards;
  stats_.n_rows += static_cast<int64_t>(rows.size());
  for (size_t i = 0; i < waiting.size(); ++i) waiting[i]->run.take_row(i, digests[i], seconds);
}

/// Samples first..last-1 over the prompt that root_ has taken in.
void SelfConsistency::run_samples(size_t first, size_t last) {
  const size_t most = most_lanes();
  do {
    while (lanes_.size() < most && first < last) {
      auto fork = std::make_shared<TokenSequence>(*sequence_, sequence_->size());
      ended_.emplace_back();
      lanes_.push_back(std::make_unique<Lane>(first, fork, session_, params_of(first), row_));
      ++first;
    }
    pump_all();
    settle();
    if (!lanes_.empty() && !over()) round();
  } while (!over() && (!lanes_.empty() || first < last));
  // Cancelled or not needed: told so, each with a last event.
  pump_all();
  lanes_.clear();
}

void SelfConsistency::count(const RunStats& prompt) {
  stats_.n_prompt = prompt.n_prompt;
  stats_.n_reused = prompt.n_reused;
  stats_.n_forwards += prompt.n_forwards;
  stats_.n_rows += prompt.n_rows;
  stats_.prefill_seconds += prompt.prefill_seconds;
}

std::unique_ptr<Unbegun> SelfConsistency::unbegun() const {
  std::vector<int32_t> before(sequence_->tokens.begin(), sequence_->tokens.begin() + n_before_);
  before.insert(before.end(), prompt_.begin(), prompt_.end());
  return std::make_unique<Unbegun>(session_, before, sequence_->stops(), params_, vote_.seed_stride, stats_.n_reused);
}

VoteRecord SelfConsistency::run() {
  const auto n = static_cast<size_t>(vote_.n_samples);
  const size_t group = mode_ == VoteMode::kReset ? 1 : n;
  for (size_t first = 0; first < n; first += group) {
    if (first > 0) {
      root_.reset();
      begin_prompt(first);
    }
    if (prefill(first)) run_samples(first, first + group);
    count(root_->stats());
    if (over()) break;
  }
  settle();

  VoteRecord record;
  for (size_t s = 0; s < tally_.size(); ++s) {
    record.samples.push_back(std::move(*ended_[s]));
    if (record.samples[s].stop == Stop::kCancelled) record.stop = Stop::kCancelled;
  }
  if (!decided_ && tally_.size() < n) {
    record.unbegun = unbegun();
    record.stop = Stop::kCancelled;
    while (tally_.size() < n) tally_.add({});
  }
  record.n_skipped = vote_.n_samples - static_cast<int32_t>(tally_.size());
  record.tally = std::move(tally_);
  record.stats = stats_;
  undone_ = record.stop == Stop::kCancelled && n_emitted_ == 0;
  return record;
}

/// Where the last prompt was cancelled half-way its tokens stay, for another run to take in; there is room, they have
/// been there before.
void SelfConsistency::commit() noexcept {
  if (undone_) return;
  if (root_->prefilled()) return root_->keep_prompt();
  sequence_->tokens.insert(sequence_->tokens.end(), prompt_.begin(), prompt_.end());
  sequence_->publish(sequence_->size());
}

}  // namespace nxs::decode
