// SPDX-License-Identifier: Apache-2.0 OR MIT
// The receipt of a run: one digest over all that decided its tokens and over the bits of the rows that chose them.
// docs/receipt.md has the recipe byte by byte; a change of it changes the number in front.
#pragma once

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

/// What is known before the run: model, kind of keys and values, tokens, effective parameters, stop strings.
Hasher begin_receipt(const Digest& model, bool kv_f32, std::span<const int32_t> before, const Params& params,
                     const StopStrings& stops);
/// "1:" and 32 hex digits. `chosen` has the `n_emitted` emitted tokens, then those that a stop consumed.
std::string finish_receipt(const Hasher& begun, std::span<const ChosenRow> chosen, size_t n_emitted);

}  // namespace nxs::decode
