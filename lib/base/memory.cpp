// SPDX-License-Identifier: Apache-2.0 OR MIT
// Two ways to zeroed memory: the heap below 256 KiB, pages of our own from there on. Those come zeroed, take no memory
// before they are written (scratch is made for the longest forward, most are short), and are huge from 4 MiB on where
// the system allows.
#include "base/memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace nxs {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kMapFrom = size_t{256} << 10;
constexpr size_t kHugeFrom = size_t{4} << 20;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kAnyPage = size_t{64} << 10;  // a multiple of each page size in use

void* map(size_t length, size_t bytes, const char* what) {
  void* memory = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail(Status::kMemory, "%s: no memory for %zu bytes", what, bytes);
  return memory;
}

/// Huge ones: maps kHugePage more than needed and gives back both ends, so that the start lies on a huge page.
void* map_pages(size_t bytes, const char* what) {
  checked_add(bytes, kAnyPage + kHugePage, what);
  const size_t length = round_up(bytes, kAnyPage);
  if (bytes < kHugeFrom) return map(length, bytes, what);
  void* raw = map(length + kHugePage, bytes, what);
  const uintptr_t start = reinterpret_cast<uintptr_t>(raw);
  const uintptr_t aligned = (start + kHugePage - 1) & ~uintptr_t{kHugePage - 1};
  char* const memory = static_cast<char*>(raw) + (aligned - start);
  const size_t before = aligned - start;
  const size_t after = kHugePage - before;
  if (before != 0) munmap(raw, before);
  if (after != 0) munmap(memory + length, after);
  madvise(memory, length, MADV_HUGEPAGE);  // a wish: refused by kernels without huge pages
  return memory;
}

}  // namespace

void* allocate(size_t bytes, const char* what) {
  if (bytes == 0) return nullptr;
  if (bytes >= kMapFrom) return map_pages(bytes, what);
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlignment, bytes) != 0)
    fail(Status::kMemory, "%s: no memory for %zu bytes", what, bytes);
  return std::memset(memory, 0, bytes);
}

void release(void* memory, size_t bytes) noexcept {
  if (memory == nullptr) return;
  if (bytes >= kMapFrom) {
    munmap(memory, round_up(bytes, kAnyPage));
  } else {
    std::free(memory);
  }
}

}  // namespace nxs
