// SPDX-License-Identifier: Apache-2.0 OR MIT
// What nxs_selftest proves on the CPU it runs on: every kernel against its definition, and whole runs against plain
// decoding.
#pragma once

#include <cstdint>

#include "base/digest.h"

namespace nxs::selftest {

/// Level 0 takes below a second, 1 below a minute. The digest is the same on every machine for one version and level.
/// Throws kSelftest, naming kernel, ISA and shape, or the settings of the run that differs.
Digest run_selftest(uint32_t level);

}  // namespace nxs::selftest
