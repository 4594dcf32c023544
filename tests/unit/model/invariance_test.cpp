// SPDX-License-Identifier: Apache-2.0 OR MIT
// The promise: logits have the same bits whatever the chunks, pages, threads, instruction set and way of attention.
#include <doctest/doctest.h>

#include <string>

#include "model_support.h"

namespace nxs::model {
namespace {

using tensor::DType;

constexpr size_t kAll = 4096;

std::string describe(const Setting& s) {
  return std::string(kernels::isa_name(s.isa)) + ", " + std::to_string(s.n_threads) + " threads, pages of " +
         std::to_string(s.page_tokens) + ", chunks of " + std::to_string(s.chunk) + ", attention " +
         std::to_string(static_cast<int>(s.attention));
}

// Every chunk size with every instruction set; the other settings go round with different periods, so that they meet.
std::vector<Setting> settings() {
  constexpr uint32_t kPages[] = {1, 16, 64, 256, 4};
  constexpr AttentionMode kModes[] = {AttentionMode::kAuto, AttentionMode::kSplit, AttentionMode::kWalk};
  std::vector<Setting> all;
  unsigned i = 0;
  for (const kernels::Isa isa : present_isas()) {
    for (const size_t chunk : {size_t{1}, size_t{7}, size_t{63}, size_t{64}, kAll}) {
      for (int times = kInstrumented ? 1 : 2; times > 0; --times, ++i)
        all.push_back({isa, 1 + i % 4, kPages[i % 5], chunk, kModes[i % 3]});
    }
  }
  return all;
}

void check_settings(const selftest::TinyModelOptions& options, size_t n_tokens, bool kv_f32) {
  const auto model = open_tiny(options);
  const std::vector<int32_t> tokens = random_tokens(n_tokens, 5);
  const Setting plain{kernels::Isa::kReference, 1, 64, 1, AttentionMode::kWalk};
  const std::vector<Bits> expected = logits_of(model, tokens, plain, kv_f32);
  for (const Setting& setting : settings()) {
    INFO(describe(setting));
    const std::vector<Bits> got = logits_of(model, tokens, setting, kv_f32);
    size_t first = 0;
    while (first < n_tokens && got[first] == expected[first]) ++first;
    CHECK(first == n_tokens);
  }
}

TEST_CASE("model/forward: the same bits over 1,100 tokens for every setting, F16 cache") {
  check_settings({}, 1100, false);
}

TEST_CASE("model/forward: the same bits over 600 tokens for every setting, F32 cache and weights, untied") {
  selftest::TinyModelOptions options;
  options.layers = options.head = DType::kF32;
  options.tied = false;
  options.rope_factors = true;
  check_settings(options, 600, true);
}

TEST_CASE("model/forward: the same bits for each format, one KV head and odd sizes of heads") {
  for (size_t type = 0; type < tensor::kDTypes; ++type) {
    selftest::TinyModelOptions options;
    options.layers = static_cast<DType>(type);
    options.head = static_cast<DType>((type + 2) % tensor::kDTypes);
    options.n_embd = 96;
    options.n_heads = type % 2 == 0 ? 16 : 3;  // heads of 6 and of 32 values
    options.n_heads_kv = type % 2 == 0 ? 4 : 1;
    options.n_ff = 160;
    options.n_vocab = 333;
    const auto is_k = [](DType t) { return tensor::info(t).block_elems == tensor::kBlockK; };
    if (is_k(options.layers) || is_k(options.head)) {
      options.n_layers = 1;
      options.n_embd = options.n_ff = 256;
      options.n_heads = type % 2 == 0 ? 16 : 4;
    }
    INFO(tensor::info(options.layers).name);
    check_settings(options, kInstrumented ? 100 : 300, type % 2 == 1);
  }
}

}  // namespace
}  // namespace nxs::model
