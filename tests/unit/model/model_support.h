// SPDX-License-Identifier: Apache-2.0 OR MIT
// Tiny models in memory, sessions over them, and logits as bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/engine.h"
#include "selftest/tiny_model.h"

namespace nxs::model {

// Under sanitizers each setting is still met, with fewer repetitions and lengths: they look for stray and racing
// accesses, and whether bits are the same is what the plain build settles.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kInstrumented = true;
#else
constexpr bool kInstrumented = false;
#endif

using Bits = std::vector<uint32_t>;  ///< of one row's logits

inline std::shared_ptr<const Model> open_bytes(const std::vector<uint8_t>& bytes, unsigned n_threads = 1) {
  return Model::open(*borrow_memory(bytes.data(), bytes.size()), n_threads, 0);
}
inline std::shared_ptr<const Model> open_tiny(const selftest::TinyModelOptions& options) {
  return open_bytes(selftest::tiny_model(options));
}

/// Everything that must not change a bit.
struct Setting {
  kernels::Isa isa = kernels::Isa::kBest;
  unsigned n_threads = 1;
  uint32_t page_tokens = 64;
  size_t chunk = 64;  ///< rows of a forward
  AttentionMode attention = AttentionMode::kAuto;
};

inline EngineOptions engine_options(const Setting& s, bool kv_f32) {
  return {s.n_threads, s.isa, kv_f32, s.page_tokens, 0, s.attention};
}

std::vector<int32_t> random_tokens(size_t n, uint32_t seed, int32_t n_vocab = 320);
/// Instruction sets that this CPU has.
std::vector<kernels::Isa> present_isas();

Bits bits_of(std::span<const float> logits);
/// Appends tokens to a sequence, `chunk` rows a forward, and returns the bits of every row's logits.
std::vector<Bits> feed(Engine& engine, kv::Sequence& sequence, std::span<const int32_t> tokens, size_t chunk);
/// The same from an empty sequence of a new engine.
std::vector<Bits> logits_of(const std::shared_ptr<const Model>& model, std::span<const int32_t> tokens,
                            const Setting& setting, bool kv_f32 = false);

}  // namespace nxs::model
