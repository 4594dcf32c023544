// SPDX-License-Identifier: Apache-2.0 OR MIT
// One 64-bit ticket {generation, units left} is the whole protocol. A thread claims units by lowering `units left` with
// a compare-and-swap and reads what the region is only after that succeeded, so a worker that wakes late finds nothing
// left and touches nothing, and a claim that succeeds is of the running region, whatever the worker had seen before.
// The caller claims like everybody; it returns when all claimed units are counted as done, and waits for no thread that
// claimed none.
#include "base/worker_pool.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <vector>

#include "base/float_env.h"
#include "base/status.h"
#include "base/waiting.h"

namespace nxs {
namespace {

constexpr size_t kStackBytes = size_t{512} << 10;
constexpr size_t kLine = 64;

}  // namespace

struct WorkerPool::Impl {
  struct Worker {
    Impl* pool;
    unsigned index;
    pthread_t thread;
  };

  explicit Impl(unsigned threads) : n_threads(threads) {}

  void start();
  void stop() noexcept;
  static void* thread_main(void* worker);
  void serve(unsigned worker) noexcept;

  bool has_units() const { return static_cast<uint32_t>(ticket.load(std::memory_order_seq_cst)) != 0; }
  uint32_t claim(uint32_t* first) noexcept;
  uint32_t work(unsigned worker) noexcept;
  void publish(uint32_t units) noexcept;
  void await_workers(uint32_t target) noexcept;
  void wait_for_units() noexcept;
  void sleep() noexcept;
  void wake_sleepers() noexcept;

  // The line that spinning workers watch: the ticket and, in the clear while it has units, the region.
  alignas(kLine) std::atomic<uint64_t> ticket{0};
  Range* range = nullptr;
  void* arg = nullptr;
  uint32_t n_units = 0;
  std::atomic<uint32_t> shares{1};  // a claim is of one of so many

  // Written by workers, once per region in which they ran something: units they have done ever, modulo 2^32.
  alignas(kLine) std::atomic<uint32_t> done{0};

  // Read often, written seldom.
  alignas(kLine) std::atomic<uint32_t> epoch{0};  // futex of sleeping workers
  std::atomic<bool> a_worker_sleeps{false};       // or may: cleared by the one that wakes all
  std::atomic<bool> caller_sleeps{false};
  std::atomic<bool> in_call{false};
  std::atomic<bool> stopping{false};
  const unsigned n_threads;

