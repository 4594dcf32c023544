// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "bench/bench.h"
#include "decode.h"

namespace cli::bench {

std::vector<int32_t> some_tokens(const nxs_model* model, size_t n) {
  std::vector<int32_t> tokens(n);
  uint32_t state = 1;
  for (int32_t& token : tokens) {
    state = state * 1664525U + 1013904223U;
    token = static_cast<int32_t>((state >> 8) % nxs_model_get_info(model)->n_vocab);
  }
  return tokens;
}

Seq cached_sequence(const Environment& env, const std::vector<int32_t>& tokens) {
  Seq seq = new_sequence(env.session, {});
  const nxs_decode_params params = greedy(0);
  nxs_result* result = nullptr;
  nxs_error error;
  check(nxs_plain_decode(&result, seq.get(), tokens.data(), tokens.size(), &params, nullptr, nullptr, &error), error);
  nxs_result_close(result);
  return seq;
}

Seq fork(const Seq& parent) {
  nxs_seq* seq = nullptr;
  nxs_error error;
  check(nxs_seq_fork(&seq, parent.get(), -1, &error), error);
  return Seq(seq);
}

nxs_decode_params greedy(int64_t max_new) {
  nxs_decode_params params;
  nxs_decode_params_init(&params, sizeof params);
  params.max_new = max_new;
  params.flags = NXS_DECODE_IGNORE_STOP;
  return params;
}

Result decode_fresh(const Environment& env, const std::vector<int32_t>& prompt, const nxs_decode_params& params,
                    const char* mode) {
  Job job;
  job.prompt = prompt;
  job.params = params;
  return decode(env.session, job, {mode}, nullptr, nullptr);
}

}  // namespace cli::bench
