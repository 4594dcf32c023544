// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs check: runs recorded objects again and compares what came out.
#include <iostream>
#include <memory>

#include "commands.h"
#include "decode.h"
#include "files.h"
#include "options.h"
#include "output.h"
#include "validators.h"
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

/// What a job decides, whatever the settings: of "nxs.run/1" and "nxs.vote/1".
constexpr const char* kDecided[] = {"tokens",  "text",      "stop",    "answer",  "tie",
                                    "answers", "no_answer", "skipped", "samples", "receipt"};

/// Adds the places where two values differ, as in "samples[2].text". Keys that only one of them has are passed over.
void compare(const Json& recorded, const Json& again, const std::string& place, std::vector<std::string>& differing) {
  if (recorded.is_object() && again.is_object()) {
    for (const auto& [key, value] : again.items()) {
      if (recorded.contains(key))
        compare(recorded.at(key), value, std::string(place).append(".").append(key), differing);
    }
  } else if (recorded.is_array() && recorded.size() == again.size() && !again.empty() && again[0].is_object()) {
    for (size_t i = 0; i < again.size(); ++i) {
      compare(recorded[i], again[i], place + "[" + std::to_string(i) + "]", differing);
    }
  } else if (recorded != again) {
    differing.push_back(place);
  }
}

Json run_again(const nxs_model* model, const Json& record, const CheckOptions& options) {
  const Job job = Job::from_json(record);
  if (job.model_digest != nxs_model_digest(model)) {
    throw std::runtime_error("recorded with another model: " + job.model_digest + ", this one is " +
                             nxs_model_digest(model));
  }
  SessionOptions session_options = options.session;
  session_options.kv = job.kv;
  const Session session = open_session(model, session_options.params());
  if (record.at("schema") == "nxs.vote/1") {
    nxs_vote_params params = vote_params_from_json(record);
    params.max_batch = options.max_batch;
    const Vote vote = decode_vote(session.get(), job, params, options.vote_mode, nullptr, nullptr);
    return vote_json(job, params, vote.get(), {});
  }
  return run_json(job, decode(session.get(), job, options.mode, nullptr, nullptr).get(), 0);
}

/// Runs one record again and prints the verdict on it; returns whether all is the same.
bool check_record(const nxs_model* model, const Json& record, size_t line, const CheckOptions& options) {
  const Json schema = record.value("schema", Json());
  if (schema != "nxs.run/1" && schema != "nxs.vote/1") {
    throw std::runtime_error("not a record of nxs run or nxs vote that this version knows: schema " + dump(schema));
  }
  if (!record.contains("receipt")) throw std::runtime_error("a record without its receipt");
  // Through text, in which bytes that are no UTF-8 have become U+FFFD in the record too.
  const Json again = Json::parse(dump(run_again(model, record, options)));
  std::vector<std::string> differing;
  for (const char* key : kDecided) {
    if (record.contains(key) && again.contains(key)) compare(record.at(key), again.at(key), key, differing);
  }
  const bool same = differing.empty();
  const auto receipt = again.at("receipt").get<std::string>();
  if (options.json) {
    write_line(dump({{"schema", "nxs.check/1"},
                     {"line", line},
                     {"same", same},
                     {"differing", differing},
                     {"receipt", receipt},
                     {"recorded", record.at("receipt")}}));
  } else {
    std::string verdict;
    for (const std::string& place : differing) verdict += (verdict.empty() ? "DIFFERS in " : ", ") + place;
    print("line %zu: %s %s\n", line, same ? "same" : verdict.c_str(), receipt.c_str());
  }
  flush_output();
  return same;
}

/// One record a line; or the whole input is one, over several lines.
class Records {
 public:
  explicit Records(const std::string& path) : name_(path == "-" ? "standard input" : path) {
    if (path == "-") return;
    file_ = open_file(path);
    in_ = &file_;
  }

  bool next(Json& record) {
    std::string text;
    do {
      ++line_;
      if (!std::getline(*in_, text)) return false;
    } while (text.find_first_not_of(" \t\r") == std::string::npos);
    record = Json::parse(text, nullptr, false);
    if (!record.is_object() && first_) {
      text += "\n" + read_all(*in_, name_);
      record = Json::parse(text, nullptr, false);
    }
    if (!record.is_object()) throw std::runtime_error(place() + ": not a JSON object (one record a line)");
    first_ = false;
    return true;
  }

  size_t line() const { return line_; }
  std::string place() const { return name_ + ":" + std::to_string(line_); }

 private:
  std::string name_;
  std::ifstream file_;
  std::istream* in_ = &std::cin;
  size_t line_ = 0;
  bool first_ = true;
};

int run(const CheckOptions& options) {
  Records records(options.records);
  const OpenedModel opened = open_model(options.model, options.session.threads);
  size_t checked = 0, same = 0;
  for (Json record; records.next(record) && !output_failed(); ++checked) {
    try {
      same += check_record(opened.model.get(), record, records.line(), options) ? 1 : 0;
    } catch (const std::exception& e) {
      throw std::runtime_error(records.place() + ": " + e.what());
    }
  }
  if (checked == 0) throw std::runtime_error(options.records + ": no records");
  if (!options.json) {
    fprintf(stderr, "%zu of %s the same\n", same, counted(static_cast<int64_t>(checked), "record").c_str());
  }
  return same < checked ? kRecordsDiffer : kDone;
}

}  // namespace

void add_check(CLI::App& app, int* exit_status) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand(
      "check",
      "Run recorded objects again and compare tokens, texts, stops, answers and receipts (exit 3: they differ)");
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
  add_whole(*command, "--max-batch", options->max_batch, "Most samples in one forward; 0 = as many as the pool holds");
  command->add_flag("--json", options->json, "Print one JSON object a record and nothing else");
  command->final_callback([options, exit_status] { *exit_status = run(*options); });
}

}  // namespace cli
