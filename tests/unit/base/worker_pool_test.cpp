// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "base/worker_pool.h"

#include <doctest/doctest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

using nxs::WorkerPool;

namespace {

/// Runs one region and counts the units that did not run exactly once, or on a thread out of range.
uint32_t wrong_units(WorkerPool& pool, uint32_t n) {
  std::vector<std::atomic<uint32_t>> ran(n);
  std::atomic<uint32_t> wrong{0};
  pool.run(n, [&](uint32_t i, unsigned worker) {
    if (i >= n || worker >= pool.size()) {
      ++wrong;
    } else {
      ran[i].fetch_add(1, std::memory_order_relaxed);
    }
  });
  for (const auto& times : ran) wrong += times != 1;
  return wrong;
}

void nap(int microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

}  // namespace

TEST_CASE("base/worker_pool: each unit runs exactly once") {
  for (unsigned threads = 0; threads <= 4; ++threads) {
    WorkerPool pool(threads);
    CHECK(pool.size() == (threads == 0 ? 1 : threads));
    for (const bool in_call : {false, true}) {
      if (in_call) pool.begin_call();
      uint32_t wrong = 0;
      for (uint32_t n = 0; n <= 1000; n += n < 70 ? 1 : 31) wrong += wrong_units(pool, n);
      CHECK(wrong == 0);
      if (in_call) pool.end_call();
    }
  }
}

TEST_CASE("base/worker_pool: what a unit wrote is seen after the region, plain memory and no locks") {
  for (const unsigned threads : {2u, 3u}) {
    WorkerPool pool(threads);
    pool.begin_call();
    std::vector<uint64_t> values(64, 0);
    uint64_t expected = 0;
    constexpr uint32_t kRegions = 100'000;
    for (uint32_t region = 0; region < kRegions; ++region) {
      const uint32_t n = 2 + region % 7;
      pool.run(n, [&](uint32_t i, unsigned) { values[i] += region; });
      expected += uint64_t{n} * region;
    }
    pool.end_call();
    uint64_t sum = 0;
    for (const uint64_t v : values) sum += v;
    CHECK(sum == expected);
  }
}

TEST_CASE("base/worker_pool: regions of different sizes and arguments in quick succession") {
  WorkerPool pool(4);
  pool.begin_call();
  uint64_t wrong = 0;
  for (uint32_t region = 0; region < 20'000; ++region) {
    // The counter dies with the region: a worker that came late to it would write into the next one's, or into nothing.
    const uint32_t n = region % 3 == 0 ? 1000 : 1 + region % 5;
    auto count = std::make_unique<std::atomic<uint32_t>>(0);
    pool.run(n, [&](uint32_t, unsigned) { count->fetch_add(1, std::memory_order_relaxed); });
    wrong += *count != n;
  }
  pool.end_call();
  CHECK(wrong == 0);
}

TEST_CASE("base/worker_pool: more threads than cores, workers that sleep between regions and calls") {
  WorkerPool pool(16);
  uint32_t wrong = 0;
  for (int call = 0; call < 30; ++call) {
    if (call % 3 != 0) pool.begin_call();
    wrong += wrong_units(pool, 64);
    nap(call % 2 == 0 ? 10 : 600);  // below and above the bound of spinning
    wrong += wrong_units(pool, 64);
    if (call % 3 != 0) pool.end_call();
    nap(100);
  }
  CHECK(wrong == 0);
}

TEST_CASE("base/worker_pool: a slow unit of a worker holds the region, and the caller may sleep for it") {
  WorkerPool pool(2);
  pool.begin_call();
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> done{0};
    pool.run(2, [&](uint32_t, unsigned worker) {
      nap(worker == 0 ? 300 : 3000);
      ++done;
    });
    CHECK(done == 2);
  }
  pool.end_call();
}

TEST_CASE("base/worker_pool: workers take part") {
  WorkerPool pool(2);
  pool.begin_call();
  bool took_part = false;
  for (int round = 0; round < 1000 && !took_part; ++round) {
    std::atomic<uint32_t> by_worker{0};
    pool.run(64, [&](uint32_t, unsigned worker) {
      by_worker += worker;
      nap(20);
    });
    took_part = by_worker > 0;
  }
  pool.end_call();
  CHECK(took_part);
}

TEST_CASE("base/worker_pool: workers block signals, the maker's mask is as before, and they have a name") {
  sigset_t before;
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  WorkerPool pool(2);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  CHECK(sigismember(&before, SIGINT) == sigismember(&after, SIGINT));
  std::atomic<bool> blocked{false};
  std::atomic<bool> named{false};
  while (!blocked) {
    pool.run(64, [&](uint32_t, unsigned worker) {
      nap(20);
      if (worker == 0) return;
      char name[16] = "";
      pthread_getname_np(pthread_self(), name, sizeof name);
      if (std::strcmp(name, "nxs-worker") == 0) named = true;
      sigset_t mine;
      pthread_sigmask(SIG_SETMASK, nullptr, &mine);
      if (sigismember(&mine, SIGINT) == 1 && sigismember(&mine, SIGPROF) == 1) blocked = true;
    });
  }
  CHECK(named);
}

TEST_CASE("base/worker_pool: pools come and go, used or not, also within a call") {
  uint32_t wrong = 0;
  for (int round = 0; round < 200; ++round) {
    WorkerPool pool(1 + static_cast<unsigned>(round) % 4);
    if (round % 2 == 0) pool.begin_call();
    if (round % 3 != 0) wrong += wrong_units(pool, 40);
  }
  CHECK(wrong == 0);
}

TEST_CASE("base/worker_pool: in a forked child the pool can only be destroyed") {
  auto pool = std::make_unique<WorkerPool>(3);
  CHECK(wrong_units(*pool, 100) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    pool.reset();
    _exit(7);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 7));
  CHECK(wrong_units(*pool, 100) == 0);
}
