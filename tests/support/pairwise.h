// SPDX-License-Identifier: Apache-2.0 OR MIT
// Pairwise arrays: few rows of settings in which any two values of any two factors meet at least once.
#pragma once

#include <cstddef>
#include <vector>

namespace nxs::test {

/// `levels[f]` values of factor f; each row has one value index per factor. Greedy and deterministic.
std::vector<std::vector<size_t>> pairwise_array(const std::vector<size_t>& levels);

}  // namespace nxs::test
