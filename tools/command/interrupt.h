// SPDX-License-Identifier: Apache-2.0 OR MIT
// Ctrl-C, and the signal that asks a process to end.
#pragma once

#include "nxs.h"

namespace cli {

/// While it lives, the first SIGINT or SIGTERM ends what the session does, and what that has so far is kept; a second
/// one ends the process. It must go before the session does.
class CancelOnInterrupt {
 public:
  explicit CancelOnInterrupt(nxs_session* session);
  ~CancelOnInterrupt();
  CancelOnInterrupt(const CancelOnInterrupt&) = delete;
  CancelOnInterrupt& operator=(const CancelOnInterrupt&) = delete;
};

bool interrupted();

}  // namespace cli
