// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "base/waiting.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace nxs {
namespace {

// A wake-up costs 25 to 45 us, so waiting a few times as long loses little and spares the pauses between regions.
constexpr uint64_t kSpinNs = 200'000;
// One look at the clock costs about as much as a pause; this many pauses take 1 to 3 us.
constexpr uint32_t kPausesPerLook = 64;
// From here on the core is offered to others at each look: threads may outnumber cores.
constexpr uint32_t kPausesBeforeYield = 8 * kPausesPerLook;

void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

uint64_t now_ns() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

uint32_t* address(std::atomic<uint32_t>& word) {
  static_assert(sizeof word == sizeof(uint32_t) && std::atomic<uint32_t>::is_always_lock_free);
  return reinterpret_cast<uint32_t*>(&word);
}

}  // namespace

bool Spin::again() noexcept {
  pause();
  if (++pauses_ % kPausesPerLook != 0) return true;
  const uint64_t now = now_ns();
  if (until_ == 0) until_ = now + kSpinNs;
  if (now >= until_) return false;
  if (pauses_ >= kPausesBeforeYield) sched_yield();
  return true;
}

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) noexcept {
  syscall(SYS_futex, address(word), FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<uint32_t>& word, int n) noexcept {
  syscall(SYS_futex, address(word), FUTEX_WAKE_PRIVATE, n, nullptr, nullptr, 0);
}

}  // namespace nxs
