// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "record.h"

#include <limits>
#include <stdexcept>

#include "record_field.h"

namespace cli {

const char* stop_name(uint32_t stop) {
  switch (stop) {
    case NXS_STOP_TOKEN:
      return "token";
    case NXS_STOP_TEXT:
      return "text";
    case NXS_STOP_MAX_NEW:
      return "max_new";
    case NXS_STOP_CONTEXT:
      return "context";
    case NXS_STOP_KV_FULL:
      return "kv_full";
    case NXS_STOP_CANCELLED:
      return "cancelled";
    default:
      return "unknown";
  }
}

std::string dump(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_utf8(const std::string& text) {
  try {
    (void)Json(text).dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

Json Job::to_json() const {
  return {{"model_digest", model_digest},
          {"kv", kv},
          {"prompt_tokens", prompt},
          {"params",
           {{"flags", params.flags},
            {"max_new", params.max_new},
            {"seed", params.seed},
            {"temperature", params.temperature},
            {"top_p", params.top_p},
            {"min_p", params.min_p},
            {"top_k", params.top_k},
            {"repeat_penalty", params.repeat_penalty},
            {"repeat_last", params.repeat_last}}},
          {"stops", stops}};
}

Job Job::from_json(const Json& object) {
  constexpr float kMostFloat = std::numeric_limits<float>::max();
  const Field record(object), params = record.at("params");
  Job job;
  nxs_decode_params_init(&job.params, sizeof job.params);
  job.model_digest = record.at("model_digest").text();
  job.kv = record.at("kv").text();
  if (job.kv != "f16" && job.kv != "f32") throw std::runtime_error("kv: \"" + job.kv + "\" is neither f16 nor f32");
  for (const Field& token : record.at("prompt_tokens").items()) token.store(job.prompt.emplace_back(), 0);
  for (const Field& stop : record.at("stops").items()) job.stops.push_back(stop.text_not_empty());
  params.at("flags").store(job.params.flags);
  params.at("max_new").store(job.params.max_new, int64_t{-1});
  params.at("seed").store(job.params.seed);
  params.at("temperature").store(job.params.temperature, 0, kMostFloat);
  params.at("top_p").store(job.params.top_p, 0, 1);
  params.at("min_p").store(job.params.min_p, 0, 1);
  params.at("top_k").store(job.params.top_k, 0);
  params.at("repeat_penalty").store(job.params.repeat_penalty, std::numeric_limits<float>::denorm_min(), kMostFloat);
  params.at("repeat_last").store(job.params.repeat_last, 0);
  return job;
}

Json stats_json(const nxs_stats& stats) {
  return {{"n_prompt", stats.n_prompt},
          {"n_reused", stats.n_reused},
          {"n_forwards", stats.n_forwards},
          {"n_rows", stats.n_rows},
          {"n_drafted", stats.n_drafted},
          {"n_accepted", stats.n_accepted},
          {"n_emitted", stats.n_emitted},
          {"prefill_seconds", stats.prefill_seconds},
          {"decode_seconds", stats.decode_seconds},
          {"draft_seconds", stats.draft_seconds}};
}

Json run_json(const Job& job, const nxs_result* result, double load_seconds) {
  size_t n = 0, n_flags = 0, length = 0;
  const int32_t* tokens = nxs_result_tokens(result, &n);
  const uint8_t* flags = nxs_result_flags(result, &n_flags);
  const char* text = nxs_result_text(result, &length);
  const nxs_stats& stats = *nxs_result_stats(result);
  std::string drafted;
  for (size_t i = 0; i < n_flags; ++i) drafted += (flags[i] & NXS_EVENT_DRAFTED) ? '1' : '0';
  Json object = {{"schema", "nxs.run/1"}};
  object.update(job.to_json());
  object["tokens"] = std::vector<int32_t>(tokens, tokens + n);
  object["drafted"] = drafted;
  object["text"] = std::string(text, length);
  object["stop"] = stop_name(stats.stop);
  object["stats"] = stats_json(stats);
  object["load_seconds"] = load_seconds;
  object["receipt"] = nxs_result_receipt(result);
  return object;
}

}  // namespace cli
