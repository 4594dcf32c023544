// SPDX-License-Identifier: Apache-2.0 OR MIT
// What all runs of a session share: the engine, its limits, and the flag that stops them. capi derives its session from
// this.
#pragma once

#include <atomic>
#include <cstdint>

#include "decode/sampler.h"
#include "model/engine.h"

namespace nxs::decode {

struct Session {
  Session(std::shared_ptr<const model::Model> model, const model::EngineOptions& options, int64_t longest, size_t chunk)
      : engine(std::move(model), options), n_ctx(longest), prefill_chunk(chunk) {}
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Called when the pool has no page left: gives back what handles closed meanwhile still hold. The caller then looks
  /// again.
  virtual void reclaim() {}

  model::Engine engine;
  Sampler sampler;
  const int64_t n_ctx;         ///< longest sequence, tokens
  const size_t prefill_chunk;  ///< most rows of one forward outside verification
  /// Raised and lowered by the user alone, from any thread or signal handler.
  std::atomic<int32_t> cancel{0};
  /// The caller's float control word during an API call; callbacks run with it.
  uint64_t caller_word = 0;
};

}  // namespace nxs::decode
