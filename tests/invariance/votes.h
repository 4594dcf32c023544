// SPDX-License-Identifier: Apache-2.0 OR MIT
// Votes under settings that must not change a bit, and single sampled runs to hold their samples against.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/owners.h"

namespace nxs::test {

using VoteFunction = decltype(&nxs_selfconsist_batched);
inline constexpr VoteFunction kVoteModes[] = {nxs_selfconsist_reset, nxs_selfconsist_paged, nxs_selfconsist_batched};

/// One sample, or one single run.
struct Sample {
  std::vector<int32_t> tokens;
  std::string text, receipt, answer;
  bool has_answer = false;
  uint32_t stop = 0;
  bool operator==(const Sample&) const = default;
};

struct Ballot {
  std::vector<Sample> samples;
  int32_t n_skipped = 0;
  std::string winner, receipt;  ///< winner "" without an answer
  double prefill_seconds = 0, decode_seconds = 0;
  int64_t n_emitted = 0;
};

nxs_decode_params sampling(int64_t max_new, int64_t seed, float temperature = 0.7f);
nxs_vote_params vote_of(uint32_t n_samples, uint32_t max_batch = 0, uint32_t flags = 0);

Ballot vote(nxs_session* session, const std::vector<int32_t>& prompt, const nxs_decode_params& params,
            const nxs_vote_params& votes, VoteFunction mode);
/// A plain run with the seed of sample `index`, and its answer.
Sample single(nxs_session* session, const std::vector<int32_t>& prompt, nxs_decode_params params,
              const nxs_vote_params& votes, size_t index);

}  // namespace nxs::test
