// SPDX-License-Identifier: Apache-2.0 OR MIT
// The parts of usable_cores() that read files, with the root of the file system as a parameter so that tests can invent
// one.
#pragma once

#include <string>
#include <vector>

namespace nxs {

/// The number of physical cores that these logical CPUs belong to; a CPU without a known topology counts as a core.
unsigned physical_cores(const std::string& root, const std::vector<unsigned>& cpus);

/// Whole CPUs that the control groups (v1 or v2) of this process leave it, at least 1; 0 = no limit.
unsigned cgroup_cpus(const std::string& root);

}  // namespace nxs
