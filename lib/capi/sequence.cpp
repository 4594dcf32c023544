// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs_seq_*: the handle holds the state, which a stream on the sequence may hold longer.
#include "capi/guard.h"
#include "capi/handles.h"

using namespace nxs;
using namespace nxs::capi;

nxs_status nxs_seq_new(nxs_seq** out, nxs_session* session, nxs_error* err) {
  if (out != nullptr) *out = nullptr;
  return in_session(err, session, "session", [&](Core& core) {
    need(out, "out");
    *out = new nxs_seq(session->core, std::make_shared<SequenceState>(core.engine.pages()));
  });
}

nxs_status nxs_seq_fork(nxs_seq** out, nxs_seq* parent, int64_t length, nxs_error* err) {
  if (out != nullptr) *out = nullptr;
  return in_session(err, parent, "parent", [&](Core&) {
    need(out, "out");
    const auto from = usable(parent);
    const int64_t n = length == -1 ? from->size() : length;
    if (n < 0 || n > from->size()) {
      fail(Status::kArgument, "length is %lld, the parent has %lld tokens", static_cast<long long>(length),
           static_cast<long long>(from->size()));
    }
    *out = new nxs_seq(parent->core, std::make_shared<SequenceState>(*from, n));
  });
}

nxs_status nxs_seq_truncate(nxs_seq* seq, int64_t length, nxs_error* err) {
  return in_session(err, seq, "seq", [&](Core&) {
    const auto state = usable(seq);
    if (length < 0 || length > state->size()) {
      fail(Status::kArgument, "length is %lld, the sequence has %lld tokens", static_cast<long long>(length),
           static_cast<long long>(state->size()));
    }
    state->truncate(length);
  });
}

void nxs_seq_close(nxs_seq* seq) {
  if (seq != nullptr) Core::close(seq);
}

/// What a run has delivered so far; no lock, for progress displays on other threads.
int64_t nxs_seq_length(const nxs_seq* seq) {
  return seq ? seq->state->published() : 0;
}

nxs_status nxs_seq_tokens(int32_t* tokens, size_t capacity, size_t* n, nxs_seq* seq, nxs_error* err) {
  if (n != nullptr) *n = 0;
  return in_session(err, seq, "seq", [&](Core&) {
    need(n, "n");
    if (capacity != 0) need(tokens, "tokens");
    const auto state = usable(seq);
    copy_out(tokens, capacity, n, state->tokens.data(), state->tokens.size());
  });
}

nxs_status nxs_seq_add_stop(nxs_seq* seq, const char* text, size_t text_len, nxs_error* err) {
  return in_session(err, seq, "seq", [&](Core&) {
    const auto state = usable(seq);
    if (text_len == 0) return state->clear_stops();
    const std::span<const char> bytes = array(text, text_len, "text");
    state->add_stop({bytes.data(), bytes.size()});
  });
}
