// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs bench: what this machine makes of a model, all in one run.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "bench/bench.h"
#include "commands.h"
#include "interrupt.h"
#include "output.h"
#include "validators.h"

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

/// One line on a terminal, drawn over the last; elsewhere a line for each round.
class Progress {
 public:
  /// Number 0 does not count.
  void round(uint32_t number, uint32_t of) {
    text_ = number == 0 ? "warming up" : "round " + std::to_string(number) + " of " + std::to_string(of);
    if (!drawn_) fprintf(stderr, "%s\n", text_.c_str());
  }
  void group(const char* name) const { draw(text_ + ": " + name); }
  void clear() const { draw(""); }

 private:
  void draw(const std::string& text) const {
    if (!drawn_) return;
    fprintf(stderr, "\r\033[K%s", text.c_str());
    fflush(stderr);
  }

  const bool drawn_ = can_draw(STDERR_FILENO);
  std::string text_;
};

struct Measured {
  bench::Measures measures;
  uint32_t n_rounds = 0;  ///< fewer than asked for after Ctrl-C
};

/// Returns false once interrupted, which makes calls fail and results short.
bool measure_round(const std::vector<std::pair<const char*, bench::Round>>& groups, const Progress& progress,
                   bench::Measures& out) {
  for (const auto& [name, once] : groups) {
    progress.group(name);
    try {
      once(out);
    } catch (const std::exception&) {
      if (!interrupted()) throw;
    }
    if (interrupted()) return false;
  }
  return true;
}

Measured measure(const Environment& env) {
  std::vector<std::pair<const char*, bench::Round>> groups;
  for (const Group& group : kGroups) {
    if (is_wanted(env.options, group.name)) groups.emplace_back(group.name, group.make(env));
  }
  Measured done;
  Progress progress;
  // The first round does not count: memory that nobody has touched yet can make it several times slower.
  bench::Measures cold;
  progress.round(0, env.options.rounds);
  measure_round(groups, progress, cold);
  while (done.n_rounds < env.options.rounds && !interrupted()) {
    progress.round(done.n_rounds + 1, env.options.rounds);
    if (measure_round(groups, progress, done.measures)) ++done.n_rounds;
  }
  progress.clear();
  done.measures.keep(done.n_rounds);
  return done;
}

Json bench_json(const Environment& env, const nxs_session_info& session, const Measured& done) {
  const nxs_model_info& info = *nxs_model_get_info(env.model);
  return {{"schema", "nxs.bench/1"},
          {"model", env.options.model},
          {"model_digest", nxs_model_digest(env.model)},
          {"version", nxs_version()},
          {"threads", session.n_threads},
          {"isa", isa_name(session.isa)},
          {"kv", env.options.session.kv},
          {"rounds", done.n_rounds},
          {"max_new", env.options.max_new},
          {"step_bytes", info.step_bytes},
          {"kv_bytes_per_token", info.kv_bytes_per_token},
          {"measures", done.measures.to_json()}};
}

int run(const Options& options) {
  const OpenedModel opened = open_model(options.model, options.session.threads);
  const Session session = open_session(opened.model.get(), options.session.params());
  nxs_session_info info;
  info.struct_size = sizeof info;
  nxs_error error;
  check(nxs_session_get_info(&info, session.get(), &error), error);
  const Environment env{options, opened.model.get(), session.get(), info.n_threads};
  const CancelOnInterrupt cancelling(session.get());
  const Measured done = measure(env);
  if (done.n_rounds == 0) {
    fputs("nxs: cancelled before the first round was done\n", stderr);
    return kCancelled;
  }
  if (options.json) {
    write_line(dump(bench_json(env, info, done)));
  } else {
    print("%s: %s, %s, %s%s\n", options.model.c_str(), counted(info.n_threads, "thread").c_str(), isa_name(info.isa),
          done.n_rounds < options.rounds ? (std::to_string(done.n_rounds) + " of ").c_str() : "",
          counted(options.rounds, "round").c_str());
    done.measures.print();
  }
  return done.n_rounds < options.rounds ? kCancelled : kDone;
}

}  // namespace

void add_bench(CLI::App& app, int* exit_status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "bench", "Measure a model on this machine: medians and ranges of rounds (Ctrl-C: of those done)");
  command->add_option("MODEL", options->model, "A GGUF file")->required();
  std::vector<std::string> names;
  for (const Group& group : kGroups) names.emplace_back(group.name);
  command->add_option("WHAT,--only", options->only, "What to measure, as in decode,prefill; nothing = everything")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(names));
  options->session.add_to(*command);
  options->session.add_kv_to(*command);
  add_whole(*command, "--rounds", options->rounds,
            "Rounds; each measures everything once: half a minute for a model of 100 MB on two idle cores", 1U);
  const auto add_list = [&](const char* name, std::vector<uint32_t>& list, uint32_t least, const char* help) {
    command->add_option(name, list, help)->delimiter(',')->transform(whole(least, 1U << 20))->capture_default_str();
  };
  add_list("--keys", options->keys, 32, "decode, prefill, rows: lengths of the sequence, as in 256,2048");
  add_list("--sequences", options->sequences, 1, "batch: how many at once");
  add_list("--samples", options->samples, 1, "vote: how many");
  add_whole(*command, "-n,--max-new", options->max_new, "decode, batch, vote: tokens a sequence", 2U, 1U << 20);
  command->add_option("-f,--file", options->prompt_file, "spec: the prompt; none = a list to be repeated")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print one JSON object and nothing else");
  command->final_callback([options, exit_status] { *exit_status = run(*options); });
}

}  // namespace cli
