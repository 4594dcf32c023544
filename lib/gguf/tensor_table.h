// SPDX-License-Identifier: Apache-2.0 OR MIT
// The third part of a file: where the tensors lie. For File::parse.
#pragma once

#include <cstdint>
#include <vector>

#include "gguf/gguf.h"
#include "gguf/reader.h"

namespace nxs::gguf {

/// `n` entries as they stand, offsets still relative to the data. Shape, type and size in bytes are checked, names are
/// unique.
std::vector<TensorInfo> read_tensor_table(Reader& in, uint64_t n);

/// Makes the offsets absolute: each on the alignment, within the file's `file_bytes`, and none overlapping another.
/// `data_start` is the end of the table, not yet aligned.
void place_tensors(std::vector<TensorInfo>& tensors, uint64_t data_start, uint64_t alignment, uint64_t file_bytes);

}  // namespace nxs::gguf
