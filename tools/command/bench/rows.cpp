// SPDX-License-Identifier: Apache-2.0 OR MIT
// What 1 to 16 rows of one sequence cost in one forward, logits of all of them wanted, as a draft's verification does.
#include <array>

#include "bench/bench.h"

namespace cli::bench {

namespace {

constexpr size_t kMostRows = 16;
constexpr size_t kRepeats = 8;  // of each in a round, alternating

/// Seconds of one forward of k rows after `seq`, which is as before afterwards.
double forward_rows(const Seq& seq, size_t k, const std::vector<int32_t>& tokens, std::vector<float>& logits) {
  nxs_seq* const handle = seq.get();
  const int64_t before = nxs_seq_length(handle);
  const auto count = static_cast<int32_t>(k);
  const std::array<uint8_t, kMostRows> want = [] {
    std::array<uint8_t, kMostRows> all{};
    all.fill(1);
    return all;
  }();
  nxs_error error;
  const double time = seconds([&] {
    check(nxs_forward(logits.data(), logits.size(), &handle, &count, 1, tokens.data(), want.data(), &error), error);
  });
  check(nxs_seq_truncate(handle, before, &error), error);
  return time;
}

}  // namespace

/// The last of 16 rows sees `keys` keys.
Round rows_round(const Environment& env) {
  auto logits = std::make_shared<std::vector<float>>(kMostRows * nxs_model_get_info(env.model)->n_vocab);
  return [env, logits](Measures& out) {
    const std::vector<int32_t> tokens = some_tokens(env.model, kMostRows);
    for (const uint32_t keys : env.options.keys) {
      const Seq seq = cached_sequence(env, some_tokens(env.model, keys - kMostRows));
      std::array<double, kMostRows + 1> times{};
      for (size_t repeat = 0; repeat < kRepeats; ++repeat) {
        for (size_t k = 1; k <= kMostRows; ++k) times[k] += forward_rows(seq, k, tokens, *logits);
      }
      for (size_t k = 1; k <= kMostRows; ++k) {
        const std::string name = "rows/" + std::to_string(keys) + "/" + std::to_string(k);
        out.add(name, "ms", times[k] / kRepeats * 1e3);
        if (k > 1) out.add(name + "/ratio", "of one row", times[k] / times[1]);
      }
    }
  };
}

}  // namespace cli::bench
