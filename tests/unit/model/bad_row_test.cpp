// SPDX-License-Identifier: Apache-2.0 OR MIT
// Rows that meet a non-finite value: they are reported with the layer, store zeros, and leave all other rows' bits
// alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "model_support.h"
#include "support/raw_gguf.h"

namespace nxs::model {
namespace {

using test::RawGguf;

constexpr int32_t kBadToken = 77;
constexpr size_t kEmbd = 64;

RawGguf tiny_f32() {
  selftest::TinyModelOptions options;
  options.layers = options.head = tensor::DType::kF32;
  options.tied = false;
  return RawGguf::of(selftest::tiny_model(options));
}

void set_element(test::RawTensor& t, size_t row, size_t col, float value) {
  std::memcpy(t.data.data() + (row * t.shape[0] + col) * sizeof value, &value, sizeof value);
}

/// Bits and bad layers of a text, fed in chunks.
struct Outcome {
  std::vector<Bits> bits;
  std::vector<int32_t> bad;
};

Outcome run(const std::shared_ptr<const Model>& model, std::span<const int32_t> tokens, const Setting& s, bool kv_f32) {
  Engine engine(model, engine_options(s, kv_f32));
  kv::Sequence sequence(engine.pages());
  Outcome out;
  for (size_t at = 0; at < tokens.size(); at += s.chunk) {
    const auto part = tokens.subspan(at, std::min(s.chunk, tokens.size() - at));
    for (Bits& bits : feed(engine, sequence, part, part.size())) out.bits.push_back(std::move(bits));
    for (size_t i = 0; i < part.size(); ++i) out.bad.push_back(engine.bad_layer(i));
  }
  return out;
}

std::vector<int32_t> text_with_bad(size_t n, size_t at) {
  std::vector<int32_t> tokens = random_tokens(n, 6);
  for (int32_t& token : tokens) token = token == kBadToken ? kBadToken + 1 : token;
  tokens[at] = kBadToken;
  return tokens;
}

// The rows before the bad one equal those of a text without it, the later ones agree in all settings.
void check_one_bad(const RawGguf& raw, bool kv_f32, int32_t layer) {
  constexpr size_t kAt = 100;
  const auto model = open_bytes(raw.bytes());
  std::vector<int32_t> tokens = text_with_bad(300, kAt);
  const Outcome plain = run(model, tokens, {.isa = kernels::Isa::kReference, .chunk = 1}, kv_f32);
  for (size_t i = 0; i < tokens.size(); ++i) CHECK(plain.bad[i] == (i == kAt ? layer : -1));
  tokens[kAt] = 1;
  const Outcome without = run(model, tokens, {}, kv_f32);
  for (size_t i = 0; i < kAt; ++i) CHECK(plain.bits[i] == without.bits[i]);
  tokens[kAt] = kBadToken;
  for (const kernels::Isa isa : present_isas()) {
    for (const size_t chunk : {7u, 64u, 300u}) {
      const Outcome other = run(model, tokens, {.isa = isa, .n_threads = 2, .page_tokens = 8, .chunk = chunk}, kv_f32);
      CHECK(other.bad == plain.bad);
      for (size_t i = 0; i < tokens.size(); ++i) {
        if (i != kAt) CHECK(other.bits[i] == plain.bits[i]);
      }
    }
  }
}

TEST_CASE("model/bad_row: an infinite embedding makes one row bad at layer 0") {
  RawGguf raw = tiny_f32();
  set_element(raw.tensor("token_embd.weight"), kBadToken, 3, std::numeric_limits<float>::infinity());
  check_one_bad(raw, false, 0);
  check_one_bad(raw, true, 0);
}

// Channel 0 of the embedding is the bad token's alone, and the first value of layer 0 grows with it beyond F16.
RawGguf large_value() {
  RawGguf raw = tiny_f32();
  test::RawTensor& embedding = raw.tensor("token_embd.weight");
  for (size_t row = 0; row < embedding.shape[1]; ++row) set_element(embedding, row, 0, row == kBadToken ? 1.0f : 0.0f);
  set_element(raw.tensor("blk.0.attn_v.weight"), 0, 0, 1e6f);
  return raw;
}

TEST_CASE("model/bad_row: a value that F16 cannot hold makes one row bad, in an F16 cache only") {
  check_one_bad(large_value(), false, 0);
  const Outcome f32 = run(open_bytes(large_value().bytes()), text_with_bad(300, 100), {}, true);
  for (const int32_t layer : f32.bad) CHECK(layer == -1);
}

TEST_CASE("model/bad_row: other sequences in the same forward keep their bits") {
  const auto model = open_bytes(large_value().bytes());
  const std::vector<int32_t> good = text_with_bad(40, 0), bad = text_with_bad(40, 20);
  const std::span<const int32_t> tail = std::span(good).subspan(1);
  const std::vector<Bits> alone = logits_of(model, tail, {});
  Engine engine(model, engine_options({.n_threads = 2}, false));
  kv::Sequence a(engine.pages()), b(engine.pages());
  kv::Sequence* const both[] = {&a, &b};
  std::vector<Row> rows;
  for (size_t i = 0; i < tail.size(); ++i) {
    rows.push_back({bad[i], 0, static_cast<int64_t>(i), true});
    rows.push_back({tail[i], 1, static_cast<int64_t>(i), true});
  }
  engine.forward(both, rows);
  for (size_t i = 0; i < tail.size(); ++i) CHECK(bits_of(engine.logits(2 * i + 1)) == alone[i]);
  CHECK(engine.bad_layer(40) == 0);
}

TEST_CASE("model/bad_row: a bad row's keys and values are zeros in every layer") {
  const auto model = open_bytes(large_value().bytes());
  const std::vector<int32_t> tokens = text_with_bad(30, 20);
  Engine engine(model, engine_options({}, false));
  kv::Sequence sequence(engine.pages());
  feed(engine, sequence, tokens, 30);
  const kv::PageLayout& layout = engine.pages().layout();
  for (size_t layer = 0; layer < 2; ++layer) {
    for (size_t head = 0; head < 2; ++head) {
      const auto* k = reinterpret_cast<const uint16_t*>(sequence.k_tile(layer, head, 20));
      const auto* v = reinterpret_cast<const uint16_t*>(sequence.v_row(layer, head, 20));
      for (size_t d = 0; d < layout.head_dim; ++d) CHECK((k[d * layout.lanes + 20 % layout.lanes] == 0 && v[d] == 0));
    }
  }
}

TEST_CASE("model/bad_row: infinite logits are found at the head, and are no argmax") {
  RawGguf raw = tiny_f32();
  for (size_t c = 0; c < kEmbd; ++c) set_element(raw.tensor("output.weight"), 9, c, c % 2 == 0 ? 3e38f : -3e38f);
  const auto model = open_bytes(raw.bytes());
  for (const unsigned threads : {1u, 4u}) {
    Engine engine(model, engine_options({.n_threads = threads}, false));
    kv::Sequence sequence(engine.pages());
    feed(engine, sequence, random_tokens(30, 7), 30);
    size_t n_bad = 0;
    for (size_t i = 0; i < 30; ++i) {
      const bool finite = std::isfinite(engine.logits(i)[9]);
      CHECK(engine.bad_layer(i) == (finite ? -1 : 2));
      if (!finite) CHECK(engine.argmax(i) == 0);
      n_bad += finite ? 0 : 1;
    }
    CHECK(n_bad > 0);
  }
}

}  // namespace
}  // namespace nxs::model
