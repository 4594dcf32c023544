// SPDX-License-Identifier: Apache-2.0 OR MIT
// Feed one, choose one. The digest of the row is taken at once: another run may use the engine before the next round.
#include "decode/greedy.h"

namespace nxs::decode {

void greedy_round(Round& run) {
  run.feed(run.sequence.tail(), 1);
  if (!run.is_good(0, run.sequence.size() - 1)) return;
  run.take(run.choose(0), false);
  run.keep_rows(1);
}

}  // namespace nxs::decode
