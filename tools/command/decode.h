// SPDX-License-Identifier: Apache-2.0 OR MIT
// One decode of a job, by the way that `run` and `check` share.
#pragma once

#include <string>

#include "handles.h"
#include "record.h"

namespace cli {

struct DecodeMode {
  std::string name = "spec";  ///< "plain" or "spec"
  uint32_t draft = 6, ngram_max = 3, ngram_min = 2;
  bool fixed_draft = false;  ///< verify every draft whole
  float row_cost = 0;        ///< what the library then counts with; 0 = its own figure
};

/// A new sequence, the job's stop texts and prompt, one run. `on_event` may be NULL.
Result decode(nxs_session* session, const Job& job, const DecodeMode& mode, nxs_event_fn on_event, void* user);

}  // namespace cli
