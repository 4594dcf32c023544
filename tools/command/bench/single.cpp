// SPDX-License-Identifier: Apache-2.0 OR MIT
// One sequence: opening the model, decoding, prefill.
#include <algorithm>

#include "bench/bench.h"

namespace cli::bench {

Round load_round(const Environment& env) {
  return [&options = env.options](Measures& out) {
    out.add("load", "s", open_model(options.model, options.session.threads).seconds);
  };
}

/// The sequence ends with `keys` tokens. The first new one comes out of the prompt's last row and is not counted.
Round decode_round(const Environment& env) {
  return [env](Measures& out) {
    const nxs_model_info& info = *nxs_model_get_info(env.model);
    const double kv_bytes = static_cast<double>(info.kv_bytes_per_token) * (env.options.session.kv == "f32" ? 2 : 1);
    for (const uint32_t keys : env.options.keys) {
      const int64_t n_prompt = std::max<int64_t>(1, int64_t{keys} - env.options.max_new);
      const Result result = decode_fresh(env, some_tokens(env.model, static_cast<size_t>(n_prompt)),
                                         greedy(int64_t{env.options.max_new} + 1));
      const nxs_stats& stats = *nxs_result_stats(result.get());
      const double rate = static_cast<double>(stats.n_emitted - 1) / stats.decode_seconds;
      const double mean_keys = static_cast<double>(n_prompt) + static_cast<double>(stats.n_emitted) / 2;
      const double read = (static_cast<double>(info.step_bytes) + kv_bytes * mean_keys) * rate / 1e9;
      const std::string name = "decode/" + std::to_string(keys);
      out.add(name, "tokens/s", rate);
      out.add(name + "/read", "GB/s", read);
      out.add(name + "/read/ratio", "of the bandwidth", read / out.last(kBandwidth));
    }
  };
}

Round prefill_round(const Environment& env) {
  return [env](Measures& out) {
    for (const uint32_t keys : env.options.keys) {
      const Result result = decode_fresh(env, some_tokens(env.model, keys), greedy(1));
      const nxs_stats& stats = *nxs_result_stats(result.get());
      out.add("prefill/" + std::to_string(keys), "tokens/s", static_cast<double>(keys) / stats.prefill_seconds);
    }
  };
}

}  // namespace cli::bench
