// SPDX-License-Identifier: Apache-2.0 OR MIT
// The JSON objects that the command prints with --json and reads again in `nxs check`. One object per line; keys are
// only ever added.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "nxs.h"

namespace cli {

using Json = nlohmann::ordered_json;

const char* stop_name(uint32_t stop);  ///< "token", "text", ...

/// Text as it is printed: bytes that are no UTF-8 become U+FFFD (the tokens beside it are exact).
std::string dump(const Json& object);
bool is_utf8(const std::string& text);  ///< printed as it is

/// What decides a run: enough to run it again.
struct Job {
  std::string model_digest, kv = "f16";
  std::vector<int32_t> prompt;
  nxs_decode_params params{};
  std::vector<std::string> stops;

  Json to_json() const;
  /// Throws std::runtime_error naming the key that is missing or wrong.
  static Job from_json(const Json& object);
};

Json stats_json(const nxs_stats& stats);
/// The whole "nxs.run/1" object.
Json run_json(const Job& job, const nxs_result* result, double load_seconds);

}  // namespace cli
