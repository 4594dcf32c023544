// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs bench: what this machine makes of a model, all in one run.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "bench/bench.h"
#include "commands.h"

namespace cli {

namespace {

using bench::Environment;
using bench::Options;

struct Group {
  const char* name;
  bench::Round (*make)(const Environment&);
};

// In the order in which a round goes through them.
constexpr Group kGroups[] = {{"load", bench::load_round},     {"bandwidth", bench::bandwidth_round},
                             {"decode", bench::decode_round}, {"prefill", bench::prefill_round},
                             {"rows", bench::rows_round},     {"spec", bench::spec_round},
                             {"batch", bench::batch_round},   {"vote", bench::vote_round}};

bool is_wanted(const Options& options, const std::string& name) {
  const auto has = [&](const char* group) {
    return std::find(options.only.begin(), options.only.end(), group) != options.only.end();
  };
  return options.only.empty() || has(name.c_str()) || (name == "bandwidth" && has("decode"));
}

/// One line on a terminal, drawn over the last.
void progress(const std::string& text) {
  if (isatty(STDERR_FILENO) == 0) return;
  fprintf(stderr, "\r\033[K%s", text.c_str());
  fflush(stderr);
}

bench::Measures measure(const Environment& env) {
  std::vector<std::pair<const char*, bench::Round>> rounds;
  for (const Group& group : kGroups) {
    if (is_wanted(env.options, group.name)) rounds.emplace_back(group.name, group.make(env));
  }
  // Threads, pages and clocks are awake before the first round.
  const uint32_t most_keys = *std::max_element(env.options.keys.begin(), env.options.keys.end());
  bench::plain_decode(env, bench::some_tokens(env.model, most_keys), bench::greedy(8));
  bench::Measures measures;
  for (uint32_t round = 1; round <= env.options.rounds; ++round) {
    for (const auto& [name, once] : rounds) {
      progress("round " + std::to_string(round) + " of " + std::to_string(env.options.rounds) + ": " + name);
      once(measures);
    }
  }
  progress("");
  return measures;
}

Json bench_json(const Environment& env, const nxs_session_info& session, const bench::Measures& measures) {
  const nxs_model_info& info = *nxs_model_get_info(env.model);
  return {{"schema", "nxs.bench/1"},
          {"model", env.options.model},
          {"model_digest", nxs_model_digest(env.model)},
          {"version", nxs_version()},
          {"threads", session.n_threads},
          {"isa", isa_name(session.isa)},
          {"kv", env.options.session.kv},
          {"rounds", env.options.rounds},
          {"max_new", env.options.max_new},
          {"step_bytes", info.step_bytes},
          {"kv_bytes_per_token", info.kv_bytes_per_token},
          {"measures", measures.to_json()}};
}

int run(const Options& options) {
  const OpenedModel opened = open_model(options.model, options.session.threads);
  const Session session = open_session(opened.model.get(), options.session.params());
  nxs_session_info info;
  info.struct_size = sizeof info;
  nxs_error error;
  check(nxs_session_get_info(&info, session.get(), &error), error);
  const Environment env{options, opened.model.get(), session.get(), info.n_threads};
  const bench::Measures measures = measure(env);
  if (options.json) {
    puts(dump(bench_json(env, info, measures)).c_str());
  } else {
    printf("%s: %u threads, %s, %u rounds\n", options.model.c_str(), info.n_threads, isa_name(info.isa),
           options.rounds);
    measures.print();
  }
  return kDone;
}

}  // namespace

void add_bench(CLI::App& app, int* exit_status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("bench", "Measure a model on this machine: medians and ranges of rounds");
  command->add_option("MODEL", options->model, "A GGUF file")->required();
  std::vector<std::string> names;
  for (const Group& group : kGroups) names.emplace_back(group.name);
  command->add_option("WHAT,--only", options->only, "What to measure; nothing = everything")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  options->session.add_to(*command);
  command->add_option("--rounds", options->rounds, "Rounds; each measures everything once")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  const auto add_list = [&](const char* name, std::vector<uint32_t>& list, uint32_t least, const char* help) {
    command->add_option(name, list, help)->delimiter(',')->check(CLI::Range(least, 1U << 20))->capture_default_str();
  };
  add_list("--keys", options->keys, 32, "decode, prefill, rows: lengths of the sequence, as in 256,2048");
  add_list("--sequences", options->sequences, 1, "batch: how many at once");
  add_list("--samples", options->samples, 1, "vote: how many");
  command->add_option("-n,--max-new", options->max_new, "decode, batch, vote: tokens a sequence")
      ->check(CLI::Range(2U, 1U << 20))
      ->capture_default_str();
  command->add_option("-f,--file", options->prompt_file, "spec: the prompt; none = a list to be repeated")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print one JSON object and nothing else");
  command->final_callback([options, exit_status] { *exit_status = run(*options); });
}

}  // namespace cli
