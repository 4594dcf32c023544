// SPDX-License-Identifier: Apache-2.0 OR MIT
// What a call threw, for tests that compare status and words of the message.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace nxs::test {

struct Thrown {
  Status status = Status::kOk;  ///< kOk: nothing was thrown
  std::string message;
  bool names(std::string_view words) const { return message.find(words) != std::string::npos; }
};

template <typename F>
Thrown error_of(F&& call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.status, error.message};
  }
  return {};
}

}  // namespace nxs::test
