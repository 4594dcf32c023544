// SPDX-License-Identifier: Apache-2.0 OR MIT
// Pushed runs: a loop over the pulled one.
#include "capi/callback.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/params.h"

using namespace nxs;
using namespace nxs::capi;

namespace {

/// The whole run; its result, or the sequence as before.
nxs_result* drive(decode::Run& run, nxs_event_fn on_event, void* user, uint64_t caller_word) {
  Lent<nxs_event> lent;
  while (const decode::Event* event = run.next()) {
    if (on_event == nullptr) continue;
    fill_event(lent.get(), *event, 0);
    const int32_t answer = tell(on_event, user, lent.get(), caller_word);
    if (answer < 0) {
      run.abandon();
      fail(Status::kCallback, "on_event returned %d", answer);
    }
    if (answer > 0) run.cancel();
  }
  try {
    return make_result(run.record());
  } catch (...) {
    run.abandon();
    throw;
  }
}

}  // namespace

void nxs_decode_params_init(nxs_decode_params* params, uint32_t struct_size) {
  init_params(params, struct_size);
}

nxs_status nxs_plain_decode(nxs_result** out, nxs_seq* seq, const int32_t* prompt, size_t n_prompt,
                            const nxs_decode_params* params, nxs_event_fn on_event, void* user, nxs_error* err) {
  if (out != nullptr) *out = nullptr;
  return in_session(err, seq, "seq", [&](Core& core) {
    need(out, "out");
    decode::Run run(core, usable(seq), array(prompt, n_prompt, "prompt"), decode_params(params), nullptr);
    *out = drive(run, on_event, user, core.caller_word);
  });
}

nxs_status nxs_spec_decode(nxs_result** out, nxs_seq* seq, const int32_t* prompt, size_t n_prompt,
                           const nxs_decode_params* params, nxs_drafter* drafter, nxs_event_fn on_event, void* user,
                           nxs_error* err) {
  if (out != nullptr) *out = nullptr;
  return in_session(err, seq, "seq", [&](Core& core) {
    need(out, "out");
    DrafterLease lease(drafter);
    decode::Run run(core, usable(seq), array(prompt, n_prompt, "prompt"), decode_params(params), lease.state().drafter);
    *out = drive(run, on_event, user, core.caller_word);
  });
}
