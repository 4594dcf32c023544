// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "support/allocation_meter.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace nxs::test {

namespace {
Allocations counted;  // tests that read it run on one thread
}

void reset_allocations() {
  counted = {};
}
Allocations allocations() {
  return counted;
}

}  // namespace nxs::test

void* operator new(size_t bytes) {
  using nxs::test::counted;
  counted.largest = std::max(counted.largest, bytes);
  counted.total += bytes;
  if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
