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

  /// unit(arg, i, worker) for each i in [0, n_units), each exactly once; worker < size() is the index of the thread
  /// that runs it, for per-thread scratch; 0 is the caller. Returns when all units are done. Units must not throw and
  /// not call run.
  using Unit = void(void* arg, uint32_t i, unsigned worker);
  void run(uint32_t n_units, Unit* unit, void* arg) noexcept;

  template <typename F>
  void run(uint32_t n_units, F&& unit) noexcept {
    run(
        n_units,
        [](void* arg, uint32_t i, unsigned worker) { (*static_cast<std::remove_reference_t<F>*>(arg))(i, worker); },
        const_cast<void*>(static_cast<const void*>(&unit)));
  }

  /// Between begin and end (one API call) waiting workers spin, for a bounded time without work; outside they sleep.
  void begin_call() noexcept;
  void end_call() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Physical cores within this thread's affinity and the cgroup's CPU limit; at least 1.
unsigned usable_cores();

}  // namespace nxs
