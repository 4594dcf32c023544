// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs_selftest: the checks themselves need no C.
#include "selftest/selftest.h"

#include <cstring>
#include <string>

#include "capi/guard.h"

using namespace nxs;
using namespace nxs::capi;

nxs_status nxs_selftest(char* digest, uint32_t level, nxs_error* err) {
  if (digest != nullptr) digest[0] = '\0';
  return guarded(err, [&](uint64_t) {
    if (level > 1) fail(Status::kArgument, "level is %u, not 0 or 1", level);
    const std::string hex = selftest::run_selftest(level).hex();
    if (digest != nullptr) std::memcpy(digest, hex.c_str(), hex.size() + 1);
  });
}
