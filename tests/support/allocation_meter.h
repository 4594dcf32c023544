// SPDX-License-Identifier: Apache-2.0 OR MIT
// Counts what operator new hands out. Linking allocation_meter.cpp replaces the operator for the whole executable.
#pragma once

#include <cstddef>

namespace nxs::test {

struct Allocations {
  size_t largest = 0, total = 0;  ///< bytes since reset_allocations, whether given back or not
};
void reset_allocations();
Allocations allocations();

}  // namespace nxs::test
