// SPDX-License-Identifier: Apache-2.0 OR MIT
// What a person sees while samples are drawn: a line for each (state, tokens, answer, the end of its text), the tally
// below. On standard error, drawn over itself, and only where that is a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "nxs.h"

namespace cli {

class VoteView {
 public:
  VoteView(uint32_t n_samples, uint32_t extractor);
  /// An nxs_event_fn; `user` is the VoteView.
  static int32_t on_event(void* user, const nxs_event* event);
  /// The tally and one line of figures.
  void summary(const nxs_vote* vote, int64_t kv_tokens_peak);

 private:
  struct Line {
    const char* state = "waiting";
    int64_t n_tokens = 0;
    std::string text, answer;
  };

  void take(const nxs_event& event);
  void draw();

  const uint32_t extractor_;
  const bool drawn_;
  std::vector<Line> lines_;
  size_t n_drawn_ = 0;  ///< lines on the screen
  std::chrono::steady_clock::time_point drawn_at_{};
};

}  // namespace cli
