// SPDX-License-Identifier: Apache-2.0 OR MIT
// Runs over tiny models, and a drafter that knows what comes.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "decode/run.h"
#include "selftest/tiny_model.h"

namespace nxs::decode {

inline std::shared_ptr<const model::Model> open_bytes(const std::vector<uint8_t>& bytes) {
  return model::Model::open(*borrow_memory(bytes.data(), bytes.size()), 1, 0);
}

inline std::shared_ptr<const model::Model> open_tiny(uint64_t seed = 1) {
  selftest::TinyModelOptions options;
  options.seed = seed;
  return open_bytes(selftest::tiny_model(options));
}

inline std::vector<int32_t> random_tokens(size_t n, uint32_t seed, uint32_t below = 300) {
  std::mt19937 random(seed);
  std::vector<int32_t> tokens(n);
  for (int32_t& t : tokens) t = static_cast<int32_t>(random() % below);
  return tokens;
}

/// A session over one model, with small pages and chunks.
struct Rig {
  explicit Rig(std::shared_ptr<const model::Model> model, int64_t kv_tokens = 0)
      : session(model, {1, kernels::Isa::kBest, false, 4, kv_tokens}, model->config.n_ctx, 16) {}

  std::shared_ptr<TokenSequence> sequence() { return std::make_shared<TokenSequence>(session.engine.pages()); }
  Record run(const std::shared_ptr<TokenSequence>& on, std::span<const int32_t> prompt, const Params& params,
             std::shared_ptr<Drafter> drafter) {
    Run run(session, on, prompt, params, std::move(drafter));
    while (run.next() != nullptr) {
    }
    return run.record();
  }
  Record run(std::span<const int32_t> prompt, const Params& params, std::shared_ptr<Drafter> drafter) {
    return run(sequence(), prompt, params, std::move(drafter));
  }

  Session session;
};

inline void check_same(const Record& a, const Record& b) {
  CHECK(a.tokens == b.tokens);
  CHECK(a.text == b.text);
  CHECK(a.receipt == b.receipt);
  CHECK(a.logprobs == b.logprobs);
  CHECK(a.stop == b.stop);
}

/// Drafts from a known continuation; what stands at `wrong_at` of each draft is replaced by `wrong`.
class KnowingDrafter final : public Drafter {
 public:
  KnowingDrafter(size_t n_before, std::vector<int32_t> known, size_t length, size_t wrong_at = SIZE_MAX,
                 int32_t wrong = 0)
      : n_before_(n_before), known_(std::move(known)), length_(length), wrong_at_(wrong_at), wrong_(wrong) {}
  size_t draft_max() const override { return length_; }
  void check(int32_t) const override {}
  size_t draft(std::span<const int32_t> context, std::span<int32_t> out, uint64_t) override {
    const size_t at = context.size() - n_before_;
    size_t n = 0;
    for (; n < out.size() && at + n < known_.size(); ++n) out[n] = n == wrong_at_ ? wrong_ : known_[at + n];
    return n;
  }

 private:
  size_t n_before_;
  std::vector<int32_t> known_;
  size_t length_, wrong_at_;
  int32_t wrong_;
};

}  // namespace nxs::decode
