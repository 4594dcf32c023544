// SPDX-License-Identifier: Apache-2.0 OR MIT
// From the file's rows to the packed layout (packed.h) and back to single rows.
#pragma once

#include <span>

#include "base/memory.h"
#include "tensor/packed.h"

namespace nxs::tensor {

/// Bytes of one group of `cols` columns; cols is a multiple of the format's block.
size_t group_bytes(DType type, size_t cols);

/// A matrix [rows][cols] in packed form. Filled row group by row group, from any thread, each group once.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  PackedMatrix(DType type, size_t rows, size_t cols, const char* what);
  /// `file_rows` holds n <= 16 rows of the file, one after another: the rows of group g (n < 16 only in the last
  /// group).
  void pack_group(size_t g, const void* file_rows, size_t n);
  PackedView view() const;
  size_t bytes() const { return data_.bytes(); }

 private:
  Buffer<uint8_t> data_;
  PackedView view_{};
};

/// out[0..cols) = row `row` widened or dequantised: d * q, plus m where the format has one (mul then add; never fused:
/// both agree); K formats (d * scale) * q, minus dmin * minimum.
void unpack_row(float* out, const PackedView& matrix, size_t row);
/// The same from n elements in the file's own layout (norm weights, small tensors).
void dequantize(float* out, DType type, const void* file_data, size_t n);

}  // namespace nxs::tensor