  // The caller's own.
  alignas(kLine) uint32_t done_target = 0;
  const pid_t process = getpid();
  std::vector<Worker> workers;
};

/// A part of what is left, so that the last claims are small and all threads end together. How large a part may be that
/// of the region before, which is no harm.
uint32_t WorkerPool::Impl::claim(uint32_t* first) noexcept {
  uint64_t seen = ticket.load(std::memory_order_relaxed);
  for (;;) {
    const uint32_t left = static_cast<uint32_t>(seen);
    if (left == 0) return 0;
    const uint32_t share = left / shares.load(std::memory_order_relaxed);
    const uint32_t n = share == 0 ? 1 : share;
    if (ticket.compare_exchange_weak(seen, seen - n, std::memory_order_acquire, std::memory_order_relaxed)) {
      *first = n_units - left;
      return n;
    }
  }
}

/// Returns the number of units run. Until they are counted the region cannot end, so all claims here are of one region.
uint32_t WorkerPool::Impl::work(unsigned worker) noexcept {
  uint32_t ran = 0;
  uint32_t first = 0;
  while (const uint32_t n = claim(&first)) {
    range(arg, first, first + n, worker);
    ran += n;
  }
  return ran;
}

void WorkerPool::Impl::publish(uint32_t units) noexcept {
  n_units = units;
  const uint64_t generation = (ticket.load(std::memory_order_relaxed) >> 32) + 1;
  ticket.store(generation << 32 | units, std::memory_order_seq_cst);
  wake_sleepers();
}

void WorkerPool::Impl::await_workers(uint32_t target) noexcept {
  Spin spin;
  while (done.load(std::memory_order_acquire) != target) {
    if (spin.again()) continue;
    caller_sleeps.store(true, std::memory_order_seq_cst);
    const uint32_t seen = done.load(std::memory_order_seq_cst);
    if (seen != target) futex_wait(done, seen);
    caller_sleeps.store(false, std::memory_order_relaxed);
  }
}

/// Called by the caller, after it stored what the workers wait for. In sleep() a worker says that it sleeps and looks
/// again, in this order; here the order is the other way round; so one of the two sees the other.
void WorkerPool::Impl::wake_sleepers() noexcept {
  if (!a_worker_sleeps.load(std::memory_order_seq_cst)) return;
  a_worker_sleeps.store(false, std::memory_order_seq_cst);
  epoch.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(epoch, INT_MAX);
}

void WorkerPool::Impl::sleep() noexcept {
  const uint32_t seen = epoch.load(std::memory_order_seq_cst);
  a_worker_sleeps.store(true, std::memory_order_seq_cst);
  if (has_units() || stopping.load(std::memory_order_seq_cst)) return;
  futex_wait(epoch, seen);
}

void WorkerPool::Impl::wait_for_units() noexcept {
  Spin spin;
  uint64_t last = ticket.load(std::memory_order_relaxed);
  while (in_call.load(std::memory_order_relaxed)) {
    const uint64_t seen = ticket.load(std::memory_order_relaxed);
    if (static_cast<uint32_t>(seen) != 0) return;
    if (seen != last) spin = Spin();  // others were faster, but there is work about
    last = seen;
    if (!spin.again()) break;
  }
  sleep();
}

void WorkerPool::Impl::serve(unsigned worker) noexcept {
  while (!stopping.load(std::memory_order_acquire)) {
    const uint32_t ran = work(worker);
    if (ran == 0) {
      wait_for_units();
      continue;
    }
    done.fetch_add(ran, std::memory_order_seq_cst);
    if (caller_sleeps.load(std::memory_order_seq_cst)) futex_wake(done, 1);
  }
}

void* WorkerPool::Impl::thread_main(void* argument) {
  const Worker& self = *static_cast<const Worker*>(argument);
  pthread_setname_np(pthread_self(), "nxs-worker");
  set_canonical_word();
  self.pool->serve(self.index);
  return nullptr;
}

/// Signals are blocked around the creation, as a thread starts with its creator's mask: the host's handlers never run
/// on a worker.
void WorkerPool::Impl::start() {
  workers.reserve(n_threads - 1);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) fail(Status::kMemory, "worker threads: no memory");
  pthread_attr_setstacksize(&attributes, kStackBytes);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = 0;
  for (unsigned i = 1; i < n_threads && error == 0; ++i) {
    workers.push_back({this, i, pthread_t{}});
    error = pthread_create(&workers.back().thread, &attributes, thread_main, &workers.back());
    if (error != 0) workers.pop_back();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error == 0) return;
  const size_t started = workers.size();
  stop();
  fail(Status::kMemory, "worker threads: %zu of %u started, then error %d", started, n_threads - 1, error);
}

void WorkerPool::Impl::stop() noexcept {
  stopping.store(true, std::memory_order_seq_cst);
  in_call.store(false, std::memory_order_seq_cst);
  epoch.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(epoch, INT_MAX);
  for (const Worker& worker : workers) pthread_join(worker.thread, nullptr);
}

WorkerPool::WorkerPool(unsigned n_threads) : impl_(std::make_unique<Impl>(n_threads == 0 ? 1 : n_threads)) {
  impl_->start();
}

WorkerPool::~WorkerPool() {
  if (getpid() == impl_->process) impl_->stop();
}

unsigned WorkerPool::size() const {
  return impl_->n_threads;
}

void WorkerPool::run(uint32_t n_units, Share share, Range* range, void* arg) noexcept {
  Impl& pool = *impl_;
  if (n_units == 0) return;
  if (n_units == 1 || pool.n_threads == 1) return range(arg, 0, n_units, 0);
  pool.shares.store(pool.n_threads * static_cast<uint32_t>(share), std::memory_order_relaxed);
  pool.range = range;
  pool.arg = arg;
  pool.publish(n_units);
  pool.done_target += n_units - pool.work(0);
  pool.await_workers(pool.done_target);
}

void WorkerPool::begin_call() noexcept {
  impl_->in_call.store(true, std::memory_order_seq_cst);
  impl_->wake_sleepers();
}

void WorkerPool::end_call() noexcept {
  impl_->in_call.store(false, std::memory_order_relaxed);
}

}  // namespace nxs
