// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "decode/unbegun.h"

namespace nxs::decode {

Unbegun::Unbegun(Session& session, std::span<const int32_t> before, const StopStrings& stops, const Params& params,
                 int64_t stride, int64_t n_reused)
    : stops_(stops),
      params_(effective(params, static_cast<int64_t>(session.engine.model().config.n_vocab))),
      seed_(params.sampling.seed),
      stride_(stride),
      n_reused_(n_reused),
      draws_(params_.sampling.temperature != 0),
      prompt_(begin_receipt(session.engine.model().digest, session.engine.pages().layout().f32, before)) {}

ReceiptText Unbegun::receipt(size_t sample) noexcept {
  if (draws_) params_.sampling.seed = seed_of(seed_, stride_, sample);
  hasher_ = prompt_;
  add_params(hasher_, params_, stops_);
  return finish_receipt(hasher_, {}, 0);
}

Record Unbegun::record(size_t sample) {
  Record record{};
  record.stop = Stop::kCancelled;
  record.stats.n_prompt = record.stats.n_reused = n_reused_;
  record.receipt = receipt(sample).data();
  return record;
}

int64_t seed_of(int64_t seed, int64_t stride, size_t sample) {
  return static_cast<int64_t>(static_cast<uint64_t>(seed) + sample * static_cast<uint64_t>(stride));
}

}  // namespace nxs::decode
