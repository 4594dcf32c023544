// SPDX-License-Identifier: Apache-2.0 OR MIT
// The samples that a cancelled vote did not come to. There may be a million of them, and few are ever looked at.
#pragma once

#include <span>

#include "decode/receipt.h"
#include "decode/run.h"

namespace nxs::decode {

/// Each is a run that ended before it computed anything. They differ in their seeds alone, so the prompt is hashed once
/// and the rest is made when it is asked for. Needs neither session nor model, and does no float arithmetic.
class Unbegun {
 public:
  /// `before`: all tokens before the first emitted one. `params` is sample 0's as given, `stride` what each next sample
  /// adds to the seed.
  Unbegun(Session& session, std::span<const int32_t> before, const StopStrings& stops, const Params& params,
          int64_t stride, int64_t n_reused);

  Record record(size_t sample);
  ReceiptText receipt(size_t sample) noexcept;

 private:
  const StopStrings stops_;
  Params params_;  ///< effective but for the seed
  const int64_t seed_, stride_, n_reused_;
  const bool draws_;
  const Hasher prompt_;  ///< what all receipts begin with
  Hasher hasher_;
};

/// The seed of a sample. Seeds wrap, as the header says.
int64_t seed_of(int64_t seed, int64_t stride, size_t sample);

}  // namespace nxs::decode
