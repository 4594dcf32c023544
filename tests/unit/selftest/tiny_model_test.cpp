// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "selftest/tiny_model.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/digest.h"
#include "gguf/gguf.h"
#include "support/error_of.h"
#include "tensor/pack.h"

namespace nxs::selftest {

namespace {

struct Open {
  std::vector<uint8_t> bytes;
  gguf::File file;
};

Open open(const TinyModelOptions& options) {
  Open out{tiny_model(options), {}};
  out.file = gguf::File::parse(*borrow_memory(out.bytes.data(), out.bytes.size()));
  return out;
}

std::vector<float> values(const Open& model, const char* name) {
  const gguf::TensorInfo* info = model.file.find_tensor(name);
  REQUIRE(info != nullptr);
  std::vector<float> out(static_cast<size_t>(info->shape[0] * info->rows()));
  tensor::dequantize(out.data(), info->type, model.bytes.data() + info->offset, out.size());
  return out;
}

double deviation(const std::vector<float>& v) {
  double squares = 0;
  for (const float x : v) squares += double{x} * double{x};
  return std::sqrt(squares / static_cast<double>(v.size()));
}

}  // namespace

TEST_CASE("selftest/tiny_model: the bytes are the same on every machine") {
  const std::vector<uint8_t> bytes = tiny_model({});
  CHECK(digest_of(bytes.data(), bytes.size()).hex() == "51dee726d5900d26ea741c67ef208877");
  TinyModelOptions options;
  options.layers = options.head = tensor::DType::kF16;
  options.tied = false;
  options.rope_factors = true;
  const std::vector<uint8_t> other = tiny_model(options);
  CHECK(digest_of(other.data(), other.size()).hex() == "246a7acd8acad3641d7d797fe5b88893");
}

TEST_CASE("selftest/tiny_model: another seed, another model") {
  TinyModelOptions options;
  options.seed = 2;
  CHECK(tiny_model(options) != tiny_model({}));
}

TEST_CASE("selftest/tiny_model: every format holds the same weights, as closely as it can") {
  TinyModelOptions options;
  options.n_embd = options.n_ff = 256;
  options.layers = options.head = tensor::DType::kF32;
  const Open exact = open(options);
  for (size_t type = 0; type < tensor::kDTypes; ++type) {
    options.layers = options.head = static_cast<tensor::DType>(type);
    const Open model = open(options);
    for (const char* name :
         {"token_embd.weight", "blk.0.attn_k.weight", "blk.0.ffn_down.weight", "blk.1.ffn_down.weight"}) {
      CAPTURE(tensor::info(options.layers).name);
      CAPTURE(name);
      const std::vector<float> a = values(exact, name), b = values(model, name);
      REQUIRE(a.size() == b.size());
      std::vector<float> difference(a.size());
      for (size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
      CHECK(deviation(difference) < 0.15 * deviation(a));
    }
  }
}

TEST_CASE("selftest/tiny_model: matrices have a healthy size") {
  const Open model = open({});
  const double expected = 1 / std::sqrt(64.0);
  for (const char* name : {"blk.0.attn_q.weight", "blk.0.ffn_up.weight"}) {
    CHECK(deviation(values(model, name)) > expected / 2);
    CHECK(deviation(values(model, name)) < expected * 2);
  }
  for (const float w : values(model, "output_norm.weight")) CHECK((w >= 0.875f && w <= 1.125f));
}

TEST_CASE("selftest/tiny_model: optional parts") {
  TinyModelOptions options;
  options.tied = false;
  options.rope_factors = true;
  options.chat_template = false;
  const Open model = open(options);
  CHECK(values(model, "output.weight") != values(model, "token_embd.weight"));
  CHECK(values(model, "rope_freqs.weight") == std::vector<float>{1, 1, 2, 2, 3, 3, 4, 4});
  CHECK(model.file.string("tokenizer.chat_template") == nullptr);
  const Open plain = open({});
  CHECK(plain.file.find_tensor("output.weight") == nullptr);
  CHECK(plain.file.find_tensor("rope_freqs.weight") == nullptr);
  CHECK(plain.file.required_string("tokenizer.chat_template").size() == 368);
}

TEST_CASE("selftest/tiny_model: sizes that make no model are refused") {
  const auto refused = [](auto&& spoil) {
    TinyModelOptions options;
    spoil(options);
    CHECK(test::error_of([&] { tiny_model(options); }).status == Status::kArgument);
  };
  refused([](TinyModelOptions& o) { o.n_vocab = 258; });
  refused([](TinyModelOptions& o) { o.n_layers = 0; });
  refused([](TinyModelOptions& o) { o.n_embd = 48; });
  refused([](TinyModelOptions& o) { o.n_heads_kv = 3; });
  refused([](TinyModelOptions& o) { o.n_heads = 64; });
  refused([](TinyModelOptions& o) { o.n_ff = 0; });
  refused([](TinyModelOptions& o) { o.head = tensor::DType::kQ6_K; });
  refused([](TinyModelOptions& o) {
    o.layers = tensor::DType::kQ4_K;
    o.n_embd = 256;
  });
  refused([](TinyModelOptions& o) { o.echo = 2.0f; });
}

}  // namespace nxs::selftest
