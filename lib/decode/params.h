// SPDX-License-Identifier: Apache-2.0 OR MIT
// What decides the tokens of a run beside model and prompt; part of its receipt.
#pragma once

#include <cstdint>

namespace nxs::decode {

struct Params {
  int64_t max_new = 256;     ///< most tokens to emit, -1: until a stop or the end of the context
  bool ignore_stop = false;  ///< stop tokens are emitted like any other
};

}  // namespace nxs::decode
