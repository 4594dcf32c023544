// SPDX-License-Identifier: Apache-2.0 OR MIT
// The receipt of a run: one digest over all that decided its tokens and over the bits of the rows that chose them.
// docs/receipt.md has the recipe byte by byte; a change of it changes the number in front.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/digest.h"
#include "decode/params.h"
#include "decode/token_sequence.h"

namespace nxs::decode {

/// One chosen token and the digest of the logits row that chose it (model::digest_row).
struct ChosenRow {
  int32_t token;
  Digest row;
};

/// "1:", 32 hex digits and a NUL.
using ReceiptText = std::array<char, 35>;
ReceiptText receipt_text(const Digest& digest) noexcept;

/// What is known before the run. First model, kind of keys and values, and tokens,
Hasher begin_receipt(const Digest& model, bool kv_f32, std::span<const int32_t> before);
/// then effective parameters and stop strings.
void add_params(Hasher& begun, const Params& params, const StopStrings& stops) noexcept;
/// `chosen` has the `n_emitted` emitted tokens, then those that a stop consumed. `begun` takes them in.
ReceiptText finish_receipt(Hasher& begun, std::span<const ChosenRow> chosen, size_t n_emitted) noexcept;

}  // namespace nxs::decode
