// SPDX-License-Identifier: Apache-2.0 OR MIT
// A session's threads. A region is a count of independent units; who computes a unit never changes a bit.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace nxs {

class WorkerPool {
 public:
  /// `n_threads` counts the calling thread, so 1 starts none. Workers are named "nxs-worker", block all signals and run
  /// in the canonical float state. Throws Status::kMemory when a thread cannot start (those already started are
  /// joined).
  explicit WorkerPool(unsigned n_threads);
  ~WorkerPool();  ///< joins; in a forked child (where the threads do not exist) it only gives memory back
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  unsigned size() const;  ///< threads, the calling one included

  /// How much of what is left a thread claims at a time: each thread's part, or a quarter of it. Long ranges let a unit
  /// go on in memory where the one before it ended; short ones even out units that differ.
  enum class Share : uint32_t { kWhole = 1, kQuarter = 4 };

  /// Calls range(arg, first, last, worker) so that each unit of [0, n_units) lies in exactly one range [first, last);
  /// worker < size() is the index of the thread that runs it, for per-thread scratch; 0 is the caller. Returns when all
  /// units are done. Ranges must not throw and not call run.
  using Range = void(void* arg, uint32_t first, uint32_t last, unsigned worker);
  void run(uint32_t n_units, Share share, Range* range, void* arg) noexcept;

  /// range(first, last, worker), for units that cost the same.
  template <typename F>
  void run_ranges(uint32_t n_units, F&& range) noexcept {
    run_shares(n_units, Share::kWhole, range);
  }

  /// unit(i, worker) for each i in [0, n_units).
  template <typename F>
  void run(uint32_t n_units, F&& unit) noexcept {
    run_shares(n_units, Share::kQuarter, [&unit](uint32_t first, uint32_t last, unsigned worker) {
      for (uint32_t i = first; i != last; ++i) unit(i, worker);
    });
  }

  /// Between begin and end (one API call) waiting workers spin, for a bounded time without work; outside they sleep.
  void begin_call() noexcept;
  void end_call() noexcept;

 private:
  template <typename F>
  void run_shares(uint32_t n_units, Share share, F&& range) noexcept {
    run(
        n_units, share,
        [](void* arg, uint32_t first, uint32_t last, unsigned worker) {
          (*static_cast<std::remove_reference_t<F>*>(arg))(first, last, worker);
        },
        const_cast<void*>(static_cast<const void*>(&range)));
  }

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Physical cores within this thread's affinity and the cgroup's CPU limit; at least 1.
unsigned usable_cores();

}  // namespace nxs
