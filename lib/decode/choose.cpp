// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/choose.h"

namespace nxs::decode {

int32_t choose(const model::Engine& engine, size_t row, int64_t) {
  return engine.argmax(row);
}

}  // namespace nxs::decode
