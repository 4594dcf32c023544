// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "vote_record.h"

#include <algorithm>
#include <cstring>

#include "options.h"
#include "record_field.h"

namespace cli {

namespace {

Json text_or_null(const char* text) {
  return text != nullptr ? Json(text) : Json(nullptr);
}

Json sample_json(const nxs_vote* vote, int32_t sample) {
  const nxs_result* result = nxs_vote_sample(vote, sample);
  size_t n = 0, length = 0;
  const int32_t* tokens = nxs_result_tokens(result, &n);
  const char* text = nxs_result_text(result, &length);
  return {{"tokens", std::vector<int32_t>(tokens, tokens + n)},
          {"text", std::string(text, length)},
          {"answer", text_or_null(nxs_vote_sample_answer(vote, sample))},
          {"stop", stop_name(nxs_result_stats(result)->stop)},
          {"receipt", nxs_result_receipt(result)}};
}

}  // namespace

const std::vector<std::string>& extractor_names() {
  static const std::vector<std::string> names = {"none", "integer", "number", "boxed"};
  return names;
}

uint32_t extractor_number(const std::string& name) {
  const auto& names = extractor_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::runtime_error("vote_params.extract: \"" + name + "\" is no extractor");
  return static_cast<uint32_t>(found - names.begin());
}

Json vote_params_json(const nxs_vote_params& params) {
  return {{"n_samples", params.n_samples},
          {"extract", extractor_names().at(params.extractor)},
          {"seed_stride", params.seed_stride},
          {"early", (params.flags & NXS_VOTE_EARLY) != 0}};
}

nxs_vote_params vote_params_from_json(const Json& record) {
  const Field object = Field(record).at("vote_params");
  nxs_vote_params params;
  nxs_vote_params_init(&params, sizeof params);
  object.at("n_samples").store(params.n_samples, 1U, kMostSamples);
  params.extractor = extractor_number(object.at("extract").text());
  object.at("seed_stride").store(params.seed_stride);
  if (object.at("early").flag()) params.flags |= NXS_VOTE_EARLY;
  return params;
}

Vote decode_vote(nxs_session* session, const Job& job, const nxs_vote_params& params, const std::string& mode,
                 nxs_event_fn on_event, void* user) {
  const Seq seq = new_sequence(session, job.stops);
  const auto run = mode == "reset"   ? nxs_selfconsist_reset
                   : mode == "paged" ? nxs_selfconsist_paged
                                     : nxs_selfconsist_batched;
  nxs_vote* vote = nullptr;
  nxs_error error;
  check(run(&vote, seq.get(), job.prompt.data(), job.prompt.size(), &job.params, &params, on_event, user, &error),
        error);
  return Vote(vote);
}

int32_t first_sample(const nxs_vote* vote, int32_t rank) {
  const char* wanted = nxs_vote_answer(vote, rank);
  for (int32_t s = 0; s < nxs_vote_n_samples(vote); ++s) {
    const char* answer = nxs_vote_sample_answer(vote, s);
    if (answer != nullptr && strcmp(answer, wanted) == 0) return s;
  }
  return -1;
}

int32_t no_answer(const nxs_vote* vote) {
  int32_t n = 0;
  for (int32_t s = 0; s < nxs_vote_n_samples(vote); ++s) n += nxs_vote_sample_answer(vote, s) == nullptr ? 1 : 0;
  return n;
}

Json vote_json(const Job& job, const nxs_vote_params& params, const nxs_vote* vote, const VoteFacts& facts) {
  Json answers = Json::array(), samples = Json::array();
  for (int32_t rank = 0; rank < nxs_vote_n_answers(vote); ++rank) {
    answers.push_back({{"text", nxs_vote_answer(vote, rank)},
                       {"votes", nxs_vote_answer_count(vote, rank)},
                       {"first", first_sample(vote, rank)}});
  }
  for (int32_t s = 0; s < nxs_vote_n_samples(vote); ++s) samples.push_back(sample_json(vote, s));
  Json object = {{"schema", "nxs.vote/1"}};
  object.update(job.to_json());
  object["vote_params"] = vote_params_json(params);
  object["mode"] = facts.mode;
  object["answer"] = text_or_null(nxs_vote_answer(vote, 0));
  object["tie"] = nxs_vote_is_tie(vote) != 0;
  object["answers"] = answers;
  object["no_answer"] = no_answer(vote);
  object["skipped"] = nxs_vote_n_skipped(vote);
  object["samples"] = samples;
  object["stats"] = stats_json(*nxs_vote_stats(vote));
  object["kv_tokens_peak"] = facts.kv_tokens_peak;
  object["load_seconds"] = facts.load_seconds;
  object["receipt"] = nxs_vote_receipt(vote);
  return object;
}

}  // namespace cli
