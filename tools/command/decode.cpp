// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode.h"

#include "options.h"

namespace cli {

Result decode(nxs_session* session, const Job& job, const DecodeMode& mode, nxs_event_fn on_event, void* user) {
  const Seq seq = new_sequence(session, job.stops);
  nxs_error error;
  nxs_result* result = nullptr;
  if (mode.name == "plain") {
    check(
        nxs_plain_decode(&result, seq.get(), job.prompt.data(), job.prompt.size(), &job.params, on_event, user, &error),
        error);
    return Result(result);
  }
  nxs_lookup_params params;
  nxs_lookup_params_init(&params, sizeof params);
  params.draft_max = mode.draft;
  params.ngram_max = mode.ngram_max;
  params.ngram_min = mode.ngram_min;
  params.adaptive = mode.fixed_draft ? 0 : 1;
  params.row_cost = mode.row_cost;
  nxs_drafter* lookup = nullptr;
  check(nxs_drafter_lookup(&lookup, &params, &error), error);
  const Drafter drafter(lookup);
  check(nxs_spec_decode(&result, seq.get(), job.prompt.data(), job.prompt.size(), &job.params, lookup, on_event, user,
                        &error),
        error);
  return Result(result);
}

}  // namespace cli
