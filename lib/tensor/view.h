// SPDX-License-Identifier: Apache-2.0 OR MIT
// Views on row-major memory as xtensor expressions, for everything outside the kernels (weights, logits, the test
// oracle). They own nothing and copy nothing. Never for a reduction that decides a bit: xtensor chooses its own order.
// The only home of xtensor.
#pragma once

#include <array>
#include <cstddef>
#include <ostream>

// xtensor includes <iostream>, and with GNU's library each object that does so runs a constructor when it is loaded.
// The streams are only named, in templates that nobody instantiates, so declarations are enough.
#if defined(__GLIBCXX__) && !defined(_GLIBCXX_IOSTREAM)
#define _GLIBCXX_IOSTREAM 1  // NOLINT(bugprone-reserved-identifier)
namespace std {
extern ostream cout, cerr;
}  // namespace std
#endif

#include <xtensor/xadapt.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include "base/memory.h"

namespace nxs::tensor {

/// Over memory that the caller keeps alive; size checks are the caller's.
template <typename T>
auto vector_view(T* data, size_t n) {
  return xt::adapt(data, n, xt::no_ownership(), std::array<size_t, 1>{n});
}

/// [rows][cols], rows one after another.
template <typename T>
auto matrix_view(T* data, size_t rows, size_t cols) {
  return xt::adapt(data, rows * cols, xt::no_ownership(), std::array<size_t, 2>{rows, cols});
}

/// [rows][cols] over rows that lie `stride` >= cols elements apart, such as the padded outputs of a matmul.
template <typename T>
auto matrix_view(T* data, size_t rows, size_t cols, size_t stride) {
  return xt::view(matrix_view(data, rows, stride), xt::all(), xt::range(size_t{0}, cols));
}

/// A whole buffer as rows of `cols`; what does not fill a row is left out.
template <typename T>
auto matrix_view(Buffer<T>& buffer, size_t cols) {
  return matrix_view(buffer.data(), buffer.size() / cols, cols);
}
template <typename T>
auto matrix_view(const Buffer<T>& buffer, size_t cols) {
  return matrix_view(buffer.data(), buffer.size() / cols, cols);
}

}  // namespace nxs::tensor
