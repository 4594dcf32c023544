// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/choose.h"

namespace nxs::decode {

int32_t choose(const model::Engine& engine, size_t row, std::span<const int32_t> before, const Sampling& sampling,
               Sampler& sampler) {
  if (sampling.temperature == 0 && sampling.repeat_penalty == 1) return engine.argmax(row);
  return sampler.choose(engine.kernels(), engine.logits(row), sampling, static_cast<int64_t>(before.size()), before);
}

}  // namespace nxs::decode
