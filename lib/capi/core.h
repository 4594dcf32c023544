// SPDX-License-Identifier: Apache-2.0 OR MIT
// What a session's handles share: the engine, whose turn it is, and the handles that were closed while a call was
// inside.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>

#include "decode/session.h"

namespace nxs::capi {

class Core;

/// A handle that belongs to a session. Its memory may only be given back when no call is inside the session.
struct SessionPart {
  explicit SessionPart(std::shared_ptr<Core> owner) : core(std::move(owner)) {}
  virtual ~SessionPart() = default;
  SessionPart(const SessionPart&) = delete;
  SessionPart& operator=(const SessionPart&) = delete;

  std::shared_ptr<Core> core;  ///< declared first, so that what a derived handle holds goes before the engine
  SessionPart* next_closed = nullptr;
};

class Core final : public decode::Session {
 public:
  Core(std::shared_ptr<const model::Model> model, const model::EngineOptions& options, int64_t longest, size_t chunk);

  /// Begins a call: kForked in a child process, kBusy while another call is inside. `word`: the caller's float control
  /// word.
  void enter(uint64_t word);
  /// Ends it, and gives back what was closed meanwhile.
  void leave() noexcept;

  /// Deletes `part` now, or at the end of the call that is inside. Any thread; never waits for a call.
  static void close(SessionPart* part) noexcept;
  void reclaim() override { drain(); }

 private:
  enum State : int { kIdle, kCall, kDraining };

  void drain() noexcept;
  void drain_if_idle() noexcept;

  const pid_t owner_;
  std::atomic<int> state_{kIdle};
  std::atomic<SessionPart*> closed_{nullptr};
};

}  // namespace nxs::capi
