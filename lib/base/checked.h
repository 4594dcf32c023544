// SPDX-License-Identifier: Apache-2.0 OR MIT
// Arithmetic on sizes that come from files and callers: a result that does not fit throws instead of wrapping.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"

namespace nxs {

/// a * b, or Status::kMemory naming `what`.
inline size_t checked_mul(size_t a, size_t b, const char* what) {
  size_t r = 0;
  if (__builtin_mul_overflow(a, b, &r)) fail(Status::kMemory, "%s: %zu times %zu is too large", what, a, b);
  return r;
}

/// a + b, or Status::kMemory naming `what`.
inline size_t checked_add(size_t a, size_t b, const char* what) {
  size_t r = 0;
  if (__builtin_add_overflow(a, b, &r)) fail(Status::kMemory, "%s: %zu plus %zu is too large", what, a, b);
  return r;
}

/// The least multiple of `step` (a power of two) that is not below n; n must be far from the end of the range.
constexpr size_t round_up(size_t n, size_t step) {
  return (n + step - 1) & ~(step - 1);
}

}  // namespace nxs
