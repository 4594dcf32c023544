// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs_result_*: copies of what a run left, so that results outlive sessions and models and need no lock.
#include "capi/handles.h"

using namespace nxs;
using namespace nxs::capi;

static_assert(static_cast<int>(decode::Stop::kToken) == NXS_STOP_TOKEN &&
              static_cast<int>(decode::Stop::kText) == NXS_STOP_TEXT &&
              static_cast<int>(decode::Stop::kMaxNew) == NXS_STOP_MAX_NEW &&
              static_cast<int>(decode::Stop::kContext) == NXS_STOP_CONTEXT &&
              static_cast<int>(decode::Stop::kKvFull) == NXS_STOP_KV_FULL &&
              static_cast<int>(decode::Stop::kCancelled) == NXS_STOP_CANCELLED);
static_assert(NXS_EVENT_DRAFTED == 1);  // as in decode::Record::drafted

namespace {

const char* bytes_of(std::string_view text) {
  return text.empty() ? "" : text.data();
}

/// A borrowed array and its length; the length may be of no interest.
template <typename T>
T lend(T value, size_t size, size_t* n) {
  if (n != nullptr) *n = size;
  return value;
}

}  // namespace

void nxs::capi::fill_event(nxs_event& out, const decode::Event& event, int32_t sample) {
  out.sample = sample;
  out.index = event.index;
  out.token = event.token;
  out.flags = event.drafted ? NXS_EVENT_DRAFTED : 0;
  if (event.kind == decode::Event::Kind::kPrefill) out.flags = NXS_EVENT_PREFILL;
  if (event.kind == decode::Event::Kind::kEnd) out.flags = NXS_EVENT_END;
  out.text = bytes_of(event.text);
  out.text_len = event.text.size();
  out.piece = bytes_of(event.piece);
  out.piece_len = event.piece.size();
}

void nxs::capi::fill_stats(nxs_stats& out, const decode::RunStats& s) {
  out.n_prompt = s.n_prompt;
  out.n_reused = s.n_reused;
  out.n_forwards = s.n_forwards;
  out.n_rows = s.n_rows;
  out.n_drafted = s.n_drafted;
  out.prefill_seconds = s.prefill_seconds;
  out.decode_seconds = s.decode_seconds;
  out.draft_seconds = s.draft_seconds;
}

nxs_result* nxs::capi::make_result(decode::Record record) {
  auto result = std::make_unique<nxs_result>();
  result->record = std::move(record);
  nxs_stats& out = result->stats.get();
  fill_stats(out, result->record.stats);
  out.stop = static_cast<uint32_t>(result->record.stop);
  out.n_accepted = result->record.n_accepted;
  out.n_emitted = static_cast<int64_t>(result->record.tokens.size());
  return result.release();
}

const int32_t* nxs_result_tokens(const nxs_result* result, size_t* n) {
  return result ? lend(result->record.tokens.data(), result->record.tokens.size(), n)
                : lend<const int32_t*>(nullptr, 0, n);
}

const uint8_t* nxs_result_flags(const nxs_result* result, size_t* n) {
  return result ? lend(result->record.drafted.data(), result->record.drafted.size(), n)
                : lend<const uint8_t*>(nullptr, 0, n);
}

const float* nxs_result_logprobs(const nxs_result* result, size_t* n) {
  return result ? lend(result->record.logprobs.data(), result->record.logprobs.size(), n)
                : lend<const float*>(nullptr, 0, n);
}

const char* nxs_result_text(const nxs_result* result, size_t* len) {
  return result ? lend(result->record.text.c_str(), result->record.text.size(), len)
                : lend<const char*>(nullptr, 0, len);
}

const nxs_stats* nxs_result_stats(const nxs_result* result) {
  return result ? &result->stats.get() : nullptr;
}

const char* nxs_result_receipt(const nxs_result* result) {
  return result ? result->record.receipt.c_str() : nullptr;
}

void nxs_result_close(nxs_result* result) {
  delete result;
}
