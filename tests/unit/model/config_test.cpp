// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model/config.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "selftest/tiny_model.h"
#include "support/error_of.h"
#include "support/raw_gguf.h"

namespace nxs::model {
namespace {

using test::RawGguf;

constexpr size_t kVocab = 320;

Config read(const RawGguf& raw) {
  const std::vector<uint8_t> bytes = raw.bytes();
  return Config::read(gguf::File::parse(*borrow_memory(bytes.data(), bytes.size())), kVocab);
}

RawGguf tiny() {
  return RawGguf::of(selftest::tiny_model({}));
}

void refused(Status status, const char* names, const std::function<void(RawGguf&)>& spoil) {
  RawGguf raw = tiny();
  spoil(raw);
  const test::Thrown thrown = test::error_of([&] { read(raw); });
  CAPTURE(std::string(names));
  CAPTURE(thrown.message);
  CHECK(thrown.status == status);
  CHECK(thrown.names(names));
}

TEST_CASE("model/config: what the tiny model says") {
  const Config c = read(tiny());
  CHECK(c.n_vocab == 320);
  CHECK(c.n_layers == 2);
  CHECK(c.n_embd == 64);
  CHECK(c.n_heads == 4);
  CHECK(c.n_heads_kv == 2);
  CHECK(c.head_dim == 16);
  CHECK(c.n_ff == 128);
  CHECK(c.n_ctx == 2048);
  CHECK(c.norm_eps == 0x1p-17f);
  CHECK(c.rope_base == 10000.0);
  CHECK(c.rope_scale == 1.0);
}

TEST_CASE("model/config: optional keys and their defaults") {
  RawGguf raw = tiny();
  raw.erase("llama.attention.head_count_kv");
  raw.erase("llama.rope.dimension_count");
  raw.erase("llama.rope.freq_base");
  raw.erase("llama.vocab_size");
  raw.set_text("llama.rope.scaling.type", "linear");
  raw.set_f32("llama.rope.scaling.factor", 4.0f);
  const Config c = read(raw);
  CHECK(c.n_heads_kv == 4);
  CHECK(c.rope_base == 10000.0);
  CHECK(c.rope_scale == 0.25);
  raw.set_text("llama.rope.scaling.type", "none");
  CHECK(read(raw).rope_scale == 1.0);
}

TEST_CASE("model/config: a head length of its own") {
  RawGguf raw = tiny();
  for (const char* key : {"attention.key_length", "attention.value_length", "rope.dimension_count"}) {
    raw.set_u32(std::string("llama.") + key, 24);
  }
  CHECK(read(raw).head_dim == 24);
}

TEST_CASE("model/config: variants of the architecture are refused by key") {
  const auto unsupported = [](const char* names, const std::function<void(RawGguf&)>& spoil) {
    refused(Status::kUnsupported, names, spoil);
  };
  unsupported("'gemma'", [](RawGguf& r) { r.set_text("general.architecture", "gemma"); });
  unsupported("expert_count", [](RawGguf& r) { r.set_u32("llama.expert_count", 8); });
  unsupported("logit_scale", [](RawGguf& r) { r.set_f32("llama.logit_scale", 2.0f); });
  unsupported("'yarn'", [](RawGguf& r) { r.set_text("llama.rope.scaling.type", "yarn"); });
  unsupported("rope.dimension_count", [](RawGguf& r) { r.set_u32("llama.rope.dimension_count", 8); });
  unsupported("value_length", [](RawGguf& r) { r.set_u32("llama.attention.value_length", 8); });
  unsupported("embedding_length", [](RawGguf& r) {
    r.erase("llama.rope.dimension_count");
    r.set_u32("llama.embedding_length", 72);
  });
  unsupported("feed_forward_length", [](RawGguf& r) { r.set_u32("llama.feed_forward_length", 100); });
  unsupported("head_count", [](RawGguf& r) {
    r.erase("llama.rope.dimension_count");
    r.set_u32("llama.attention.key_length", 20);
  });
  for (const uint32_t head_dim : {17u, 272u}) {
    unsupported("key_length", [&](RawGguf& r) {
      r.erase("llama.rope.dimension_count");
      r.set_u32("llama.attention.key_length", head_dim);
    });
  }
}

TEST_CASE("model/config: missing, zero and contradicting values are format errors by key") {
  const auto broken = [](const char* names, const std::function<void(RawGguf&)>& spoil) {
    refused(Status::kFormat, names, spoil);
  };
  for (const char* name :
       {"block_count", "context_length", "embedding_length", "feed_forward_length", "attention.head_count"}) {
    const std::string key = std::string("llama.") + name;
    broken(name, [&](RawGguf& r) { r.erase(key); });
    broken(name, [&](RawGguf& r) { r.set_u32(key, 0); });
    broken(name, [&](RawGguf& r) { r.set_u32(key, 0xffffffffu); });
    broken(name, [&](RawGguf& r) { r.set_text(key, "many"); });
  }
  broken("head_count_kv", [](RawGguf& r) { r.set_u32("llama.attention.head_count_kv", 0); });
  broken("head_count_kv", [](RawGguf& r) { r.set_u32("llama.attention.head_count_kv", 3); });
  broken("head_count", [](RawGguf& r) { r.set_u32("llama.attention.head_count", 6); });
  broken("rms_epsilon", [](RawGguf& r) { r.erase("llama.attention.layer_norm_rms_epsilon"); });
  broken("rms_epsilon", [](RawGguf& r) { r.set_f32("llama.attention.layer_norm_rms_epsilon", -1.0f); });
  broken("freq_base", [](RawGguf& r) { r.set_f32("llama.rope.freq_base", 0.0f); });
  broken("scaling.factor", [](RawGguf& r) { r.set_text("llama.rope.scaling.type", "linear"); });
  broken("vocab_size", [](RawGguf& r) { r.set_u32("llama.vocab_size", 321); });
  broken("general.architecture", [](RawGguf& r) { r.erase("general.architecture"); });
}

TEST_CASE("model/config: each value that decides a number enters the digest") {
  const auto digest = [](const Config& c) {
    Hasher hasher;
    c.add_to(hasher);
    return hasher.finish();
  };
  const Config base = read(tiny());
  std::vector<Config> others(4, base);
  others[0].norm_eps *= 2;
  others[1].rope_base = 500000;
  others[2].rope_scale = 0.5;
  others[3].n_ctx = 1024;
  for (const Config& other : others) CHECK(digest(other) != digest(base));
}

}  // namespace
}  // namespace nxs::model
