// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/run.h"

#include <algorithm>
#include <utility>

#include "decode/greedy.h"
#include "decode/numeric.h"
#include "decode/speculative.h"

namespace nxs::decode {

namespace {

/// For Pace: quantised weights are unpacked once for all rows, but their products are not free; float weights are bound
/// by memory for longer. A fixed figure for each kind: drafts must not depend on a clock.
double row_cost(const model::Model& model) {
  return tensor::info(model.weights.layers[0].down.view().type).quantized ? 0.11 : 0.06;
}

}  // namespace

Run::Run(Session& session, std::shared_ptr<TokenSequence> sequence, size_t n_more, const Params& params)
    : sequence_(std::move(sequence)),
      size_before_(sequence_->size()),
      cached_before_(sequence_->cache.length()),
      params_(effective(params, static_cast<int64_t>(session.engine.model().config.n_vocab))),
      n_prompt_(size_before_ + static_cast<int64_t>(n_more)),
      round_{session, *sequence_, params_,
             Output(session.engine.model().tokenizer, sequence_->stops(), params_,
                    std::max<int64_t>(session.n_ctx - n_prompt_, 0))} {}

Run::Run(Session& session, std::shared_ptr<TokenSequence> sequence, std::span<const int32_t> prompt,
         const Params& params, std::shared_ptr<Drafter> drafter)
    : Run(session, std::move(sequence), prompt.size(), params) {
  drafter_ = std::move(drafter);
  begin(prompt);
}

Run::Run(Session& session, std::shared_ptr<TokenSequence> sequence, std::span<const int32_t> prompt,
         const Params& params, PromptRow& keep)
    : Run(session, std::move(sequence), prompt.size(), params) {
  keep_ = &keep;
  begin(prompt);
}

Run::Run(Session& session, std::shared_ptr<TokenSequence> sequence, const Params& params, const PromptRow& row)
    : Run(session, std::move(sequence), 0, params) {
  shares_forwards_ = true;
  phase_ = Phase::kDecode;
  round_.stats.n_prompt = round_.stats.n_reused = n_prompt_;
  begin_receipt();
  if (round_.output.left() == 0) return;
  round_.take(round_.choose(row.logits), false);
  round_.keep_row(row.logits, row.digest);
}

void Run::begin(std::span<const int32_t> prompt) {
  check_prompt(prompt);
  Session& session = round_.session;
  const auto n_vocab = static_cast<int32_t>(session.engine.model().config.n_vocab);
  if (drafter_) drafter_->check(n_vocab);
  if (drafter_ && drafter_->adaptive()) {
    const double given = drafter_->row_cost();
    round_.pace.emplace(given > 0 ? given : row_cost(session.engine.model()));
  }
  const size_t verified = 1 + (drafter_ ? drafter_->draft_max() : 0);
  session.engine.reserve(std::max(session.prefill_chunk, verified), verified);
  round_.keep_shared();
  sequence_->tokens.insert(sequence_->tokens.end(), prompt.begin(), prompt.end());
  try {
    plan_prefill();
    begin_receipt();
  } catch (...) {
    abandon();
    throw;
  }
}

void Run::begin_receipt() {
  model::Engine& engine = round_.session.engine;
  receipt_.emplace(decode::begin_receipt(engine.model().digest, engine.pages().layout().f32, sequence_->tokens));
  add_params(*receipt_, params_, sequence_->stops());
}

Run::~Run() {
  if (phase_ == Phase::kPrefill || phase_ == Phase::kDecode) close(Stop::kCancelled);
}

void Run::check_prompt(std::span<const int32_t> prompt) const {
  const size_t n_vocab = round_.session.engine.model().config.n_vocab;
  const int64_t n_ctx = round_.session.n_ctx;
  if (n_prompt_ == 0) fail(Status::kArgument, "prompt: no tokens, and the sequence is empty");
  if (n_prompt_ > n_ctx) {
    fail(Status::kContext, "sequence and prompt have %lld tokens, the context holds %lld",
         static_cast<long long>(n_prompt_), static_cast<long long>(n_ctx));
  }
  for (size_t i = 0; i < prompt.size(); ++i) {
    if (prompt[i] < 0 || static_cast<size_t>(prompt[i]) >= n_vocab) {
      fail(Status::kArgument, "prompt: token %zu is %d, the vocabulary has %zu", i, prompt[i], n_vocab);
    }
  }
}

/// Feeds the tail and the prompt; with neither, and a row to choose from wanted, the last row once more.
void Run::plan_prefill() {
  const int64_t cached = sequence_->cache.length();
  refeeds_ = cached == n_prompt_ && round_.output.left() > 0;
  const bool fits = refeeds_ ? round_.has_room_to_refeed() : round_.has_room(n_prompt_ - cached);
  if (!fits) kv::fail_full(round_.session.engine.pages(), "the prompt needs", pages_to_prefill());
  round_.stats.n_reused = round_.stats.n_prompt = refeeds_ ? n_prompt_ - 1 : cached;
}

size_t Run::pages_to_prefill() const {
  const kv::Sequence& cache = sequence_->cache;
  return refeeds_ ? round_.pages_to_refeed() : cache.pages_needed(n_prompt_ - cache.length());
}

const Event* Run::next() {
  if (phase_ == Phase::kEnded) {
    round_.shared.reset();  // nobody takes the end back any more
    return nullptr;
  }
  if (phase_ == Phase::kFailed) throw failure_;
  try {
    return advance();
  } catch (const Error& error) {
    failure_ = error;
    abandon();
    throw;
  } catch (...) {
    abandon();
    throw;
  }
}

const Event* Run::advance() {
  return phase_ == Phase::kPrefill ? prefill() : decode();
}

const Event* Run::prefill() {
  kv::Sequence& cache = sequence_->cache;
  if (prefilled()) {
    phase_ = Phase::kDecode;
    return decode();
  }
  if (cancelled()) return end(Stop::kCancelled);
  const Stopwatch watch(round_.stats.prefill_seconds);
  if (std::exchange(refeeds_, false)) cache.truncate(n_prompt_ - 1);
  const auto rest = static_cast<size_t>(n_prompt_ - cache.length());
  const size_t n = std::min(rest, round_.session.prefill_chunk);
  const bool chooses = n == rest && round_.output.left() > 0;
  round_.feed(sequence_->tail().first(n), chooses ? 1 : 0);
  round_.stats.n_prompt = cache.length();
  for (size_t i = 0; i < n; ++i) {
    if (!round_.is_good(i, cache.length() - static_cast<int64_t>(n - i)))
      fail_bad_row(round_.session.engine, round_.output.failed_position(), round_.output.failed_layer());
  }
  if (chooses) choose_first();
  event_ = {Event::Kind::kPrefill, cache.length(), -1, false, {}, {}};
  return &event_;
}

void Run::choose_first() {
  sequence_->publish(n_prompt_);
  if (keep_ != nullptr) {
    model::Engine& engine = round_.session.engine;
    const std::span<const float> row = engine.logits(0);
    keep_->logits.assign(row.begin(), row.end());
    const size_t first = 0;
    engine.digest_rows({&first, 1}, &keep_->digest);
    return;
  }
  round_.take(round_.choose(0), false);
  round_.keep_rows(1);
  phase_ = Phase::kDecode;
}

/// Greedy rounds do the same with a forward of their own.
void Run::take_row(size_t row, const Digest& digest, double seconds) {
  waiting_ = false;
  round_.stats.decode_seconds += seconds;
  const Stopwatch watch(round_.stats.decode_seconds);
  ++round_.stats.n_forwards;
  ++round_.stats.n_rows;
  if (!round_.is_good(row, sequence_->size() - 1)) return;
  round_.take(round_.choose(row), false);
  round_.keep_row(round_.session.engine.logits(row), digest);
}

/// The checks stand in the order of Stop. Tokens wait in the output while a round gave several: what is seen outside is
/// the same as if each had come alone.
const Event* Run::decode() {
  Output& output = round_.output;
  while (!output.over()) {
    if (!output.ready() && output.stop() == Stop::kNone && !output.failed() && !round_.has_room(1)) {
      output.finish(Stop::kKvFull);
      continue;
    }
    if (cancelled()) return end(Stop::kCancelled);
    if (output.ready()) return deliver();
    if (output.failed()) fail_bad_row(round_.session.engine, output.failed_position(), output.failed_layer());
    if (output.stop() != Stop::kNone) break;
    if (shares_forwards_) {
      waiting_ = true;
      return nullptr;
    }
    const Stopwatch watch(round_.stats.decode_seconds);
    if (drafter_) {
      speculative_round(round_, *drafter_);
    } else {
      greedy_round(round_);
    }
  }
  return end(output.stop());
}

const Event* Run::deliver() {
  const Output::Token token = round_.output.deliver();
  const auto n = static_cast<int64_t>(round_.output.delivered());
  sequence_->publish(n_prompt_ + n);
  event_ = {Event::Kind::kToken, n - 1, token.id, token.drafted, characters_.push(token.piece), token.piece};
  return &event_;
}

const Event* Run::end(Stop reason) {
  close(reason);
  event_ = {Event::Kind::kEnd, static_cast<int64_t>(round_.output.delivered()), -1, false, characters_.finish(), {}};
  return &event_;
}

/// Leaves prompt and emitted tokens in the sequence, the last of them not in the cache. A run that is cancelled before
/// its first token leaves nothing.
void Run::close(Stop reason) noexcept {
  const auto emitted = static_cast<int64_t>(round_.output.delivered());
  stop_ = reason;
  if (emitted == 0 && reason == Stop::kCancelled) {
    abandon();
  } else {
    const int64_t cached = n_prompt_ + std::max<int64_t>(emitted - 1, 0);
    sequence_->truncate(n_prompt_ + emitted);
    if (sequence_->cache.length() > cached) sequence_->cache.truncate(cached);
  }
  phase_ = Phase::kEnded;
}

void Run::abandon() noexcept {
  if (sequence_->size() > size_before_) sequence_->truncate(size_before_);
  if (round_.shared) {
    sequence_->cache = std::move(*round_.shared);
    round_.shared.reset();
  } else if (sequence_->cache.length() > cached_before_) {
    sequence_->cache.truncate(cached_before_);
  }
  sequence_->publish(size_before_);
  phase_ = Phase::kFailed;
}

Record Run::record() const {
  if (phase_ == Phase::kFailed) throw failure_;
  const Output& output = round_.output;
  Record record{{}, {}, {}, std::string(output.text()), {}, stop_, round_.stats, 0};
  const size_t n = output.delivered();
  record.tokens.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    record.tokens.push_back(output.token(i));
    record.drafted.push_back(output.drafted(i) ? 1 : 0);
    record.n_accepted += output.drafted(i) ? 1 : 0;
  }
  if (params_.logprobs) record.logprobs = output.logprobs();
  const bool consumed = stop_ == Stop::kToken || stop_ == Stop::kText;
  Hasher receipt(*receipt_);
  record.receipt = finish_receipt(receipt, output.receipt_rows(consumed), n).data();
  return record;
}

}  // namespace nxs::decode
