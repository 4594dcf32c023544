// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "base/float_env.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include <atomic>

#include "base/worker_pool.h"

namespace {

#if defined(__SSE__)
constexpr uint64_t kFlush = 0x8040 | 0x1F80;  // FTZ and DAZ
constexpr uint64_t kControlBits = 0xFFC0;     // all but the sticky flags
constexpr uint64_t kUpward = 0x4000 | 0x1F80;
uint64_t get_word() {
  return _mm_getcsr();
}
void set_word(uint64_t word) {
  _mm_setcsr(static_cast<unsigned>(word));
}
#elif defined(__aarch64__)
constexpr uint64_t kFlush = uint64_t{1} << 24;  // FZ
constexpr uint64_t kControlBits = 0x07F79F00;
constexpr uint64_t kUpward = uint64_t{1} << 22;
uint64_t get_word() {
  uint64_t word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
void set_word(uint64_t word) {
  __asm__ volatile("msr fpcr, %0" : : "r"(word));
}
#endif

struct Observed {
  float product = -1.0f;
  float third = -1.0f;
  uint64_t caller = 0;
  uint64_t within = 0;
};

volatile float g_tiny = 0x1p-100f;
volatile float g_small = 0x1p-40f;
volatile float g_one = 1.0f;
volatile float g_three = 3.0f;

void observe(void* arg, uint64_t caller) {
  Observed& seen = *static_cast<Observed*>(arg);
  seen.product = g_tiny * g_small;  // 2^-140: a denormal
  seen.third = g_one / g_three;     // depends on the rounding
  seen.caller = caller;
  seen.within = get_word();
}

void observe_plain(void* arg) {
  observe(arg, 0);
}

/// The test's own state comes back, whatever happened.
struct Keep {
  uint64_t word = get_word();
  ~Keep() { set_word(word); }
};

}  // namespace

TEST_CASE("base/float_env: a denormal survives a caller that flushes, and the caller's word is back") {
  const Keep keep;
  for (const uint64_t word : {kFlush, kUpward, kFlush | kUpward}) {
    Observed seen;
    set_word(word);
    const float flushed = g_tiny * g_small;
    nxs::run_canonical(observe, &seen);
    const uint64_t after = get_word();
    set_word(keep.word);
    CHECK((flushed == 0.0f) == ((word & kFlush & ~kUpward) != 0));  // the test's own premise
    CHECK(seen.product == 0x1p-140f);
    CHECK(seen.third == 0x1.555556p-2f);
    CHECK((seen.caller & kControlBits) == (word & kControlBits));
    CHECK((after & kControlBits) == (word & kControlBits));
  }
}

TEST_CASE("base/float_env: a callback runs in the caller's state and the canonical one returns") {
  const Keep keep;
  struct Both {
    Observed callback;
    Observed after;
  } both;
  set_word(kFlush);
  nxs::run_canonical(
      [](void* arg, uint64_t caller) {
        Both& b = *static_cast<Both*>(arg);
        nxs::run_with_word(caller, observe_plain, &b.callback);
        observe(&b.after, caller);
      },
      &both);
  set_word(keep.word);
  CHECK(both.callback.product == 0.0f);
  CHECK(both.after.product == 0x1p-140f);
}

TEST_CASE("base/float_env: the canonical state returns also from a callback that throws") {
  const Keep keep;
  Observed seen;
  set_word(kFlush);
  nxs::run_canonical(
      [](void* arg, uint64_t caller) {
        try {
          nxs::run_with_word(
              caller, [](void*) { throw std::runtime_error("callback"); }, nullptr);
        } catch (const std::runtime_error&) {
          observe(arg, 0);
        }
      },
      &seen);
  CHECK(seen.product == 0x1p-140f);
}

TEST_CASE("base/float_env: workers are canonical although their maker flushed") {
  const Keep keep;
  set_word(kFlush);
  nxs::WorkerPool pool(2);
  std::atomic<int> flushed{0};
  std::atomic<int> by_worker{0};
  while (by_worker == 0) {
    pool.run(64, [&](uint32_t, unsigned worker) {
      for (int i = 0; i < 1000; ++i) {
        if (worker == 0) continue;
        flushed += g_tiny * g_small == 0.0f;
        ++by_worker;
      }
    });
  }
  set_word(keep.word);
  CHECK(flushed == 0);
}
