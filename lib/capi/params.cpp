// SPDX-License-Identifier: Apache-2.0 OR MIT
// The current structs and their defaults. Growing one: append fields, give them defaults that mean "as before", read
// them below.
#include "capi/params.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/status.h"

namespace nxs::capi {

namespace {

constexpr uint32_t kLargestStruct = 4096;  // a larger struct_size is not one
constexpr uint32_t kLongestDraft = 256;
constexpr uint32_t kLongestNgram = 64;
constexpr uint32_t kMostSamples = 1 << 20;

void check(bool good, const char* field, const char* range) {
  if (!good) fail(Status::kArgument, "%s must be %s", field, range);
}

bool within_unit(float x) {
  return x >= 0.0f && x <= 1.0f;
}

}  // namespace

template <>
nxs_model_params defaults() {
  return {sizeof(nxs_model_params), 0, 0};
}
template <>
nxs_session_params defaults() {
  return {sizeof(nxs_session_params), 0, NXS_ISA_BEST, NXS_KV_F16, 64, 256, 0, 0};
}
template <>
nxs_decode_params defaults() {
  return {sizeof(nxs_decode_params), 0, 256, 0, 0.0f, 1.0f, 0.0f, 0, 1.0f, 64};
}
template <>
nxs_lookup_params defaults() {
  const decode::LookupLimits limits;
  return {sizeof(nxs_lookup_params),
          static_cast<uint32_t>(limits.draft_max),
          static_cast<uint32_t>(limits.ngram_max),
          static_cast<uint32_t>(limits.ngram_min),
          1,
          0.0f};
}

template <>
nxs_vote_params defaults() {
  return {sizeof(nxs_vote_params), 8, NXS_EXTRACT_LAST_INTEGER, 0, 7919, 0, 0};
}

void check_struct_size(uint32_t size, size_t alignment, const char* name) {
  if (size < sizeof size || size % alignment != 0 || size > kLargestStruct)
    fail(Status::kArgument, "%s: struct_size is %u, which no version of this struct has", name, size);
}

void overlay_params(void* params, size_t known, size_t alignment, const void* given, const char* name) {
  uint32_t size = 0;
  std::memcpy(&size, given, sizeof size);
  check_struct_size(size, alignment, name);
  const auto* bytes = static_cast<const unsigned char*>(given);
  for (size_t i = known; i < size; ++i) {
    if (bytes[i] != 0) {
      fail(Status::kUnsupported, "%s: the field at byte %zu is not known to libnxs %s", name, i, nxs_version());
    }
  }
  std::memcpy(params, given, std::min<size_t>(size, known));
}

void init_params(void* out, uint32_t struct_size, const void* params, size_t known) noexcept {
  if (out == nullptr || struct_size < sizeof struct_size) return;
  std::memset(out, 0, struct_size);
  std::memcpy(out, params, std::min<size_t>(struct_size, known));
  std::memcpy(out, &struct_size, sizeof struct_size);
}

decode::Params decode_params(const nxs_decode_params* given) {
  const nxs_decode_params p = read_params(given, "nxs_decode_params");
  check(p.max_new >= -1, "max_new", "-1 or more");
  check(std::isfinite(p.temperature) && p.temperature >= 0.0f, "temperature", "finite and 0 or more");
  check(within_unit(p.top_p), "top_p", "within 0 and 1");
  check(within_unit(p.min_p), "min_p", "within 0 and 1");
  check(p.top_k >= 0, "top_k", "0 or more");
  check(std::isfinite(p.repeat_penalty) && p.repeat_penalty > 0.0f, "repeat_penalty", "finite and above 0");
  check(p.repeat_last >= 0, "repeat_last", "0 or more");
  const uint32_t unknown = p.flags & ~static_cast<uint32_t>(NXS_DECODE_IGNORE_STOP | NXS_DECODE_LOGPROBS);
  if (unknown != 0) fail(Status::kUnsupported, "flags: bits 0x%x are not known to libnxs %s", unknown, nxs_version());
  return {p.max_new,
          (p.flags & NXS_DECODE_IGNORE_STOP) != 0,
          (p.flags & NXS_DECODE_LOGPROBS) != 0,
          {p.seed, p.temperature, p.top_p, p.min_p, p.top_k, p.repeat_penalty, p.repeat_last}};
}

decode::Params sample_params(const nxs_decode_params* given) {
  nxs_decode_params sampling = defaults<nxs_decode_params>();
  sampling.temperature = 0.7f;
  sampling.top_k = 40;
  return decode_params(given != nullptr ? given : &sampling);
}

decode::VoteParams vote_params(const nxs_vote_params* given) {
  const nxs_vote_params p = read_params(given, "nxs_vote_params");
  check(p.n_samples >= 1 && p.n_samples <= kMostSamples, "n_samples", "1 to 1048576");
  check(p.extractor <= NXS_EXTRACT_BOXED, "extractor", "NXS_EXTRACT_*");
  const uint32_t unknown = p.flags & ~static_cast<uint32_t>(NXS_VOTE_EARLY);
  if (unknown != 0) fail(Status::kUnsupported, "flags: bits 0x%x are not known to libnxs %s", unknown, nxs_version());
  if (p.reserved != 0) fail(Status::kUnsupported, "reserved: %u is not known to libnxs %s", p.reserved, nxs_version());
  return {static_cast<int32_t>(p.n_samples), static_cast<decode::Extractor>(p.extractor), p.max_batch, p.seed_stride,
          (p.flags & NXS_VOTE_EARLY) != 0};
}

uint32_t checked_draft_max(uint32_t draft_max) {
  check(draft_max <= kLongestDraft, "draft_max", "256 or less");
  return draft_max;
}

decode::LookupLimits lookup_limits(const nxs_lookup_params* given) {
  const nxs_lookup_params p = read_params(given, "nxs_lookup_params");
  check(p.ngram_min >= 1 && p.ngram_min <= p.ngram_max, "ngram_min", "1 or more and not above ngram_max");
  check(p.ngram_max <= kLongestNgram, "ngram_max", "64 or less");
  check(p.adaptive <= 1, "adaptive", "0 or 1");
  check(within_unit(p.row_cost), "row_cost", "within 0 and 1");
  return {checked_draft_max(p.draft_max), p.ngram_max, p.ngram_min, p.adaptive != 0, p.row_cost};
}

}  // namespace nxs::capi
