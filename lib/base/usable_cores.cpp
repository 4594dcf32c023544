// SPDX-License-Identifier: Apache-2.0 OR MIT
// What cannot be read sets no limit: a machine without /sys or /proc still has its affinity mask.
#include "base/usable_cores.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "base/worker_pool.h"

namespace nxs {
namespace {

/// A small text file from its start, without the last newline; empty when it cannot be read.
std::string read_text(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  char buffer[4096];
  const ssize_t n = ::read(descriptor, buffer, sizeof buffer);
  close(descriptor);
  std::string text(buffer, n > 0 ? static_cast<size_t>(n) : 0);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

/// The path of the group in /proc/self/cgroup: lines "hierarchy:controllers:path", v2 with an empty list of
/// controllers.
std::string group_path(std::string_view table, bool v2) {
  while (!table.empty()) {
    const std::string_view line = table.substr(0, table.find('\n'));
    table.remove_prefix(std::min(table.size(), line.size() + 1));
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    std::string list = ",";
    list.append(line.substr(first + 1, second - first - 1)).append(",");
    if (v2 ? list == ",," : list.find(",cpu,") != std::string::npos) return std::string(line.substr(second + 1));
  }
  return {};
}

/// Whole CPUs in a quota, rounded down: a thread that spins above the quota stops all of them for the rest of the
/// period.
unsigned cpus_of(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<unsigned>(std::clamp(quota / period, 1LL, 1LL << 20));
}

unsigned limit_v2(const std::string& folder) {
  long long quota = 0;
  long long period = 0;
  const std::string text = read_text(folder + "/cpu.max");  // "max 100000" or "150000 100000"
  return std::sscanf(text.c_str(), "%lld %lld", &quota, &period) == 2 ? cpus_of(quota, period) : 0;
}

unsigned limit_v1(const std::string& folder) {
  long long quota = 0;
  long long period = 0;
  if (std::sscanf(read_text(folder + "/cpu.cfs_quota_us").c_str(), "%lld", &quota) != 1) return 0;
  if (std::sscanf(read_text(folder + "/cpu.cfs_period_us").c_str(), "%lld", &period) != 1) return 0;
  return cpus_of(quota, period);
}

/// The least limit from the group up to the mount; in a container the path may be the host's, and only the mount
/// exists.
unsigned least_limit(const std::string& mount, std::string path, unsigned (*limit)(const std::string&)) {
  unsigned least = 0;
  for (;;) {
    while (path.ends_with('/')) path.pop_back();
    const unsigned here = limit(mount + path);
    if (here != 0 && (least == 0 || here < least)) least = here;
    if (path.empty()) return least;
    path.resize(std::min(path.size(), path.rfind('/')));
    if (path.find('/') == std::string::npos) path.clear();
  }
}

std::vector<unsigned> allowed_cpus() {
  std::vector<unsigned> cpus;
  for (size_t n = 1024; n <= (size_t{1} << 20); n *= 4) {
    cpu_set_t* set = CPU_ALLOC(n);
    if (set == nullptr) return cpus;
    const size_t size = CPU_ALLOC_SIZE(n);
    CPU_ZERO_S(size, set);
    const bool known = sched_getaffinity(0, size, set) == 0;  // EINVAL: the kernel's mask is larger
    for (size_t i = 0; known && i < n; ++i) {
      if (CPU_ISSET_S(i, size, set)) cpus.push_back(static_cast<unsigned>(i));
    }
    CPU_FREE(set);
    if (known) break;
  }
  return cpus;
}

}  // namespace

unsigned physical_cores(const std::string& root, const std::vector<unsigned>& cpus) {
  std::vector<std::string> cores;
  for (const unsigned cpu : cpus) {
    const std::string topology = root + "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    std::string siblings = read_text(topology + "core_cpus_list");
    if (siblings.empty()) siblings = read_text(topology + "thread_siblings_list");  // before Linux 5.3
    cores.push_back(siblings.empty() ? "cpu" + std::to_string(cpu) : siblings);
  }
  std::sort(cores.begin(), cores.end());
  return static_cast<unsigned>(std::unique(cores.begin(), cores.end()) - cores.begin());
}

unsigned cgroup_cpus(const std::string& root) {
  const std::string table = read_text(root + "/proc/self/cgroup");
  const std::string mount = root + "/sys/fs/cgroup";
  unsigned least = least_limit(mount, group_path(table, true), limit_v2);
  for (const char* controller : {"/cpu", "/cpu,cpuacct"}) {
    const unsigned limit = least_limit(mount + controller, group_path(table, false), limit_v1);
    if (limit != 0 && (least == 0 || limit < least)) least = limit;
  }
  return least;
}

unsigned usable_cores() {
  try {
    const unsigned cores = physical_cores("", allowed_cpus());
    const unsigned limit = cgroup_cpus("");
    return std::max(1u, limit == 0 ? cores : std::min(cores, limit));
  } catch (...) {
    return 1;  // no memory for a few strings: one thread is right
  }
}

}  // namespace nxs
