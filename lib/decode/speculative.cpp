// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/speculative.h"

#include <algorithm>

#include "base/status.h"

namespace nxs::decode {

namespace {

/// Most tokens of a draft: all of them and one more must fit into what may be emitted; they and the last token into the
/// pool.
size_t draft_room(Round& run, const Drafter& drafter) {
  const auto most = static_cast<size_t>(std::max<int64_t>(run.output.left() - 1, 0));
  size_t k = std::min(drafter.draft_max(), most);
  while (k > 0 && !run.has_room(static_cast<int64_t>(k) + 1)) --k;
  return k;
}

/// [last token, draft...]: what may be fed.
std::vector<int32_t> draft_tokens(Round& run, Drafter& drafter) {
  std::vector<int32_t> fed(run.sequence.tail().begin(), run.sequence.tail().end());
  const size_t room = draft_room(run, drafter);
  if (room == 0) return fed;
  const Stopwatch watch(run.stats.draft_seconds);
  fed.resize(1 + room);
  fed.resize(1 + drafter.draft(run.sequence.tokens, std::span(fed).subspan(1), run.session.caller_word));
  const auto n_vocab = static_cast<int64_t>(run.session.engine.model().config.n_vocab);
  for (const int32_t token : fed) {
    if (token < 0 || token >= n_vocab) {
      fail(Status::kCallback, "drafter: token %d is outside the vocabulary of %lld", token,
           static_cast<long long>(n_vocab));
    }
  }
  return fed;
}

/// Where memory ends within a draft but not before it, the round goes on without a draft, as plain decoding does.
void feed_draft(Round& run, std::vector<int32_t>& fed) {
  try {
    run.feed(fed, fed.size());
  } catch (const Error& error) {
    if (fed.size() == 1 || (error.status != Status::kMemory && error.status != Status::kKvFull)) throw;
    fed.resize(1);
    run.feed(fed, 1);
  }
}

void count(std::vector<int64_t>& histogram, size_t place) {
  if (histogram.size() <= place) histogram.resize(place + 1);
  ++histogram[place];
}

}  // namespace

void speculative_round(Round& run, Drafter& drafter) {
  std::vector<int32_t> fed = draft_tokens(run, drafter);
  const bool drafted = fed.size() > 1;
  const int32_t first = drafted ? fed[1] : -1;
  if (drafted && run.pace) fed.resize(1 + run.pace->length(drafter.evidence(), run.sequence.tokens.size()));
  const int64_t before = run.sequence.cache.length();
  feed_draft(run, fed);
  const size_t k = fed.size() - 1;
  run.stats.n_drafted += static_cast<int64_t>(k);

  // Row j chooses what follows fed[j]. As long as that is the drafted fed[j + 1], row j + 1 is one that plain decoding
  // computes too.
  size_t n = 0, accepted = 0;
  bool first_right = false;
  while (n <= k && run.is_good(n, before + static_cast<int64_t>(n))) {
    const int32_t token = run.choose(n);
    const bool agrees = n < k && token == fed[n + 1];
    if (n < k) count(agrees ? run.stats.accepted_at : run.stats.rejected_at, n);
    accepted += agrees ? 1 : 0;
    if (n == 0) first_right = token == first;
    ++n;
    if (!run.take(token, agrees) || !agrees) break;
  }
  if (drafted && run.pace) run.pace->observe(drafter.evidence(), first_right, k, accepted);
  run.sequence.cache.truncate(before + 1 + static_cast<int64_t>(accepted));
  run.keep_rows(n);
}

}  // namespace nxs::decode
