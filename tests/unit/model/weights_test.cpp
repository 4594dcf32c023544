// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model/weights.h"

#include <doctest/doctest.h>

#include <cstring>

#include "model_support.h"
#include "support/error_of.h"
#include "support/raw_gguf.h"

namespace nxs::model {
namespace {

using tensor::DType;
using test::RawGguf;

RawGguf tiny() {
  return RawGguf::of(selftest::tiny_model({}));
}

test::Thrown open_error(const RawGguf& raw) {
  return test::error_of([&] { open_bytes(raw.bytes()); });
}

/// Fails where a file has been cut short after it was opened.
class FailingSource : public Source {
 public:
  FailingSource(const Source& source, uint64_t end) : source_(source), end_(end) {}
  uint64_t size() const override { return source_.size(); }
  void read(uint64_t offset, void* out, size_t n) const override {
    if (offset + n > end_) fail(Status::kIo, "no byte at %llu", static_cast<unsigned long long>(end_));
    source_.read(offset, out, n);
  }

 private:
  const Source& source_;
  uint64_t end_;
};

TEST_CASE("model/weights: packed rows are the file's rows") {
  const std::vector<uint8_t> bytes = selftest::tiny_model({});
  const auto source = borrow_memory(bytes.data(), bytes.size());
  const gguf::File file = gguf::File::parse(*source);
  const auto model = Model::open(*source, 2, 0);
  const gguf::TensorInfo& info = *file.find_tensor("blk.1.ffn_down.weight");
  const size_t cols = info.shape[0];
  std::vector<float> expected(cols * info.rows()), row(cols);
  tensor::dequantize(expected.data(), info.type, bytes.data() + info.offset, expected.size());
  for (size_t r = 0; r < info.rows(); ++r) {
    tensor::unpack_row(row.data(), model->weights.layers[1].down.view(), r);
    CHECK(std::memcmp(row.data(), &expected[r * cols], cols * sizeof(float)) == 0);
  }
}

TEST_CASE("model/weights: one digest for any number of threads, another for another bit") {
  selftest::TinyModelOptions options;
  options.n_vocab = 20000;  // an embedding of more than one slice
  const std::vector<uint8_t> bytes = selftest::tiny_model(options);
  const auto one = open_bytes(bytes, 1);
  for (const unsigned threads : {2u, 3u, 4u}) CHECK(open_bytes(bytes, threads)->digest == one->digest);
  RawGguf raw = RawGguf::of(bytes);
  raw.tensor("blk.0.attn_q.weight").data[100] ^= 1;
  CHECK(open_bytes(raw.bytes())->digest != one->digest);
}

TEST_CASE("model/weights: the order of tensors in the file does not matter") {
  RawGguf raw = tiny();
  const Digest digest = open_bytes(raw.bytes())->digest;
  std::swap(raw.tensors.front(), raw.tensors.back());
  CHECK(open_bytes(raw.bytes())->digest == digest);
}

TEST_CASE("model/weights: missing, misshapen and unknown tensors by name") {
  for (const char* name :
       {"token_embd.weight", "output_norm.weight", "blk.1.attn_norm.weight", "blk.0.ffn_up.weight"}) {
    RawGguf raw = tiny();
    raw.erase_tensor(name);
    const test::Thrown thrown = open_error(raw);
    CHECK(thrown.status == Status::kFormat);
    CHECK(thrown.names(name));
  }
  RawGguf turned = tiny();
  std::swap(turned.tensor("blk.0.ffn_down.weight").shape[0], turned.tensor("blk.0.ffn_down.weight").shape[1]);
  CHECK(open_error(turned).status == Status::kFormat);
  CHECK(open_error(turned).names("blk.0.ffn_down.weight"));
  for (const char* name : {"blk.0.attn_q.bias", "blk.2.attn_norm.weight", "blk.0.ffn_gate_inp.weight"}) {
    RawGguf raw = tiny();
    raw.tensors.push_back({name, {8}, 0, std::vector<uint8_t>(32), {}, {}});
    CHECK(open_error(raw).status == Status::kUnsupported);
    CHECK(open_error(raw).names(name));
  }
  RawGguf many = tiny();
  many.set_u32("llama.block_count", 1u << 27);
  CHECK(open_error(many).status == Status::kFormat);
}

TEST_CASE("model/weights: a norm may be F16 but not quantised") {
  RawGguf raw = tiny();
  auto& norm = raw.tensor("output_norm.weight");
  const size_t n = norm.shape[0];
  norm.type = tensor::info(DType::kF16).ggml_type;
  norm.data.assign(2 * n, 0);
  for (size_t i = 0; i < n; ++i) norm.data[2 * i + 1] = 0x3c;  // 1.0
  const auto model = open_bytes(raw.bytes());
  CHECK(model->weights.output_norm[n - 1] == 1.0f);
  norm.type = tensor::info(DType::kQ8_0).ggml_type;
  norm.data.assign(n / 32 * 34, 0);
  CHECK(open_error(raw).status == Status::kUnsupported);
  CHECK(open_error(raw).names("output_norm.weight"));
}

TEST_CASE("model/weights: a file that ends while it is read is an IO error, whoever reads") {
  const std::vector<uint8_t> bytes = selftest::tiny_model({});
  const auto source = borrow_memory(bytes.data(), bytes.size());
  for (const unsigned threads : {1u, 3u}) {
    const FailingSource failing(*source, bytes.size() - 1000);
    CHECK(test::error_of([&] { Model::open(failing, threads, 0); }).status == Status::kIo);
  }
}

TEST_CASE("model/weights: the memory that is needed is known before it is taken") {
  for (const bool tied : {true, false}) {
    selftest::TinyModelOptions options;
    options.tied = tied;
    const std::vector<uint8_t> bytes = selftest::tiny_model(options);
    const auto source = borrow_memory(bytes.data(), bytes.size());
    const gguf::File file = gguf::File::parse(*source);
    const auto model = Model::open(*source, 1, 0);
    CHECK(model->weights.bytes() == Weights::bytes_needed(file));
    const auto needed = static_cast<int64_t>(model->bytes());
    CHECK(Model::open(*source, 1, needed) != nullptr);
    CHECK(test::error_of([&] { Model::open(*source, 1, needed - 1); }).status == Status::kMemory);
  }
}

}  // namespace
}  // namespace nxs::model
