// SPDX-License-Identifier: Apache-2.0 OR MIT
// Self-consistency: samples of one prompt and a vote. A sample is a plain run with a seed of its own; the three ways of
// computing samples differ in speed and memory alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "decode/answer.h"
#include "decode/run.h"
#include "decode/unbegun.h"
#include "decode/vote.h"

namespace nxs::decode {

enum class VoteMode {
  kReset,   ///< the prompt is computed again for each sample
  kPaged,   ///< once; forks of it decode one after another
  kBatched  ///< once; each forward takes all forks that are running one token further
};

struct VoteParams {
  int32_t n_samples = 8;
  Extractor extractor = Extractor::kLastInteger;
  uint32_t max_batch = 0;  ///< most samples in one forward; 0: SelfConsistency::kMostLanes
  int64_t seed_stride = 7919;
  bool early = false;
};

/// What is left of a vote.
struct VoteRecord {
  std::vector<Record> samples;       ///< those that began; of all that are needed the first ones
  std::unique_ptr<Unbegun> unbegun;  ///< the rest of those, when the vote was cancelled
  Tally tally;                       ///< answers of both; a cancelled sample has none
  int32_t n_skipped = 0;             ///< not needed, they are the last
  Stop stop = Stop::kNone;           ///< or kCancelled
  RunStats stats;                    ///< of the whole call, what was computed for skipped samples included
};

class SelfConsistency {
 public:
  static constexpr uint32_t kMostLanes = 256;

  /// < 0: fail with kCallback; > 0: cancel all samples after this event.
  using Listener = std::function<int32_t(int32_t sample, const Event& event)>;

  /// Appends `prompt` to the sequence. Throws as Run's constructor does; kKvFull also when prompt and one whole sample
  /// do not fit. `listener` may be empty.
  SelfConsistency(Session& session, std::shared_ptr<TokenSequence> sequence, std::span<const int32_t> prompt,
                  const Params& params, const VoteParams& vote, VoteMode mode, Listener listener);

  /// The whole vote, once. Events of a sample come in the order of a single run, those of several samples mixed; a
  /// sample that has begun ends with kEnd.
  VoteRecord run();
  /// Leaves prefix and prompt in the sequence, unless the vote was cancelled before its first token. Without it the
  /// sequence is as before.
  void commit() noexcept;

 private:
  /// A sample that is running, on a fork of its own.
  struct Lane {
    Lane(size_t index, std::shared_ptr<TokenSequence> fork, Session& session, const Params& params,
         const PromptRow& row)
        : sample(index), sequence(std::move(fork)), run(session, sequence, params, row) {}
    size_t sample;
    std::shared_ptr<TokenSequence> sequence;
    Run run;
  };
  Params params_of(size_t sample) const;
  void begin_prompt(size_t sample);
  size_t pages_of_sample() const;
  void check_room() const;
  size_t most_lanes() const;
  void tell(size_t sample, const Event& event);
  bool over();
  bool prefill(size_t sample);
  void pump(Lane& lane, bool may_fail);
  void pump_all();
  void settle();
  void round();
  void run_samples(size_t first, size_t last);
  void count(const RunStats& prompt);
  std::unique_ptr<Unbegun> unbegun() const;

  Session& session_;
  const std::shared_ptr<TokenSequence> sequence_;
  const std::vector<int32_t> prompt_;
  const int64_t n_before_;  ///< tokens of the sequence before the prompt
  const Params params_;
  const VoteParams vote_;
  const VoteMode mode_;
  const Listener listener_;

  PromptRow row_;
  std::unique_ptr<Run> root_;                 ///< takes the prompt into the sequence, and away again
  std::vector<std::unique_ptr<Lane>> lanes_;  ///< in ascending order
  std::vector<std::optional<Record>> ended_;  ///< of each sample that has begun, once it has ended
  Tally tally_;                               ///< answers of the samples 0..n-1 that have all ended
  int64_t n_emitted_ = 0;
  bool decided_ = false, cancelled_ = false, undone_ = false;
  RunStats stats_;  ///< of the whole call
};

}  // namespace nxs::decode
