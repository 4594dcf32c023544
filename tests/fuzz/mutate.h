// SPDX-License-Identifier: Apache-2.0 OR MIT
// Seeded mutations of binary files: the same input for the same number on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nxs::test {

/// One to four changes: bits, bytes, integers that are interesting as sizes, cuts, copies of other places.
/// Half of them go to the first `header` bytes.
std::vector<uint8_t> mutate(const std::vector<uint8_t>& input, uint64_t number, size_t header);

}  // namespace nxs::test
