// SPDX-License-Identifier: Apache-2.0 OR MIT
// The options that `run` and `vote` share: what to continue, how tokens are chosen, when to end.
#pragma once

#include <string>
#include <vector>

#include "options.h"
#include "record.h"

namespace cli {

struct JobOptions {
  std::string model, system;
  TextInput prompt;
  SessionOptions session;
  SamplingOptions sampling;
  std::vector<std::string> stops;
  int64_t max_new = 256;
  bool raw = false, special = false, ignore_stop = false, json = false;

  void add_to(CLI::App& app);
  /// What they come to with this model; reads the prompt.
  Job job(const nxs_model* model) const;

 private:
  CLI::Option* system_option_ = nullptr;
};

}  // namespace cli
