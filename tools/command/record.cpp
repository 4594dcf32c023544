// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "record.h"

#include <stdexcept>

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
  Job job;
  nxs_decode_params_init(&job.params, sizeof job.params);
  try {
    object.at("model_digest").get_to(job.model_digest);
    object.at("kv").get_to(job.kv);
    object.at("prompt_tokens").get_to(job.prompt);
    object.at("stops").get_to(job.stops);
    const Json& params = object.at("params");
    params.at("flags").get_to(job.params.flags);
    params.at("max_new").get_to(job.params.max_new);
    params.at("seed").get_to(job.params.seed);
    params.at("temperature").get_to(job.params.temperature);
    params.at("top_p").get_to(job.params.top_p);
    params.at("min_p").get_to(job.params.min_p);
    params.at("top_k").get_to(job.params.top_k);
    params.at("repeat_penalty").get_to(job.params.repeat_penalty);
    params.at("repeat_last").get_to(job.params.repeat_last);
  } catch (const Json::exception& e) {
    throw std::runtime_error(std::string("a record that cannot be run again: ") + e.what());
  }
  if (job.kv != "f16" && job.kv != "f32") throw std::runtime_error("kv: \"" + job.kv + "\" is neither f16 nor f32");
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
