// SPDX-License-Identifier: Apache-2.0 OR MIT
// An open model: immutable, shared by any number of sessions and threads.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/source.h"
#include "model/config.h"
#include "model/weights.h"
#include "text/tokenizer.h"

namespace nxs::model {

struct Model {
  Config config;
  Weights weights;
  text::Tokenizer tokenizer;
  std::vector<double> rope_freq;                         // [head_dim / 2]
  std::unordered_map<std::string, std::string> strings;  // the file's string values
  std::vector<std::string> notes;                        // what a log would say
  Digest digest;                                         // weights, vocabulary, every hyper-parameter read

  size_t bytes() const;  // resident memory of weights and vocabulary

  /// `max_bytes` 0 = no limit, else kMemory before allocating. n_threads as for sessions.
  static std::shared_ptr<const Model> open(const Source& source, unsigned n_threads, int64_t max_bytes);
};

}  // namespace nxs::model
