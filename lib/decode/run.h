// SPDX-License-Identifier: Apache-2.0 OR MIT
// One run: prefill in chunks, then rounds until there is a reason to stop. It is pulled event by event; pushing is a
// loop over it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "decode/drafter.h"
#include "decode/round.h"
#include "text/utf8_stream.h"

namespace nxs::decode {

struct Event {
  enum class Kind : uint8_t { kToken, kPrefill, kEnd } kind;
  int64_t index;  ///< of the token in its run; prompt tokens in the cache (kPrefill); tokens emitted (kEnd)
  int32_t token;  ///< -1 but for kToken
  bool drafted;
  std::string_view text;   ///< whole characters that are complete now; the unfinished rest (kEnd)
  std::string_view piece;  ///< the token's own bytes
};

/// What is left of a run, independent of sequence and session.
struct Record {
  std::vector<int32_t> tokens;
  std::vector<uint8_t> drafted;  ///< 1 or 0 per token
  std::vector<float> logprobs;   ///< per token, if they were asked for
  std::string text, receipt;
  Stop stop;
  RunStats stats;
  int64_t n_accepted;
};

/// The row of logits after a prompt, kept for runs that begin with it.
struct PromptRow {
  std::vector<float> logits;
  Digest digest;
};

/// Holds the sequence and, through it, the session's engine between calls of next(); other runs may use the engine
/// meanwhile.
class Run {
 public:
  /// Appends `prompt` to the sequence. `drafter` NULL: plain decoding. Throws kArgument (no token at all, or one
  /// outside the vocabulary), kContext, kKvFull or kMemory, and then nothing has changed.
  Run(Session& session, std::shared_ptr<TokenSequence> sequence, std::span<const int32_t> prompt, const Params& params,
      std::shared_ptr<Drafter> drafter);
  /// A run that only takes its prompt in, and keeps the row after it if `params` lets a token be chosen: when
  /// prefilled(), the owner forks the sequence and calls keep_prompt().
  Run(Session& session, std::shared_ptr<TokenSequence> sequence, std::span<const int32_t> prompt, const Params& params,
      PromptRow& keep);
  /// A run on a sequence that is all in the cache, which begins with the row after it. It computes no forward: see
  /// waiting().
  Run(Session& session, std::shared_ptr<TokenSequence> sequence, const Params& params, const PromptRow& row);
  /// A run that has not ended is cancelled after the last event.
  ~Run();

  /// The next event, borrowed until the next call; NULL after the end. When it throws, the sequence is as before the
  /// run, and each further call throws the same.
  const Event* next();
  /// Ends the run after the last event, if there is anything left of it.
  void cancel() { cancelled_ = true; }
  /// Undoes the run.
  void abandon() noexcept;

  /// The whole prompt is in the cache, and nothing is emitted yet.
  bool prefilled() const { return phase_ == Phase::kPrefill && !refeeds_ && sequence_->cache.length() == n_prompt_; }
  /// Pages that the rest of the prompt takes.
  size_t pages_to_prefill() const;
  /// Ends a run that is prefilled: prompt and cache stay.
  void keep_prompt() noexcept { close(Stop::kNone); }
  /// next() gave NULL for want of the row after the last token: take_row(), then go on.
  bool waiting() const { return waiting_ && phase_ == Phase::kDecode; }
  /// next() would throw for a bad row: all that was chosen before it is handed out. Cancelled, the run ends instead.
  bool failing() const { return phase_ == Phase::kDecode && round_.output.failed() && !round_.output.ready(); }
  /// The last forward's row `row` (all its rows were wanted), its digest, and the seconds that it took.
  void take_row(size_t row, const Digest& digest, double seconds);
  const RunStats& stats() const { return round_.stats; }
  /// Of the events so far; throws what next() has thrown.
  Record record() const;

 private:
  enum class Phase : uint8_t { kPrefill, kDecode, kEnded, kFailed };

  bool cancelled() const { return cancelled_ || round_.session.cancel.load(std::memory_order_relaxed) != 0; }
  Run(Session& session, std::shared_ptr<TokenSequence> sequence, size_t n_more, const Params& params);
  void begin(std::span<const int32_t> prompt);
  void begin_receipt();
  void check_prompt(std::span<const int32_t> prompt) const;
  void plan_prefill();
  const Event* advance();
  const Event* prefill();
  void choose_first();
  const Event* decode();
  const Event* deliver();
  const Event* end(Stop reason);
  void close(Stop reason) noexcept;

  std::shared_ptr<TokenSequence> sequence_;
  std::shared_ptr<Drafter> drafter_;
  const int64_t size_before_, cached_before_;
  const Params params_;
  const int64_t n_prompt_;  ///< tokens before the first emitted one
  Round round_;
  std::optional<Hasher> receipt_;  ///< begun
  text::Utf8Stream characters_;
  Event event_{};
  Phase phase_ = Phase::kPrefill;
  Stop stop_ = Stop::kNone;
  Error failure_{Status::kMemory, "the run has failed before: out of memory"};
  PromptRow* keep_ = nullptr;  ///< the run is its prompt alone
  bool refeeds_ = false;       ///< the prompt is in the cache, its last row is still to be fed again
  bool shares_forwards_ = false, waiting_ = false, cancelled_ = false;
};

}  // namespace nxs::decode
