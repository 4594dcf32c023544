// SPDX-License-Identifier: Apache-2.0 OR MIT
// Speculative decoding: several drafted tokens are verified in one forward, and the output is that of greedy_round.
#pragma once

#include "decode/drafter.h"
#include "decode/round.h"

namespace nxs::decode {

/// Drafts, feeds the last token and the draft as one forward, accepts the longest prefix that the rows choose
/// themselves, and rewinds the cache to it. Needs room for one token; a draft never asks for more than there is.
void speculative_round(Round& run, Drafter& drafter);

}  // namespace nxs::decode
