// SPDX-License-Identifier: Apache-2.0 OR MIT
// Plain decoding: one row per round. Everything else is measured against it.
#pragma once

#include "decode/round.h"

namespace nxs::decode {

/// Feeds the last token and takes the one that its row chooses. Needs room for one token.
void greedy_round(Round& run);

}  // namespace nxs::decode
