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

/// Holds the sequence and, through it, the session's engine between calls of next(); other runs may use the engine
/// meanwhile.
class Run {
 public:
  /// Appends `prompt` to the sequence. `drafter` NULL: plain decoding. Throws kArgument (no token at all, or one
  /// outside the vocabulary), kContext, kKvFull or kMemory, and then nothing has changed.
  Run(Session& session, std::shared_ptr<TokenSequence> sequence, std::span<const int32_t> prompt, const Params& params,
      std::shared_ptr<Drafter> drafter);
  /// A run that has not ended is cancelled after the last event.
  ~Run();

  /// The next event, borrowed until the next call; NULL after the end. When it throws, the sequence is as before the
  /// run, and each further call throws the same.
  const Event* next();
  /// Ends the run after the last event, if there is anything left of it.
  void cancel() { cancelled_ = true; }
  /// Undoes the run.
  void abandon() noexcept;
  /// Of the events so far; throws what next() has thrown.
  Record record() const;

 private:
  enum class Phase : uint8_t { kPrefill, kDecode, kEnded, kFailed };

  bool cancelled() const { return cancelled_ || round_.session.cancel.load(std::memory_order_relaxed) != 0; }
  void check_prompt(std::span<const int32_t> prompt) const;
  void plan_prefill();
  const Event* advance();
  const Event* prefill();
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
  bool cancelled_ = false;
};

}  // namespace nxs::decode
