// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs run: one prompt, one continuation.
#include <memory>

#include "commands.h"
#include "decode.h"
#include "interrupt.h"
#include "job_options.h"
#include "output.h"
#include "terminal.h"
#include "validators.h"

namespace cli {

namespace {

struct RunOptions {
  JobOptions job;
  DecodeMode mode;
};

int run(const RunOptions& options) {
  if (options.mode.ngram_min > options.mode.ngram_max) throw UsageError("--ngram-min is above --ngram-max");
  const OpenedModel opened = open_model(options.job.model, options.job.session.threads);
  const Job job = options.job.job(opened.model.get());
  const Session session = open_session(opened.model.get(), options.job.session.params());
  const CancelOnInterrupt cancelling(session.get());
  Terminal terminal;
  terminal.expect_prompt(static_cast<int64_t>(job.prompt.size()));
  const Result result = options.job.json ? decode(session.get(), job, options.mode, nullptr, nullptr)
                                         : decode(session.get(), job, options.mode, Terminal::on_event, &terminal);
  const nxs_stats& stats = *nxs_result_stats(result.get());
  if (options.job.json) {
    write_line(dump(run_json(job, result.get(), opened.seconds)));
  } else {
    terminal.summary(stats, nxs_result_receipt(result.get()));
  }
  return stats.stop == NXS_STOP_CANCELLED ? kCancelled : kDone;
}

}  // namespace

void add_run(CLI::App& app, int* exit_status) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Continue one prompt");
  options->job.add_to(*command);
  command->add_option("--mode", options->mode.name, "How: same tokens, other speed")
      ->check(CLI::IsMember({"plain", "spec"}))
      ->capture_default_str();
  add_whole(*command, "--draft", options->mode.draft,
            "Most tokens in a draft; 0 = never draft. On a terminal the drafted ones are coloured", 0U, 256U);
  add_whole(*command, "--ngram-max", options->mode.ngram_max, "Longest suffix looked up", 1U, 64U);
  add_whole(*command, "--ngram-min", options->mode.ngram_min, "Shortest suffix looked up", 1U, 64U);
  command->add_flag("--fixed-draft", options->mode.fixed_draft, "Verify every draft whole, also while few are right");
  command
      ->add_option("--row-cost", options->mode.row_cost,
                   "Else count a further row of a forward as this share of one; 0 = by the kind of weights")
      ->check(from_0_to_1())
      ->capture_default_str();
  command->final_callback([options, exit_status] { *exit_status = run(*options); });
}

}  // namespace cli
