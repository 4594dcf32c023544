// SPDX-License-Identifier: Apache-2.0 OR MIT
// The settings that must not change a bit, as factors with values; and a decode under one choice of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/owners.h"

namespace nxs::test {

/// How a session is opened.
struct SessionSettings {
  uint32_t n_threads = 1, isa = NXS_ISA_BEST, page = 64, chunk = 256, kv = NXS_KV_F16;
  int64_t n_ctx = 0, kv_tokens = 0;
  Session open(const nxs_model* model) const;
};

Seq new_seq(nxs_session* session);

struct Settings {
  uint32_t draft, ngram_max, ngram_min, n_threads, isa, page, chunk, adaptive;
  std::string text() const;  ///< for failure messages
};

/// What plain decoding runs under, the point of comparison.
inline constexpr Settings kBaseline{0, 3, 2, 1, NXS_ISA_BEST, 64, 256, 0};

/// Instruction sets that this CPU and build have.
std::vector<uint32_t> usable_isas(const nxs_model* model);

/// The factors' value counts in the order of `settings_at`.
std::vector<size_t> factor_levels(size_t n_isas);
Settings settings_at(const std::vector<size_t>& values, const std::vector<uint32_t>& isas);
/// Number `index` of the full product, mixed radix in the order of factor_levels.
std::vector<size_t> product_row(size_t index, const std::vector<size_t>& levels);

struct Outcome {
  std::vector<int32_t> tokens;
  std::string receipt;
  int64_t n_drafted, n_accepted, n_emitted, n_rows, n_forwards;
  double decode_seconds;
};

nxs_decode_params greedy(int64_t max_new);

/// Opens sessions as they are needed and keeps one for each (threads, isa, page, chunk, kv).
class Runner {
 public:
  Runner(const nxs_model* model, int64_t n_ctx) : model_(model), n_ctx_(n_ctx) {}
  Outcome plain(const std::vector<int32_t>& prompt, const nxs_decode_params& params, uint32_t kv,
                const Settings& settings = kBaseline);
  Outcome speculative(const std::vector<int32_t>& prompt, const nxs_decode_params& params, uint32_t kv,
                      const Settings& settings);
  /// With the caller's drafter.
  Outcome drafted(const std::vector<int32_t>& prompt, const nxs_decode_params& params, uint32_t kv,
                  const Settings& settings, nxs_drafter* drafter);

 private:
  nxs_session* session(const Settings& settings, uint32_t kv);
  const nxs_model* model_;
  int64_t n_ctx_;
  std::map<std::vector<uint32_t>, Session> sessions_;
};

}  // namespace nxs::test
