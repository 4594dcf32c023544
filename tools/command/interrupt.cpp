// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "interrupt.h"

#include <csignal>

namespace cli {

namespace {

nxs_session* session_to_cancel = nullptr;
volatile std::sig_atomic_t was_interrupted = 0;

void cancel(int) {
  was_interrupted = 1;
  nxs_session_cancel(session_to_cancel, 1);  // legal in a signal handler
}

void handle(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

CancelOnInterrupt::CancelOnInterrupt(nxs_session* session) {
  session_to_cancel = session;
  handle(cancel);
}

CancelOnInterrupt::~CancelOnInterrupt() {
  handle(SIG_DFL);
}

bool interrupted() {
  return was_interrupted != 0;
}

}  // namespace cli
