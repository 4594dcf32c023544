// SPDX-License-Identifier: Apache-2.0 OR MIT
// The engine against plain loops in double. F32 weights and cache leave rounding only; formats with quantised
// activations differ by what quantising them to 8 bits costs.
#include "support/oracle.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "model_support.h"
#include "selftest/tiny_matrix.h"
#include "support/oracle_weights.h"
#include "tensor/pack.h"

namespace nxs::model {
namespace {

using tensor::DType;

// Largest difference of a logit over all rows.
double distance(const selftest::TinyModelOptions& options, bool kv_f32, size_t n_tokens) {
  const std::vector<uint8_t> bytes = selftest::tiny_model(options);
  const std::vector<int32_t> tokens = random_tokens(n_tokens, 11);
  const auto expected = test::Oracle(*borrow_memory(bytes.data(), bytes.size())).logits(tokens);
  const std::vector<Bits> got = logits_of(open_bytes(bytes), tokens, {.chunk = 50}, kv_f32);
  double largest = 0, size = 0;
  for (size_t r = 0; r < tokens.size(); ++r) {
    for (size_t i = 0; i < expected[r].size(); ++i) {
      largest = std::max(largest, std::abs(expected[r][i] - static_cast<double>(std::bit_cast<float>(got[r][i]))));
      size = std::max(size, std::abs(expected[r][i]));
    }
  }
  MESSAGE(std::string(tensor::info(options.layers).name), kv_f32 ? ", F32 cache" : ", F16 cache",
          ": largest difference ", largest, ", largest logit ", size);
  return largest;
}

TEST_CASE("model/oracle: F32 weights and cache agree within 1e-3") {
  selftest::TinyModelOptions options;
  options.layers = options.head = DType::kF32;
  CHECK(distance(options, true, 400) < 1e-3);
  options.tied = false;
  options.rope_factors = true;
  options.seed = 2;
  CHECK(distance(options, true, 400) < 1e-3);
  options.echo = 0.0f;
  options.n_embd = 96;
  options.n_heads = 3;
  options.n_heads_kv = 1;
  CHECK(distance(options, true, 400) < 1e-3);
}

TEST_CASE("model/oracle: 16-bit weights are widened exactly") {
  selftest::TinyModelOptions options;
  for (const DType type : {DType::kF16, DType::kBF16}) {
    options.layers = options.head = type;
    CHECK(distance(options, true, 100) < 1e-3);
    CHECK(distance(options, false, 100) < 0.05);
  }
}

TEST_CASE("model/oracle: quantised activations cost little") {
  selftest::TinyModelOptions options;
  for (const DType type : {DType::kQ8_0, DType::kQ4_0, DType::kQ4_1, DType::kQ5_0, DType::kQ5_1}) {
    options.layers = options.head = type;
    CHECK(distance(options, true, 100) < 0.5);
  }
  // The wider model has logits twice as large, and of 256 values the largest decides how fine the others are.
  options.n_embd = options.n_ff = 256;
  for (const DType type : {DType::kQ4_K, DType::kQ5_K, DType::kQ6_K}) {
    options.layers = options.head = type;
    CHECK(distance(options, true, 100) < 2.0);
  }
}

TEST_CASE("model/oracle: elements of every format are decoded alike") {
  selftest::IntegerDraws draws(3);
  const size_t n = 16 * tensor::kBlockK;
  for (size_t type = 0; type < tensor::kDTypes; ++type) {
    const auto format = static_cast<DType>(type);
    const std::vector<uint8_t> bytes = selftest::encode(selftest::random_matrix(draws, 16, n / 16, 0), format, &draws);
    const std::vector<double> expected = test::decode_elements(format, bytes, n);
    std::vector<float> got(n);
    tensor::dequantize(got.data(), format, bytes.data(), n);
    for (size_t i = 0; i < n; ++i) REQUIRE(std::abs(static_cast<double>(got[i]) - expected[i]) < 1e-7);
  }
}

}  // namespace
}  // namespace nxs::model
