// SPDX-License-Identifier: Apache-2.0 OR MIT
// Small model files for the targets that read GGUF.
#include <algorithm>

#include "fuzz/fuzz_target.h"
#include "selftest/tiny_model.h"
#include "support/raw_gguf.h"

namespace nxs::test {

std::vector<std::vector<uint8_t>> fuzz_corpus() {
  std::vector<std::vector<uint8_t>> corpus;
  selftest::TinyModelOptions options;
  options.n_vocab = 261;
  options.n_layers = 1;
  for (size_t type = 0; type < tensor::kDTypes; ++type) {
    options.layers = options.head = static_cast<tensor::DType>(type);
    options.n_embd = options.n_ff = std::max(tensor::info(options.layers).block_elems, 32u);
    options.tied = type % 2 == 0;
    options.rope_factors = type % 3 == 0;
    corpus.push_back(selftest::tiny_model(options));
  }
  // Nothing but header: almost every mutation hits structure.
  RawGguf raw;
  raw.set_text("general.architecture", "llama");
  raw.set_u32("general.alignment", 8);
  raw.set_texts("words", {"a", "b", ""});
  raw.set_f32("f", 1.0f);
  raw.alignment = 8;
  raw.tensors.push_back({"a", {8}, 0, std::vector<uint8_t>(32), {}, {}});
  raw.tensors.push_back({"b", {32, 2}, 3, std::vector<uint8_t>(40), {}, {}});
  corpus.push_back(raw.bytes());
  return corpus;
}

}  // namespace nxs::test
