// SPDX-License-Identifier: Apache-2.0 OR MIT
// What pushed runs and votes share: the user's callback, and the prompt that both are given.
#pragma once

#include <span>

#include "nxs.h"

namespace nxs::capi {

/// The callback's answer, given in the caller's float state.
int32_t tell(nxs_event_fn on_event, void* user, const nxs_event& event, uint64_t caller_word);
/// kArgument when tokens are missing.
std::span<const int32_t> prompt_of(const int32_t* prompt, size_t n_prompt);

}  // namespace nxs::capi
