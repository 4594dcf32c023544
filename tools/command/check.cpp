// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs check: runs recorded objects again and compares receipts.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>

#include "commands.h"
#include "decode.h"
#include "options.h"
#include "vote_record.h"

namespace cli {

namespace {

struct CheckOptions {
  std::string model, records;
  SessionOptions session;
  DecodeMode mode;
  std::string vote_mode = "batched";
  uint32_t max_batch = 0;
  bool json = false;
};

struct Verdict {
  std::string expected, got;
  bool same() const { return expected == got; }
};

Verdict check_record(const nxs_model* model, const Json& record, const CheckOptions& options) {
  const Job job = Job::from_json(record);
  if (job.model_digest != nxs_model_digest(model)) {
    throw std::runtime_error("recorded with another model: " + job.model_digest + ", this one is " +
                             nxs_model_digest(model));
  }
  SessionOptions session_options = options.session;
  session_options.kv = job.kv;
  const Session session = open_session(model, session_options.params());
  if (record.at("schema") == "nxs.vote/1") {
    nxs_vote_params params = vote_params_from_json(record.at("vote_params"));
    params.max_batch = options.max_batch;
    const Vote vote = decode_vote(session.get(), job, params, options.vote_mode, nullptr, nullptr);
    return {record.at("receipt").get<std::string>(), nxs_vote_receipt(vote.get())};
  }
  const Result result = decode(session.get(), job, options.mode, nullptr, nullptr);
  return {record.at("receipt").get<std::string>(), nxs_result_receipt(result.get())};
}

void report(size_t line, const Verdict& verdict, bool json) {
  if (json) {
    puts(dump({{"schema", "nxs.check/1"},
               {"line", line},
               {"same", verdict.same()},
               {"receipt", verdict.got},
               {"recorded", verdict.expected}})
             .c_str());
  } else {
    printf("line %zu: %s %s\n", line, verdict.same() ? "same" : "DIFFERS", verdict.got.c_str());
  }
}

int run(const CheckOptions& options) {
  std::ifstream file;
  if (options.records != "-") {
    file.open(options.records, std::ios::binary);
    if (!file) throw std::runtime_error("cannot open " + options.records);
  }
  std::istream& in = options.records == "-" ? std::cin : file;
  const OpenedModel opened = open_model(options.model, options.session.threads);
  size_t line = 0, checked = 0, different = 0;
  for (std::string text; std::getline(in, text);) {
    ++line;
    if (text.empty()) continue;
    Verdict verdict;
    try {
      verdict = check_record(opened.model.get(), Json::parse(text), options);
    } catch (const std::exception& e) {
      throw std::runtime_error(options.records + ":" + std::to_string(line) + ": " + e.what());
    }
    report(line, verdict, options.json);
    ++checked;
    different += verdict.same() ? 0 : 1;
  }
  if (checked == 0) throw std::runtime_error(options.records + ": no records");
  fprintf(stderr, "%zu of %zu receipts are the same\n", checked - different, checked);
  return different ? kReceiptsDiffer : kDone;
}

}  // namespace

void add_check(CLI::App& app, int* exit_status) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Run recorded objects again and compare receipts (exit 3 when they differ)");
  command->add_option("MODEL", options->model, "A GGUF file")->required();
  command
      ->add_option("RECORDS", options->records,
                   "Objects of `nxs run --json` and `nxs vote --json`, one a line; -: standard input")
      ->required();
  options->session.add_to(*command);
  command->add_option("--mode", options->mode.name, "How to run runs")
      ->check(CLI::IsMember({"plain", "spec"}))
      ->capture_default_str();
  command->add_option("--vote-mode", options->vote_mode, "How to run votes")
      ->check(CLI::IsMember({"reset", "paged", "batched"}))
      ->capture_default_str();
  command->add_option("--max-batch", options->max_batch, "Most samples in one forward; 0 = as many as the pool holds")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object a record and nothing else");
  command->final_callback([options, exit_status] { *exit_status = run(*options); });
}

}  // namespace cli
