// SPDX-License-Identifier: Apache-2.0 OR MIT
#include <doctest/doctest.h>

#include "selftest/tiny_model.h"
#include "small_file.h"

namespace nxs::test {

TEST_CASE("gguf: the tiny model comes back as it was written") {
  for (size_t type = 0; type < tensor::kDTypes; ++type) {
    selftest::TinyModelOptions options;
    options.layers = options.head = static_cast<tensor::DType>(type);
    options.tied = type % 2 == 0;
    options.n_embd = options.n_ff = 256;  // a block of any format
    const std::vector<uint8_t> bytes = selftest::tiny_model(options);
    const gguf::File file = parse(bytes);
    CHECK(file.required_string("general.architecture") == "llama");
    CHECK(file.required_uint("llama.block_count") == 2);
    CHECK(file.required_strings("tokenizer.ggml.tokens").size() == options.n_vocab);
    CHECK((file.find_tensor("output.weight") == nullptr) == options.tied);
    const gguf::TensorInfo* embedding = file.find_tensor("token_embd.weight");
    REQUIRE(embedding != nullptr);
    CHECK(embedding->type == options.head);
    CHECK(embedding->shape == std::vector<uint64_t>{options.n_embd, options.n_vocab});
    CHECK(file.find_tensor("blk.1.ffn_down.weight")->type == options.layers);
    CHECK(RawGguf::of(bytes).bytes() == bytes);
  }
}

TEST_CASE("gguf: typed access names the key") {
  const gguf::File file = parse(small_file().bytes());
  CHECK(*file.string("general.name") == "small");
  const StringTable& strings = file.required_strings("some.words");
  REQUIRE(strings.size() == 3);
  CHECK(strings[0] == "one");
  CHECK(strings[1] == "");
  CHECK(strings[2] == "three");
  CHECK(file.string("absent") == nullptr);
  CHECK_FALSE(file.uint("absent").has_value());
  CHECK_FALSE(file.real("absent").has_value());
  CHECK_FALSE(file.boolean("absent").has_value());
  const auto expect = [](auto&& call, const char* words) {
    const Thrown thrown = error_of(call);
    CHECK(thrown.status == Status::kFormat);
    CHECK(thrown.names(words));
  };
  expect([&] { file.required_uint("absent"); }, "key 'absent' is missing");
  expect([&] { file.required_string("absent"); }, "key 'absent' is missing");
  expect([&] { file.required_strings("absent"); }, "key 'absent' is missing");
  expect([&] { file.uint("general.name"); }, "key 'general.name'");
  expect([&] { file.real("some.count"); }, "key 'some.count'");
  expect([&] { file.boolean("some.count"); }, "key 'some.count'");
  expect([&] { file.string("some.count"); }, "key 'some.count'");
  expect([&] { file.required_strings("some.count"); }, "key 'some.count'");
  expect([&] { file.integers("some.words"); }, "key 'some.words'");
}

TEST_CASE("gguf: a file without tensors is a vocabulary") {
  RawGguf raw = small_file();
  raw.tensors.clear();
  CHECK(parse(raw.bytes()).tensors().empty());
}

}  // namespace nxs::test
