// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "tensor/pack.h"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <vector>

#include "base/status.h"
#include "tensor/half.h"

using namespace nxs::tensor;

namespace {

// File bytes of n elements: random quants, and scales that are small finite halves.
std::vector<uint8_t> random_file_data(DType type, size_t n, std::mt19937& random) {
  const DTypeInfo& format = info(type);
  std::vector<uint8_t> data(n / format.block_elems * format.block_bytes);
  for (uint8_t& byte : data) byte = static_cast<uint8_t>(random());
  const bool two = type == DType::kQ4_1 || type == DType::kQ5_1 || type == DType::kQ4_K || type == DType::kQ5_K;
  const size_t scale_bytes = !format.quantized ? format.block_bytes : two ? 4 : 2;
  const size_t first = type == DType::kQ6_K ? format.block_bytes - 2 : 0;
  for (size_t at = first; at < data.size(); at += format.block_bytes) {
    // The top byte of each scale or float: no exponent of all ones.
    const size_t width = type == DType::kF32 ? 4 : 2;
    for (size_t i = width; i <= scale_bytes; i += width) data[at + i - 1] &= 0xbf;
  }
  return data;
}

void check_round_trip(DType type, size_t rows, size_t cols, std::mt19937& random) {
  const DTypeInfo& format = info(type);
  CAPTURE(format.name);
  CAPTURE(rows);
  CAPTURE(cols);
  const auto data = random_file_data(type, rows * cols, random);
  const size_t row_bytes = cols / format.block_elems * format.block_bytes;
  PackedMatrix matrix(type, rows, cols, "test matrix");
  for (size_t g = 0; g < matrix.view().groups(); ++g)
    matrix.pack_group(g, data.data() + g * 16 * row_bytes, std::min<size_t>(16, rows - g * 16));

  const PackedView view = matrix.view();
  CHECK(view.group_bytes % 64 == 0);
  CHECK(view.group_bytes < 16 * row_bytes + 64);
  CHECK(reinterpret_cast<uintptr_t>(view.data) % 64 == 0);
  std::vector<float> expected(cols), got(cols + 1, -1.0f);
  for (size_t r = 0; r < rows; ++r) {
    dequantize(expected.data(), type, data.data() + r * row_bytes, cols);
    unpack_row(got.data(), view, r);
    REQUIRE(std::memcmp(expected.data(), got.data(), cols * sizeof(float)) == 0);
    REQUIRE(got[cols] == -1.0f);
  }
}

}  // namespace

TEST_CASE("tensor/pack: an unpacked row equals the dequantised file row") {
  std::mt19937 random(1);
  for (size_t t = 0; t < kDTypes; ++t) {
    const auto type = static_cast<DType>(t);
    const size_t step = info(type).block_elems;
    for (const size_t rows : {1, 15, 16, 17, 40})
      for (const size_t blocks : {1, 3, 18}) check_round_trip(type, rows, blocks * step, random);
  }
}

TEST_CASE("tensor/pack: the layout is the one that packed.h describes") {
  // Two Q4_1 rows of one block: row r has d = 1, m = 2 and nibbles (i + r) & 15 low, (i + r + 1) & 15 high.
  uint8_t file[2][20];
  for (size_t r = 0; r < 2; ++r) {
    const uint16_t scales[2] = {0x3c00, 0x4000};
    std::memcpy(file[r], scales, 4);
    for (size_t i = 0; i < 16; ++i) file[r][4 + i] = static_cast<uint8_t>(((i + r) & 15) | (((i + r + 1) & 15) << 4));
  }
  PackedMatrix matrix(DType::kQ4_1, 2, 32, "test matrix");
  matrix.pack_group(0, file, 2);
  const uint8_t* group = matrix.view().group(0);
  for (size_t r = 0; r < 2; ++r)
    for (size_t i = 0; i < 16; ++i) CHECK(group[i / 4 * 64 + r * 4 + i % 4] == file[r][4 + i]);
  const auto* scales = reinterpret_cast<const uint16_t*>(group + 256);
  CHECK(scales[0] == 0x3c00);
  CHECK(scales[1] == 0x3c00);
  CHECK(scales[2] == 0);  // rows past the end
  CHECK(scales[16] == 0x4000);
  float row[32];
  unpack_row(row, matrix.view(), 1);
  CHECK(row[3] == 6.0f);
  CHECK(row[19] == 7.0f);
}

TEST_CASE("tensor/pack: Q8_0 is stored with an offset of 128 and keeps -128") {
  uint8_t file[34] = {0x00, 0x3c};
  file[2] = 0x80;
  file[3] = 0x7f;
  PackedMatrix matrix(DType::kQ8_0, 1, 32, "test matrix");
  matrix.pack_group(0, file, 1);
  CHECK(matrix.view().group(0)[0] == 0);
  CHECK(matrix.view().group(0)[1] == 255);
  float row[32];
  unpack_row(row, matrix.view(), 0);
  CHECK(row[0] == -128.0f);
  CHECK(row[1] == 127.0f);
}

TEST_CASE("tensor/pack: sizes that do not fit are refused") {
  CHECK_THROWS_AS(PackedMatrix(DType::kF32, SIZE_MAX / 2, 1024, "huge"), nxs::Error);
  CHECK_THROWS_AS(group_bytes(DType::kF32, SIZE_MAX / 2), nxs::Error);
}

TEST_CASE("tensor/dtype: numbers and names agree") {
  for (size_t t = 0; t < kDTypes; ++t) {
    const auto type = static_cast<DType>(t);
    DType back{};
    REQUIRE(from_ggml(info(type).ggml_type, &back));
    CHECK(back == type);
    CHECK(std::strcmp(ggml_type_name(info(type).ggml_type), info(type).name) == 0);
  }
  DType unused{};
  CHECK_FALSE(from_ggml(10, &unused));
  CHECK(std::strcmp(ggml_type_name(10), "Q2_K") == 0);
  CHECK(ggml_type_name(4) == nullptr);
  CHECK(ggml_type_name(1000) == nullptr);
}
