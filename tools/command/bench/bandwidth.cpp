// SPDX-License-Identifier: Apache-2.0 OR MIT
// Read bandwidth: all threads read a buffer that no cache holds. Pieces are claimed as threads get to them, so that a
// core that is taken away for a moment costs its own share and no more, as in the engine.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "bench/bench.h"

namespace cli::bench {

namespace {

constexpr size_t kPiece = size_t{1} << 20;  // bytes
constexpr size_t kLeast = size_t{256} << 20, kMost = size_t{2} << 30;
constexpr size_t kPasses = 4;
constexpr size_t kHugePage = size_t{2} << 20;

/// Eight times the last cache where its size is known.
size_t buffer_size() {
  size_t size = kLeast;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  while (cache > 0 && size < 8 * static_cast<size_t>(cache) && size < kMost) size *= 2;
#endif
  return size;
}

struct Free {
  void operator()(void* memory) const { free(memory); }
};
using Memory = std::unique_ptr<uint64_t, Free>;

/// In huge pages where the system gives them, as the weights are; written once, so that every page is there.
Memory buffer(size_t size) {
  Memory memory(static_cast<uint64_t*>(std::aligned_alloc(kHugePage, size)));
  if (!memory) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  madvise(memory.get(), size, MADV_HUGEPAGE);  // best effort
#endif
  memset(memory.get(), 1, size);
  return memory;
}

/// Sixteen independent sums, so that the loop never waits for one.
uint64_t read_piece(const uint64_t* piece) {
  uint64_t sums[16] = {};
  for (size_t i = 0; i < kPiece / sizeof(uint64_t); i += 16) {
    for (size_t lane = 0; lane < 16; ++lane) sums[lane] += piece[i + lane];
  }
  uint64_t sum = 0;
  for (const uint64_t lane : sums) sum += lane;
  return sum;
}

/// Reads the buffer kPasses times with all threads; returns the sum, which depends on every byte.
uint64_t read_all(const uint64_t* memory, size_t size, uint32_t n_threads) {
  const size_t n_pieces = size / kPiece;
  std::atomic<size_t> next{0};
  std::atomic<uint64_t> total{0};
  const auto work = [&] {
    uint64_t sum = 0;
    for (size_t piece = next++; piece < kPasses * n_pieces; piece = next++) {
      sum += read_piece(memory + piece % n_pieces * (kPiece / sizeof(uint64_t)));
    }
    total += sum;
  };
  std::vector<std::jthread> others;
  for (uint32_t t = 1; t < n_threads; ++t) others.emplace_back(work);
  work();
  others.clear();
  return total;
}

}  // namespace

Round bandwidth_round(const Environment& env) {
  const size_t size = buffer_size();
  const std::shared_ptr<uint64_t> memory(buffer(size));
  return [memory, size, n_threads = env.n_threads](Measures& out) {
    uint64_t sum = 0;
    const double time = seconds([&] { sum = read_all(memory.get(), size, n_threads); });
    if (sum != kPasses * (size / sizeof(uint64_t)) * 0x0101010101010101U) throw std::logic_error("bench: a wrong sum");
    out.add(kBandwidth, "GB/s", static_cast<double>(kPasses * size) / time / 1e9);
  };
}

}  // namespace cli::bench
