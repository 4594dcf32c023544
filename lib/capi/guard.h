// SPDX-License-Identifier: Apache-2.0 OR MIT
// The way into the engine: every call that can fail runs in here. Exceptions become a status and a message, and the
// work sees the canonical float state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/float_env.h"
#include "base/status.h"
#include "capi/core.h"
#include "nxs.h"

namespace nxs::capi {

/// The exception that is being handled, as an Error. Call it in a catch block.
Error current_error() noexcept;
/// Fills *err (may be NULL) and gives the status.
nxs_status report(nxs_error* err, const Error& error) noexcept;

/// work(caller_word), guarded.
template <typename F>
nxs_status guarded(nxs_error* err, F&& work) noexcept {
  struct Call {
    F* work;
    Error error;
  } call{&work, {Status::kOk, ""}};
  run_canonical(
      [](void* arg, uint64_t word) {
        Call& c = *static_cast<Call*>(arg);
        try {
          (*c.work)(word);
        } catch (...) {
          c.error = current_error();
        }
      },
      &call);
  return report(err, call.error);
}

/// kArgument when a handle or an output is NULL.
inline void need(const void* pointer, const char* name) {
  if (pointer == nullptr) fail(Status::kArgument, "%s is NULL", name);
}

/// (array, count) as callers give it: NULL is right for an empty one. A count that no array can have is most often a
/// negative number that became a size_t.
template <typename T>
std::span<const T> array(const T* data, size_t n, const char* name) {
  if (n == 0) return {};
  need(data, name);
  // Arrays of pointers are meant too.
  // NOLINTNEXTLINE(bugprone-sizeof-expression)
  if (n > PTRDIFF_MAX / sizeof(T)) fail(Status::kArgument, "%s: a count of %zu is out of range", name, n);
  return {data, n};
}

/// One call inside a session. Keeps the session alive until it is over, whatever is closed meanwhile.
class Inside {
 public:
  Inside(std::shared_ptr<Core> core, uint64_t word) : core_(std::move(core)) { core_->enter(word); }
  ~Inside() { core_->leave(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  std::shared_ptr<Core> core_;
};

/// work(core) inside the session of the handle `part`, called `name`. What `work` holds is gone before the session is
/// left.
template <typename F>
nxs_status in_session(nxs_error* err, const SessionPart* part, const char* name, F&& work) noexcept {
  return guarded(err, [&](uint64_t word) {
    need(part, name);
    const std::shared_ptr<Core> core = part->core;
    const Inside inside(core, word);
    work(*core);
  });
}

}  // namespace nxs::capi
