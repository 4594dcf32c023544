// SPDX-License-Identifier: Apache-2.0 OR MIT
// Votes over tiny models, and the plain runs that they must equal.
#pragma once

#include <doctest/doctest.h>

#include "decode/self_consistency.h"
#include "decode_support.h"

namespace nxs::decode {

inline constexpr VoteMode kModes[] = {VoteMode::kReset, VoteMode::kPaged, VoteMode::kBatched};

inline Params sampled(int64_t max_new, int64_t seed = 5, float temperature = 1.0f) {
  Params params;
  params.max_new = max_new;
  params.sampling.temperature = temperature;
  params.sampling.top_k = 40;
  params.sampling.seed = seed;
  return params;
}

inline VoteParams samples(int32_t n, uint32_t max_batch = 0, bool early = false) {
  VoteParams vote;
  vote.n_samples = n;
  vote.max_batch = max_batch;
  vote.early = early;
  return vote;
}

inline VoteRecord vote_on(Session& session, const std::shared_ptr<TokenSequence>& sequence,
                          std::span<const int32_t> prompt, const Params& params, const VoteParams& vote, VoteMode mode,
                          SelfConsistency::Listener listener = {}) {
  SelfConsistency work(session, sequence, prompt, params, vote, mode, std::move(listener));
  VoteRecord record = work.run();
  work.commit();
  return record;
}

/// The parameters of a plain run that does the same.
inline Params alone(Params params, size_t sample) {
  params.sampling.seed += static_cast<int64_t>(sample) * 7919;
  return params;
}

inline Record single(Rig& rig, std::span<const int32_t> prompt, const Params& params, size_t sample) {
  return rig.run(prompt, alone(params, sample), nullptr);
}

/// Any sample that has a result.
inline Record sample(const VoteRecord& vote, size_t s) {
  return s < vote.samples.size() ? vote.samples[s] : vote.unbegun->record(s);
}

}  // namespace nxs::decode
