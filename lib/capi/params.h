// SPDX-License-Identifier: Apache-2.0 OR MIT
// Parameter structs of any age: fields that the caller's struct lacks take defaults, a non-zero field that this version
// does not know is refused.
#pragma once

#include <cstddef>
#include <cstdint>

#include "decode/params.h"
#include "decode/prompt_lookup.h"
#include "decode/self_consistency.h"
#include "nxs.h"

namespace nxs::capi {

template <typename T>
T defaults();
template <>
nxs_model_params defaults();
template <>
nxs_session_params defaults();
template <>
nxs_decode_params defaults();
template <>
nxs_lookup_params defaults();
template <>
nxs_vote_params defaults();

/// kArgument for a size that was never set: real ones are multiples of the alignment, so none ends within a field.
void check_struct_size(uint32_t size, size_t alignment, const char* name);
/// Overlays `given` (whose first field is its struct_size) on `known` bytes of defaults. kArgument, kUnsupported,
/// naming the struct.
void overlay_params(void* params, size_t known, size_t alignment, const void* given, const char* name);
/// For *_params_init: `known` bytes of defaults into a struct of `struct_size` bytes, zeros behind them.
void init_params(void* out, uint32_t struct_size, const void* params, size_t known) noexcept;

template <typename T>
T read_params(const T* given, const char* name) {
  T params = defaults<T>();
  if (given != nullptr) overlay_params(&params, sizeof(T), alignof(T), given, name);
  return params;
}

template <typename T>
void init_params(T* out, uint32_t struct_size) noexcept {
  const T params = defaults<T>();
  init_params(out, struct_size, &params, sizeof(T));
}

/// Checked and translated. What is out of range is kArgument, what this version cannot do kUnsupported.
decode::Params decode_params(const nxs_decode_params* given);
decode::LookupLimits lookup_limits(const nxs_lookup_params* given);
/// A vote's: NULL means sampling.
decode::Params sample_params(const nxs_decode_params* given);
decode::VoteParams vote_params(const nxs_vote_params* given);
/// Drafts are verified in one forward, so they are bounded.
uint32_t checked_draft_max(uint32_t draft_max);

}  // namespace nxs::capi
