// SPDX-License-Identifier: Apache-2.0 OR MIT
// Elements of each tensor format as doubles, decoded here again from the format's description.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/dtype.h"

namespace nxs::test {

/// n elements from the file's bytes.
std::vector<double> decode_elements(tensor::DType type, const std::vector<uint8_t>& bytes, size_t n);

}  // namespace nxs::test
