// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model/config.h"

#include <cmath>

#include "base/status.h"
#include "gguf/reader.h"
#include "kernels/kernels.h"
#include "tensor/packed.h"

namespace nxs::model {
namespace {

// Above any model of this kind, and far below where products of two such sizes would wrap.
constexpr uint64_t kMaxSize = uint64_t{1} << 28;

std::string key_of(const char* name) {
  return std::string("llama.") + name;
}

size_t checked_size(const std::string& key, uint64_t value) {
  if (value == 0) fail(Status::kFormat, "'%s' is 0", key.c_str());
  if (value > kMaxSize) {
    fail(Status::kFormat, "'%s' is %llu, too large", key.c_str(), static_cast<unsigned long long>(value));
  }
  return static_cast<size_t>(value);
}

size_t required_size(const gguf::File& file, const char* name) {
  const std::string key = key_of(name);
  return checked_size(key, file.required_uint(key));
}

size_t size_or(const gguf::File& file, const char* name, size_t otherwise) {
  const std::string key = key_of(name);
  const auto value = file.uint(key);
  return value ? checked_size(key, *value) : otherwise;
}

void require_positive(const char* name, double value) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    fail(Status::kFormat, "'llama.%s' is %g, not a positive number", name, value);
  }
}

// Keys that would change the arithmetic and that this version knows nothing of.
void refuse_variants(const gguf::File& file) {
  if (const std::string& name = file.required_string("general.architecture"); name != "llama") {
    fail(Status::kUnsupported, "architecture '%s': this version runs 'llama'", gguf::printable(name).c_str());
  }
  for (const char* name : {"expert_count", "attention.sliding_window"}) {
    if (file.uint(key_of(name)).value_or(0) > 0) fail(Status::kUnsupported, "'llama.%s' is not supported", name);
  }
  for (const char* name : {"attention.scale", "logit_scale", "embedding_scale", "residual_scale", "attention.clamp_kqv",
                           "attention.max_alibi_bias"}) {
    if (file.real(key_of(name)).value_or(0.0) != 0.0) fail(Status::kUnsupported, "'llama.%s' is not supported", name);
  }
}

// 1 / factor of linear scaling, 1 without scaling.
double read_rope_scale(const gguf::File& file) {
  const std::string* type = file.string("llama.rope.scaling.type");
  if (type == nullptr) {  // older files know linear scaling only, under another name
    const double factor = file.real("llama.rope.scale_linear").value_or(1.0);
    require_positive("rope.scale_linear", factor);
    return 1.0 / factor;
  }
  if (*type == "none") return 1.0;
  if (*type != "linear") {
    fail(Status::kUnsupported, "'llama.rope.scaling.type' is '%s': only none and linear are",
         gguf::printable(*type).c_str());
  }
  const double factor = file.real("llama.rope.scaling.factor").value_or(0.0);
  require_positive("rope.scaling.factor", factor);
  return 1.0 / factor;
}

void read_heads(const gguf::File& file, Config& c) {
  c.n_heads = required_size(file, "attention.head_count");
  c.n_heads_kv = size_or(file, "attention.head_count_kv", c.n_heads);
  if (c.n_heads % c.n_heads_kv != 0) {
    fail(Status::kFormat, "'llama.attention.head_count' %zu is no multiple of head_count_kv %zu", c.n_heads,
         c.n_heads_kv);
  }
  const auto key_length = file.uint("llama.attention.key_length");
  if (!key_length && c.n_embd % c.n_heads != 0) {
    fail(Status::kFormat, "'llama.embedding_length' %zu is no multiple of attention.head_count %zu", c.n_embd,
         c.n_heads);
  }
  c.head_dim = size_or(file, "attention.key_length", c.n_embd / c.n_heads);
  for (const char* name : {"attention.value_length", "rope.dimension_count"}) {
    if (const size_t n = size_or(file, name, c.head_dim); n != c.head_dim) {
      fail(Status::kUnsupported, "'llama.%s' is %zu: only the head's %zu is supported", name, n, c.head_dim);
    }
  }
  if (c.head_dim % 2 != 0 || c.head_dim > kernels::kMaxHeadDim) {
    fail(Status::kUnsupported, "'llama.attention.key_length': heads of %zu values (even and at most %zu are supported)",
         c.head_dim, kernels::kMaxHeadDim);
  }
}

// Quantisation blocks must not cross the end of a row of activations.
void require_blocks(const char* name, size_t value) {
  if (value % tensor::kBlock != 0) {
    fail(Status::kUnsupported, "'llama.%s': %zu is no multiple of %zu", name, value, tensor::kBlock);
  }
}

}  // namespace

Config Config::read(const gguf::File& file, size_t n_vocab) {
  refuse_variants(file);
  Config c{};
  c.n_vocab = size_or(file, "vocab_size", n_vocab);
  if (c.n_vocab != n_vocab) {
    fail(Status::kFormat, "'llama.vocab_size' is %zu, but the tokenizer has %zu tokens", c.n_vocab, n_vocab);
  }
  c.n_layers = required_size(file, "block_count");
  c.n_embd = required_size(file, "embedding_length");
  c.n_ff = required_size(file, "feed_forward_length");
  c.n_ctx = static_cast<int64_t>(required_size(file, "context_length"));
  read_heads(file, c);
  require_blocks("embedding_length", c.n_embd);
  require_blocks("feed_forward_length", c.n_ff);
  require_blocks("attention.head_count", c.n_heads * c.head_dim);

  const double eps = file.real("llama.attention.layer_norm_rms_epsilon").value_or(0.0);
  require_positive("attention.layer_norm_rms_epsilon", eps);
  c.norm_eps = static_cast<float>(eps);
  c.rope_base = file.real("llama.rope.freq_base").value_or(10000.0);
  require_positive("rope.freq_base", c.rope_base);
  c.rope_scale = read_rope_scale(file);
  return c;
}

void Config::add_to(Hasher& hasher) const {
  for (const size_t n : {n_vocab, n_layers, n_embd, n_heads, n_heads_kv, head_dim, n_ff}) hasher.u64(n);
  hasher.u64(static_cast<uint64_t>(n_ctx));
  hasher.f32(norm_eps);
  for (const double v : {rope_base, rope_scale}) {
    uint64_t bits = 0;
    static_assert(sizeof bits == sizeof v);
    __builtin_memcpy(&bits, &v, sizeof bits);
    hasher.u64(bits);
  }
}

}  // namespace nxs::model
