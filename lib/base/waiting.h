// SPDX-License-Identifier: Apache-2.0 OR MIT
// How the worker pool waits: first with pauses, then giving its core away now and then, then asleep in the kernel.
#pragma once

#include <atomic>
#include <cstdint>

namespace nxs {

/// One wait of bounded length. A fresh object starts the clock at its first look.
class Spin {
 public:
  /// Passes a moment; false when the time is up and the thread should sleep.
  bool again() noexcept;

 private:
  uint32_t pauses_ = 0;
  uint64_t until_ = 0;  // ns of the monotonic clock; 0 = not looked at yet
};

/// Sleeps while `word` is `expected`; may return early.
void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) noexcept;
/// Wakes up to n of those who sleep on `word`.
void futex_wake(std::atomic<uint32_t>& word, int n) noexcept;

}  // namespace nxs
