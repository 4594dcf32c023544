// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs run: one prompt, one continuation.
#include <csignal>
#include <cstdio>
#include <memory>

#include "commands.h"
#include "decode.h"
#include "options.h"
#include "terminal.h"

namespace cli {

namespace {

struct RunOptions {
  std::string model, system;
  TextInput prompt;
  SessionOptions session;
  DecodeMode mode;
  std::vector<std::string> stops;
  SamplingOptions sampling;
  int64_t max_new = 256;
  bool raw = false, special = false, json = false, has_system = false, ignore_stop = false;
};

nxs_session* interrupted_session = nullptr;  // what Ctrl-C cancels; nxs_session_cancel is legal in a signal handler

/// The first Ctrl-C ends the run and keeps what it has; a second one ends the process.
void cancel_on_interrupt(nxs_session* session) {
  interrupted_session = session;
  struct sigaction action = {};
  action.sa_handler = [](int) { nxs_session_cancel(interrupted_session, 1); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

std::vector<int32_t> prompt_tokens(const nxs_model* model, const RunOptions& options) {
  const std::string text = options.prompt.read();
  if (options.raw) {
    return tokenize(model, text, options.special ? NXS_TEXT_BOS | NXS_TEXT_SPECIAL : NXS_TEXT_BOS);
  }
  return format_chat(model, options.has_system ? &options.system : nullptr, text);
}

int run(const RunOptions& options) {
  if (options.mode.ngram_min > options.mode.ngram_max) throw UsageError("--ngram-min is above --ngram-max");
  const OpenedModel opened = open_model(options.model, options.session.threads);
  Job job;
  job.model_digest = nxs_model_digest(opened.model.get());
  job.kv = options.session.kv;
  job.prompt = prompt_tokens(opened.model.get(), options);
  job.stops = options.stops;
  nxs_decode_params_init(&job.params, sizeof job.params);
  job.params.max_new = options.max_new;
  options.sampling.apply(job.params);
  if (options.ignore_stop) job.params.flags |= NXS_DECODE_IGNORE_STOP;

  const Session session = open_session(opened.model.get(), options.session.params());
  cancel_on_interrupt(session.get());
  Terminal terminal;
  terminal.expect_prompt(static_cast<int64_t>(job.prompt.size()));
  const Result result = options.json ? decode(session.get(), job, options.mode, nullptr, nullptr)
                                     : decode(session.get(), job, options.mode, Terminal::on_event, &terminal);
  const nxs_stats& stats = *nxs_result_stats(result.get());
  if (options.json) {
    puts(dump(run_json(job, result.get(), opened.seconds)).c_str());
  } else {
    terminal.summary(stats, nxs_result_receipt(result.get()));
  }
  return stats.stop == NXS_STOP_CANCELLED ? kCancelled : kDone;
}

}  // namespace

void add_run(CLI::App& app, int* exit_status) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Continue one prompt");
  command->add_option("MODEL", options->model, "A GGUF file")->required();
  options->prompt.add_to(*command, "PROMPT", "The prompt; - or nothing: standard input");
  options->session.add_to(*command);
  command->add_option("--mode", options->mode.name, "How: same tokens, other speed")
      ->check(CLI::IsMember({"plain", "spec"}))
      ->capture_default_str();
  command->add_option("-n,--max-new", options->max_new, "Most tokens to emit; -1 = until a stop")
      ->capture_default_str();
  options->sampling.add_to(*command);
  command->add_option("--draft", options->mode.draft, "Most tokens in a draft; 0 = never draft")->capture_default_str();
  command->add_option("--ngram-max", options->mode.ngram_max, "Longest suffix looked up")->capture_default_str();
  command->add_option("--ngram-min", options->mode.ngram_min, "Shortest suffix looked up")->capture_default_str();
  command->add_flag("--fixed-draft", options->mode.fixed_draft, "Verify every draft whole, also while few are right");
  command->add_option("--stop", options->stops, "End before this text (repeatable)")->allow_extra_args(false);
  auto* raw = command->add_flag("--raw", options->raw, "Take the prompt as it is, without the chat format");
  command->add_flag("--special", options->special, "With --raw: control tokens in the text are control tokens")
      ->needs(raw);
  auto* system = command->add_option("--system", options->system, "System message of the chat")->excludes(raw);
  command->add_flag("--ignore-stop", options->ignore_stop, "Emit stop tokens like any other (benchmarks)");
  command->add_flag("--json", options->json, "Print one JSON object and nothing else");
  command->final_callback([options, system, exit_status] {
    options->has_system = system->count() > 0;
    *exit_status = run(*options);
  });
}

}  // namespace cli
