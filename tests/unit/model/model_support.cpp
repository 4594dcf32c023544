// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "model_support.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace nxs::model {

std::vector<int32_t> random_tokens(size_t n, uint32_t seed, int32_t n_vocab) {
  std::mt19937 rng(seed);
  std::vector<int32_t> tokens(n);
  for (int32_t& t : tokens) t = static_cast<int32_t>(rng() % static_cast<uint32_t>(n_vocab));
  return tokens;
}

std::vector<kernels::Isa> present_isas() {
  std::vector<kernels::Isa> isas;
  for (const auto isa : {kernels::Isa::kReference, kernels::Isa::kAvx2, kernels::Isa::kAvx512, kernels::Isa::kNeon}) {
    if (kernels::table(isa) != nullptr) isas.push_back(isa);
  }
  return isas;
}

Bits bits_of(std::span<const float> logits) {
  Bits bits(logits.size());
  std::memcpy(bits.data(), logits.data(), logits.size_bytes());
  return bits;
}

std::vector<Bits> feed(Engine& engine, kv::Sequence& sequence, std::span<const int32_t> tokens, size_t chunk) {
  std::vector<Bits> all;
  kv::Sequence* const sequences[] = {&sequence};
  for (size_t at = 0; at < tokens.size(); at += chunk) {
    std::vector<Row> rows;
    for (size_t i = at; i < std::min(at + chunk, tokens.size()); ++i) {
      rows.push_back({tokens[i], 0, sequence.length() + static_cast<int64_t>(i - at), true});
    }
    engine.forward(sequences, rows);
    for (size_t i = 0; i < rows.size(); ++i) all.push_back(bits_of(engine.logits(i)));
  }
  return all;
}

std::vector<Bits> logits_of(const std::shared_ptr<const Model>& model, std::span<const int32_t> tokens,
                            const Setting& setting, bool kv_f32) {
  Engine engine(model, engine_options(setting, kv_f32));
  kv::Sequence sequence(engine.pages());
  engine.workers().begin_call();
  std::vector<Bits> all = feed(engine, sequence, tokens, setting.chunk);
  engine.workers().end_call();
  return all;
}

}  // namespace nxs::model
