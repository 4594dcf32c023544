// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "capi/callback.h"

#include "base/float_env.h"
#include "capi/guard.h"

namespace nxs::capi {

int32_t tell(nxs_event_fn on_event, void* user, const nxs_event& event, uint64_t caller_word) {
  struct Call {
    nxs_event_fn on_event;
    void* user;
    const nxs_event* event;
    int32_t answer;
  } call{on_event, user, &event, 0};
  run_with_word(
      caller_word,
      [](void* arg) {
        Call& c = *static_cast<Call*>(arg);
        c.answer = c.on_event(c.user, c.event);
      },
      &call);
  return call.answer;
}

std::span<const int32_t> prompt_of(const int32_t* prompt, size_t n_prompt) {
  if (n_prompt != 0) need(prompt, "prompt");
  return {prompt, n_prompt};
}

}  // namespace nxs::capi
