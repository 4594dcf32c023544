// SPDX-License-Identifier: Apache-2.0 OR MIT
// nxs_stream_*: a run between calls. The session is free meanwhile, the sequence and the drafter are not.
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/params.h"

using namespace nxs;
using namespace nxs::capi;

StreamState::StreamState(std::shared_ptr<Core> owner, std::shared_ptr<SequenceState> on,
                         std::span<const int32_t> prompt, const decode::Params& params, const nxs_drafter* drafter)
    : core(std::move(owner)),
      sequence(std::move(on)),
      lease(drafter),
      run(*core, sequence, prompt, params, lease.state().drafter) {
  sequence->streaming = true;
}

StreamState::~StreamState() {
  sequence->streaming = false;
}

nxs_status nxs_stream_open(nxs_stream** out, nxs_seq* seq, const int32_t* prompt, size_t n_prompt,
                           const nxs_decode_params* params, nxs_drafter* drafter, nxs_error* err) {
  if (out != nullptr) *out = nullptr;
  return in_session(err, seq, "seq", [&](Core&) {
    need(out, "out");
    auto state = std::make_shared<StreamState>(seq->core, usable(seq), array(prompt, n_prompt, "prompt"),
                                               decode_params(params), drafter);
    *out = new nxs_stream(seq->core, std::move(state));
  });
}

nxs_status nxs_stream_next(const nxs_event** out, nxs_stream* stream, nxs_error* err) {
  if (out != nullptr) *out = nullptr;
  return in_session(err, stream, "stream", [&](Core&) {
    need(out, "out");
    const auto state = stream->state;  // another thread may close the handle during this call
    const decode::Event* event = state->run.next();
    if (event == nullptr) return;
    fill_event(state->event.get(), *event, 0);
    *out = &state->event.get();
  });
}

nxs_status nxs_stream_result(nxs_result** out, nxs_stream* stream, nxs_error* err) {
  if (out != nullptr) *out = nullptr;
  return in_session(err, stream, "stream", [&](Core&) {
    need(out, "out");
    *out = make_result(stream->state->run.record());
  });
}

void nxs_stream_close(nxs_stream* stream) {
  if (stream != nullptr) Core::close(stream);
}
