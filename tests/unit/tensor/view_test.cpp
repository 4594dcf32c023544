// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "tensor/view.h"

#include <doctest/doctest.h>

using namespace nxs;

TEST_CASE("tensor/view: a matrix view writes through") {
  Buffer<float> buffer(12, "test");
  auto m = tensor::matrix_view(buffer, 4);
  CHECK(m.shape(0) == 3);
  CHECK(m.shape(1) == 4);
  m(1, 2) = 5.0f;
  CHECK(buffer[6] == 5.0f);
}

TEST_CASE("tensor/view: a stride skips padding") {
  const float data[] = {1, 2, 0, 3, 4, 0};
  const auto m = tensor::matrix_view(data, 2, 2, 3);
  CHECK(m(0, 1) == 2.0f);
  CHECK(m(1, 0) == 3.0f);
  const xt::xtensor<float, 2> copy = m * 2.0f;
  CHECK(copy(1, 1) == 8.0f);
  CHECK(tensor::vector_view(data, 2)(1) == 2.0f);
}
