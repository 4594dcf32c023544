// SPDX-License-Identifier: Apache-2.0 OR MIT
// Each case invents a file system below a folder of its own.
#include "base/usable_cores.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/worker_pool.h"

namespace {

struct Root {
  Root() {
    char name[] = "/tmp/nxs-cores-XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    path = name;
  }
  ~Root() { std::filesystem::remove_all(path); }
  void put(const std::string& file, const std::string& text) const {
    const std::filesystem::path full = path + file;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text << "\n";
  }
  std::string path;
};

}  // namespace

TEST_CASE("base/usable_cores: two threads of a core count once") {
  const Root root;
  const auto folder = [](int cpu) { return "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/"; };
  root.put(folder(0) + "core_cpus_list", "0,4");
  root.put(folder(4) + "core_cpus_list", "0,4");
  root.put(folder(1) + "core_cpus_list", "1,5");
  root.put(folder(2) + "thread_siblings_list", "2-3");  // the older name
  root.put(folder(3) + "thread_siblings_list", "2-3");
  CHECK(nxs::physical_cores(root.path, {0, 4}) == 1);
  CHECK(nxs::physical_cores(root.path, {0, 1, 4}) == 2);
  CHECK(nxs::physical_cores(root.path, {0, 1, 2, 3, 4}) == 3);
  CHECK(nxs::physical_cores(root.path, {7, 8, 9}) == 3);  // nothing known
  CHECK(nxs::physical_cores(root.path, {}) == 0);
}

TEST_CASE("base/usable_cores: control groups v2, the least of the path") {
  const Root root;
  CHECK(nxs::cgroup_cpus(root.path) == 0);
  root.put("/proc/self/cgroup", "0::/a/b");
  CHECK(nxs::cgroup_cpus(root.path) == 0);
  root.put("/sys/fs/cgroup/a/b/cpu.max", "max 100000");
  CHECK(nxs::cgroup_cpus(root.path) == 0);
  root.put("/sys/fs/cgroup/a/b/cpu.max", "450000 100000");
  CHECK(nxs::cgroup_cpus(root.path) == 4);
  root.put("/sys/fs/cgroup/a/cpu.max", "250000 100000");
  CHECK(nxs::cgroup_cpus(root.path) == 2);
  root.put("/sys/fs/cgroup/cpu.max", "10000 100000");  // a tenth of a CPU is still one thread
  CHECK(nxs::cgroup_cpus(root.path) == 1);
}

TEST_CASE("base/usable_cores: control groups v1, mounted under either name") {
  for (const char* mount : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}) {
    const Root root;
    root.put("/proc/self/cgroup", "12:memory:/x\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/x");
    root.put(mount + std::string("/docker/abc/cpu.cfs_quota_us"), "300000");
    root.put(mount + std::string("/docker/abc/cpu.cfs_period_us"), "100000");
    CHECK(nxs::cgroup_cpus(root.path) == 3);
    root.put(mount + std::string("/docker/abc/cpu.cfs_quota_us"), "-1");
    CHECK(nxs::cgroup_cpus(root.path) == 0);
    root.put(mount + std::string("/cpu.cfs_quota_us"), "200000");  // what a container sees of its own group
    root.put(mount + std::string("/cpu.cfs_period_us"), "100000");
    CHECK(nxs::cgroup_cpus(root.path) == 2);
  }
}

TEST_CASE("base/usable_cores: nonsense in the files sets no limit") {
  for (const char* table : {"", ":", "::", "0:", "0::", "0::a/b", "0::////", "garbage"}) {
    const Root root;
    root.put("/proc/self/cgroup", table);
    root.put("/sys/fs/cgroup/cpu.max", "many cpus");
    CHECK(nxs::cgroup_cpus(root.path) == 0);
  }
}

TEST_CASE("base/usable_cores: at least one, at most the affinity of this thread") {
  CHECK(nxs::usable_cores() >= 1);
  std::thread([] {
    cpu_set_t set;
    REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    REQUIRE(sched_setaffinity(0, sizeof set, &set) == 0);
    CHECK(nxs::usable_cores() == 1);
  }).join();
}
