// SPDX-License-Identifier: Apache-2.0 OR MIT
// Files whose parts are well-formed and do not fit together, or fit in an awkward way, through Model::open.
#include <doctest/doctest.h>

#include <functional>

#include "model_support.h"
#include "support/error_of.h"
#include "support/raw_gguf.h"

namespace nxs::model {
namespace {

using test::put;
using test::RawGguf;

RawGguf tiny() {
  return RawGguf::of(selftest::tiny_model({}));
}

void refused(Status status, const std::string& names, const std::function<void(RawGguf&)>& spoil) {
  RawGguf raw = tiny();
  spoil(raw);
  const test::Thrown thrown = test::error_of([&] { open_bytes(raw.bytes()); });
  CAPTURE(names);
  CAPTURE(thrown.message);
  CHECK(thrown.status == status);
  CHECK(thrown.names(names));
}

/// An array of `n` equal bytes of type u8 (0) or i8 (1).
std::vector<uint8_t> byte_array(uint32_t type, uint64_t n, uint8_t byte) {
  std::vector<uint8_t> out;
  put(out, type, n);
  out.resize(out.size() + n, byte);
  return out;
}

constexpr uint32_t kArray = 9;

TEST_CASE("model/hostile: hyper-parameters that contradict themselves") {
  for (const char* key : {"llama.attention.head_count", "llama.attention.head_count_kv", "llama.context_length",
                          "llama.block_count", "llama.embedding_length", "llama.feed_forward_length"}) {
    refused(Status::kFormat, key, [&](RawGguf& r) { r.set_u32(key, 0); });
  }
  refused(Status::kFormat, "head_count_kv", [](RawGguf& r) { r.set_u32("llama.attention.head_count_kv", 3); });
  refused(Status::kFormat, "block_count", [](RawGguf& r) { r.set_u32("llama.block_count", 1u << 31); });
  refused(Status::kFormat, "blk.2.", [](RawGguf& r) { r.set_u32("llama.block_count", 3); });
  refused(Status::kUnsupported, "blk.1.", [](RawGguf& r) { r.set_u32("llama.block_count", 1); });
  refused(Status::kFormat, "token_embd.weight", [](RawGguf& r) {
    r.erase("llama.rope.dimension_count");
    r.set_u32("llama.embedding_length", 128);
  });
  refused(Status::kFormat, "ffn_gate.weight", [](RawGguf& r) { r.set_u32("llama.feed_forward_length", 96); });
}

TEST_CASE("model/hostile: a vocabulary that contradicts itself") {
  for (const char* key :
       {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.bos_token_id", "tokenizer.ggml.eot_token_id"}) {
    for (const uint32_t id : {320u, 0x7fffffffu, 0xffffffffu}) {
      refused(Status::kFormat, key, [&](RawGguf& r) { r.set_u32(key, id); });
    }
  }
  const char* merges = "tokenizer.ggml.merges";
  for (const char* merge : {"a qqq", "qqq a", "z z", "a", " a", ""}) {
    refused(Status::kFormat, merges, [&](RawGguf& r) { r.set_texts(merges, {merge}); });
  }
  const char* types = "tokenizer.ggml.token_type";
  refused(Status::kFormat, types, [&](RawGguf& r) { r.set(types, kArray, byte_array(0, 319, 1)); });
  refused(Status::kFormat, types, [&](RawGguf& r) { r.set(types, kArray, byte_array(1, 320, 0xff)); });
  const char* tokens = "tokenizer.ggml.tokens";
  refused(Status::kFormat, tokens, [&](RawGguf& r) { r.set(tokens, kArray, byte_array(0, 320, 1)); });
  refused(Status::kFormat, tokens, [&](RawGguf& r) { r.erase(tokens); });
  refused(Status::kFormat, tokens, [&](RawGguf& r) { r.set_texts(tokens, {}); });
  refused(Status::kFormat, "vocab_size", [](RawGguf& r) { r.set_u32("llama.vocab_size", 319); });
}

TEST_CASE("model/hostile: what this version lacks is named") {
  refused(Status::kUnsupported, "'mamba'", [](RawGguf& r) { r.set_text("general.architecture", "mamba"); });
  refused(Status::kUnsupported, "split.count", [](RawGguf& r) { r.set_u32("split.count", 2); });
  refused(Status::kUnsupported, "tokenizer.ggml.pre", [](RawGguf& r) { r.erase("tokenizer.ggml.pre"); });
  refused(Status::kUnsupported, "tokenizer.ggml.pre", [](RawGguf& r) { r.set_text("tokenizer.ggml.pre", "other"); });
  refused(Status::kUnsupported, "tokenizer.ggml.model", [](RawGguf& r) { r.set_text("tokenizer.ggml.model", "bert"); });
  refused(Status::kUnsupported, "Q2_K", [](RawGguf& r) { r.tensor("blk.0.ffn_up.weight").type = 10; });
}

TEST_CASE("model/hostile: a vocabulary without tensors is no model") {
  refused(Status::kFormat, "0 tensors", [](RawGguf& r) { r.tensors.clear(); });
}

TEST_CASE("model/hostile: awkward files that are models") {
  RawGguf raw = tiny();
  raw.set("tokenizer.ggml.token_type", kArray, byte_array(0, 320, 1));  // u8 instead of i32, and no control token
  CHECK(open_bytes(raw.bytes())->config.n_vocab == 320);

  raw = tiny();
  raw.tensors.push_back({"rope_freqs.weight", {8}, 0, {}, {}, {}});
  for (int i = 0; i < 8; ++i) put(raw.tensors.back().data, 0x40000000u);  // 2.0
  CHECK(open_bytes(raw.bytes())->weights.rope_factors == std::vector<float>(8, 2.0f));

  CHECK(open_bytes(tiny().bytes())->weights.output.bytes() == 0);  // tied: the head is the embedding

  raw = tiny();
  raw.set_u32("general.alignment", 4096);
  raw.alignment = 4096;
  CHECK(open_bytes(raw.bytes())->digest == open_bytes(tiny().bytes())->digest);
}

}  // namespace
}  // namespace nxs::model
