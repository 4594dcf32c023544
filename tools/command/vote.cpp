// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs vote: one question, several answers, the most frequent one.
#include <memory>

#include "commands.h"
#include "interrupt.h"
#include "job_options.h"
#include "output.h"
#include "validators.h"
#include "vote_record.h"
#include "vote_view.h"

namespace cli {

namespace {

struct VoteOptions {
  JobOptions job;
  std::string mode = "batched", extract = "integer";
  uint32_t samples = 8, max_batch = 0;
  int64_t seed_stride = 7919;
  bool early = false;

  nxs_vote_params params() const {
    nxs_vote_params params;
    nxs_vote_params_init(&params, sizeof params);
    params.n_samples = samples;
    params.extractor = extractor_number(extract);
    params.max_batch = max_batch;
    params.seed_stride = seed_stride;
    if (early) params.flags |= NXS_VOTE_EARLY;
    return params;
  }
};

int64_t kv_tokens_peak(nxs_session* session) {
  nxs_session_info info;
  info.struct_size = sizeof info;
  nxs_error error;
  check(nxs_session_get_info(&info, session, &error), error);
  return info.kv_tokens_peak;
}

int run(const VoteOptions& options) {
  const OpenedModel opened = open_model(options.job.model, options.job.session.threads);
  const Job job = options.job.job(opened.model.get());
  const nxs_vote_params params = options.params();
  const Session session = open_session(opened.model.get(), options.job.session.params());
  const CancelOnInterrupt cancelling(session.get());
  VoteView view(params.n_samples, params.extractor);
  const bool json = options.job.json;
  const Vote vote = decode_vote(session.get(), job, params, options.mode, json ? nullptr : VoteView::on_event,
                                json ? nullptr : &view);
  const int64_t peak = kv_tokens_peak(session.get());
  const char* answer = nxs_vote_answer(vote.get(), 0);
  if (json) {
    write_line(dump(vote_json(job, params, vote.get(), {options.mode, opened.seconds, peak})));
  } else {
    view.summary(vote.get(), peak);
    if (answer != nullptr) write_line(answer);
  }
  if (nxs_vote_stats(vote.get())->stop == NXS_STOP_CANCELLED) return kCancelled;
  return answer == nullptr && params.extractor != NXS_EXTRACT_NONE ? kNoAnswer : kDone;
}

}  // namespace

void add_vote(CLI::App& app, int* exit_status) {
  auto options = std::make_shared<VoteOptions>();
  options->job.sampling.temperature = 0.7f;
  options->job.sampling.top_k = 40;
  CLI::App* command =
      app.add_subcommand("vote", "Draw several answers to one prompt and print the most frequent (exit 4: none)");
  options->job.add_to(*command);
  command->add_option("--mode", options->mode, "How: same samples, other speed")
      ->check(CLI::IsMember({"reset", "paged", "batched"}))
      ->capture_default_str();
  add_whole(*command, "--samples", options->samples, "How many", 1U, kMostSamples);
  command->add_option("--extract", options->extract, "What in a text is its answer")
      ->check(CLI::IsMember({"integer", "number", "boxed", "none"}))
      ->capture_default_str();
  add_whole(*command, "--max-batch", options->max_batch, "Most samples in one forward; 0 = as many as the pool holds");
  add_whole(*command, "--seed-stride", options->seed_stride, "Sample s draws from seed + s times this");
  command->add_flag("--early", options->early, "Stop when the samples left cannot change the winner");
  command->final_callback([options, exit_status] { *exit_status = run(*options); });
}

}  // namespace cli
