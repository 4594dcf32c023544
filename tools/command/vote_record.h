// SPDX-License-Identifier: Apache-2.0 OR MIT
// What decides a vote, and its JSON object "nxs.vote/1".
#pragma once

#include <string>
#include <vector>

#include "handles.h"
#include "record.h"

namespace cli {

constexpr uint32_t kMostSamples = 1U << 20;

/// The names that --extract takes, by number of NXS_EXTRACT_*.
const std::vector<std::string>& extractor_names();
uint32_t extractor_number(const std::string& name);  ///< of one of them

/// What `vote` beside its Job decides a vote: "vote_params". The batch size is no part of it.
Json vote_params_json(const nxs_vote_params& params);
nxs_vote_params vote_params_from_json(const Json& record);  ///< of the whole record

/// One vote on a new sequence, by "reset", "paged" or "batched". `on_event` may be NULL.
Vote decode_vote(nxs_session* session, const Job& job, const nxs_vote_params& params, const std::string& mode,
                 nxs_event_fn on_event, void* user);

/// Lowest sample that gave the answer of this rank.
int32_t first_sample(const nxs_vote* vote, int32_t rank);
/// Samples with a result and without an answer.
int32_t no_answer(const nxs_vote* vote);

struct VoteFacts {
  std::string mode;
  double load_seconds;
  int64_t kv_tokens_peak;
};
/// The whole "nxs.vote/1" object.
Json vote_json(const Job& job, const nxs_vote_params& params, const nxs_vote* vote, const VoteFacts& facts);

}  // namespace cli
