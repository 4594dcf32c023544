// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "job_options.h"

#include <algorithm>

#include "validators.h"

namespace cli {

void JobOptions::add_to(CLI::App& app) {
  app.add_option("MODEL", model, "A GGUF file")->required();
  prompt.add_to(app, "PROMPT", "The prompt; - or nothing: standard input, every byte, a newline at its end too");
  session.add_to(app);
  session.add_kv_to(app);
  add_whole(app, "-n,--max-new", max_new, "Most tokens to emit; -1 = until a stop", int64_t{-1});
  sampling.add_to(app);
  app.add_option("--stop", stops, "End before this text (repeatable)")->allow_extra_args(false)->check(not_empty());
  auto* raw_flag = app.add_flag("--raw", raw, "Take the prompt as it is, without the chat format");
  app.add_flag("--special", special, "With --raw: control tokens in the text are control tokens")->needs(raw_flag);
  system_option_ = app.add_option("--system", system, "System message of the chat")->excludes(raw_flag);
  app.add_flag("--ignore-stop", ignore_stop, "Emit stop tokens like any other (benchmarks)");
  app.add_flag("--json", json, "Print one JSON object and nothing else");
}

Job JobOptions::job(const nxs_model* opened) const {
  if (json && !std::all_of(stops.begin(), stops.end(), is_utf8)) {
    throw UsageError("--stop: with --json it must be UTF-8; a JSON text holds no other bytes");
  }
  Job job;
  job.model_digest = nxs_model_digest(opened);
  job.kv = session.kv;
  job.stops = stops;
  const std::string text = prompt.read();
  if (raw) {
    job.prompt = tokenize(opened, text, special ? NXS_TEXT_BOS | NXS_TEXT_SPECIAL : NXS_TEXT_BOS);
  } else {
    job.prompt = format_chat(opened, system_option_->count() > 0 ? &system : nullptr, text);
  }
  if (job.prompt.empty()) throw UsageError("the prompt has no tokens");
  nxs_decode_params_init(&job.params, sizeof job.params);
  job.params.max_new = max_new;
  sampling.apply(job.params);
  if (ignore_stop) job.params.flags |= NXS_DECODE_IGNORE_STOP;
  return job;
}

}  // namespace cli
