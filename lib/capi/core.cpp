// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "capi/core.h"

#include <sched.h>
#include <unistd.h>

#include "base/status.h"

namespace nxs::capi {

Core::Core(std::shared_ptr<const model::Model> model, const model::EngineOptions& options, int64_t longest,
           size_t chunk)
    : Session(std::move(model), options, longest, chunk), owner_(getpid()) {}

/// Another thread that gives closed handles back is no call: it is waited for, briefly.
void Core::enter(uint64_t word) {
  if (getpid() != owner_) fail(Status::kForked, "the session belongs to process %d", static_cast<int>(owner_));
  for (int seen = kIdle; !state_.compare_exchange_strong(seen, kCall); seen = kIdle) {
    if (seen == kCall) fail(Status::kBusy, "the session is inside another call");
    sched_yield();
  }
  drain();
  caller_word = word;
  engine.workers().begin_call();
}

void Core::leave() noexcept {
  engine.workers().end_call();
  state_.store(kIdle);
  drain_if_idle();
}

/// The part is on the list before the state is looked at, and leave() looks at the list after the state is idle: one of
/// them sees it. In a child process whose parent was inside a call when it forked the state stays kCall, and the memory
/// stays where it is.
void Core::close(SessionPart* part) noexcept {
  const std::shared_ptr<Core> core = part->core;  // the part may be gone as soon as it is on the list
  part->next_closed = core->closed_.load();
  while (!core->closed_.compare_exchange_weak(part->next_closed, part)) {
  }
  core->drain_if_idle();
}

void Core::drain() noexcept {
  SessionPart* part = closed_.exchange(nullptr);
  while (part != nullptr) {
    SessionPart* const next = part->next_closed;
    delete part;
    part = next;
  }
}

void Core::drain_if_idle() noexcept {
  while (closed_.load() != nullptr) {
    int idle = kIdle;
    if (!state_.compare_exchange_strong(idle, kDraining)) return;
    drain();
    state_.store(kIdle);
  }
}

}  // namespace nxs::capi
