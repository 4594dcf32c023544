// SPDX-License-Identifier: Apache-2.0 OR MIT
// What prefill, plain and speculative rounds are made of: feeding tokens of one sequence, and taking the tokens that
// rows choose.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decode/output.h"
#include "decode/pace.h"
#include "decode/session.h"
#include "decode/token_sequence.h"

namespace nxs::decode {

/// The counts of nxs_stats, by its rules; accepted and emitted tokens are counted from the output.
struct RunStats {
  int64_t n_prompt = 0, n_reused = 0;  ///< of the prompt so far: n_rows = n_prompt - n_reused + decode rows at any time
  int64_t n_forwards = 0, n_rows = 0, n_drafted = 0;
  double prefill_seconds = 0, decode_seconds = 0, draft_seconds = 0;
  /// How often the draft's token at place j was accepted, and rejected (for tests: each place must have seen both).
  std::vector<int64_t> accepted_at, rejected_at;
};

/// Adds the time it lives to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_;
};

/// One run at work. Between rounds the cache holds all tokens but the last.
struct Round {
  Session& session;
  TokenSequence& sequence;
  const Params& params;  ///< effective
  Output output;
  RunStats stats{};
  std::optional<Pace> pace{};      ///< of an adaptive drafter
  std::vector<model::Row> rows{};  ///< of the last feed
  /// The cache before the run, kept where the run copies a page that others share: failing gives the copy back.
  std::optional<kv::Sequence> shared{};

  /// Fills `shared`. Call it before the cache changes.
  void keep_shared();
  /// Whether the pool holds n more tokens of the sequence; asks for reclaiming first.
  bool has_room(int64_t n);
  /// Pages that feeding the last row once more takes: a copy, where others share the one it lies in.
  size_t pages_to_refeed() const;
  bool has_room_to_refeed();
  /// One forward of `tokens` behind what is cached; the last `wanted` rows want logits.
  void feed(std::span<const int32_t> tokens, size_t wanted);
  /// False when row `row` of the last forward, which has this position, is bad; the run then fails after what was
  /// chosen before.
  bool is_good(size_t row, int64_t position);
  /// The token that row `row` of the last feed's wanted rows chooses to follow the sequence.
  int32_t choose(size_t row);
  /// The same of a row that was kept, or that a shared forward gave.
  int32_t choose(std::span<const float> logits);
  /// Takes a chosen token into sequence and output. False when the run ends with it.
  bool take(int32_t token, bool drafted);
  /// Keeps the digests of wanted rows 0..n-1, which chose the last n tokens, and their log-probabilities if asked for.
  void keep_rows(size_t n);
  /// The same for the last token alone, with a digest that is known.
  void keep_row(std::span<const float> logits, const Digest& digest);
};

}  // namespace nxs::decode
