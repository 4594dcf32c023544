// SPDX-License-Identifier: Apache-2.0 OR MIT
// What a person sees while a run goes on: text as it comes, drafted tokens in another colour, a bar while a long prompt
// is prefilled.
#pragma once

#include <cstdint>

#include "nxs.h"

namespace cli {

class Terminal {
 public:
  Terminal();
  /// An nxs_event_fn; `user` is the Terminal.
  static int32_t on_event(void* user, const nxs_event* event);
  void expect_prompt(int64_t n_tokens) { n_prompt_ = n_tokens; }
  /// One line of figures on standard error.
  void summary(const nxs_stats& stats, const char* receipt) const;

 private:
  void show(const nxs_event& event);
  void bar(int64_t done);
  void clear_bar();

  bool coloured_, bar_wanted_, bar_shown_ = false;
  int64_t n_prompt_ = 0;
};

}  // namespace cli
