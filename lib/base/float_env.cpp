// SPDX-License-Identifier: Apache-2.0 OR MIT
// Alone in its translation unit and without arithmetic of its own: there is nothing here that could be moved across the
// instruction.
#include "base/float_env.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace nxs {
namespace {

#if defined(__SSE__)
// MXCSR, and above it the control word of the x87 unit, which fesetround and feenableexcept change as well and which
// long double arithmetic of the C++ library obeys. All exceptions masked, nearest even, neither FTZ nor DAZ; full
// precision.
constexpr uint64_t kCanonical = 0x1F80 | uint64_t{0x037F} << 32;
uint64_t get_word() {
  uint16_t x87;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return _mm_getcsr() | uint64_t{x87} << 32;
}
void set_word(uint64_t word) {
  const auto x87 = static_cast<uint16_t>(word >> 32);
  __asm__ volatile("fldcw %0" : : "m"(x87));
  _mm_setcsr(static_cast<unsigned>(word));
}
#elif defined(__aarch64__)
constexpr uint64_t kCanonical = 0;
uint64_t get_word() {
  uint64_t word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
void set_word(uint64_t word) {
  __asm__ volatile("msr fpcr, %0" : : "r"(word) : "memory");
}
#else
#error "float_env.cpp knows no control word for this processor"
#endif

/// Restores by destructor, as a callback into C++ may throw.
struct Restore {
  uint64_t word;
  ~Restore() { set_word(word); }
};

}  // namespace

__attribute__((noinline)) void run_canonical(void (*work)(void* arg, uint64_t caller_word), void* arg) noexcept {
  const Restore caller{get_word()};
  set_word(kCanonical);
  work(arg, caller.word);
}

__attribute__((noinline)) void run_with_word(uint64_t word, void (*work)(void* arg), void* arg) {
  const Restore canonical{kCanonical};
  set_word(word);
  work(arg);
}

__attribute__((noinline)) void set_canonical_word() {
  set_word(kCanonical);
}

}  // namespace nxs
