// SPDX-License-Identifier: Apache-2.0 OR MIT
// Between the library's callbacks and Go's exported functions.
#include "callback.h"

#include "_cgo_export.h"

static int32_t on_event(void *user, const nxs_event *event) {
  return nxsGoEvent((uintptr_t)user, (nxs_event *)event);
}

static int32_t on_draft(void *user, const int32_t *context, size_t n_context, int32_t *draft, size_t capacity) {
  return nxsGoDraft((uintptr_t)user, (int32_t *)context, n_context, draft, capacity);
}

static nxs_event_fn watched(uintptr_t watcher) {
  return watcher != 0 ? on_event : NULL;
}

nxs_status nxs_go_plain_decode(nxs_result **out, nxs_seq *seq, const int32_t *prompt, size_t n_prompt,
                               const nxs_decode_params *params, uintptr_t watcher, nxs_error *err) {
  return nxs_plain_decode(out, seq, prompt, n_prompt, params, watched(watcher), (void *)watcher, err);
}

nxs_status nxs_go_spec_decode(nxs_result **out, nxs_seq *seq, const int32_t *prompt, size_t n_prompt,
                              const nxs_decode_params *params, nxs_drafter *drafter, uintptr_t watcher,
                              nxs_error *err) {
  return nxs_spec_decode(out, seq, prompt, n_prompt, params, drafter, watched(watcher), (void *)watcher, err);
}

nxs_status nxs_go_vote(nxs_vote **out, uint32_t mode, nxs_seq *seq, const int32_t *prompt, size_t n_prompt,
                       const nxs_decode_params *params, const nxs_vote_params *vote, uintptr_t watcher,
                       nxs_error *err) {
  nxs_status (*const modes[])(nxs_vote **, nxs_seq *, const int32_t *, size_t, const nxs_decode_params *,
                              const nxs_vote_params *, nxs_event_fn, void *, nxs_error *) = {
      nxs_selfconsist_batched, nxs_selfconsist_paged, nxs_selfconsist_reset};
  return modes[mode](out, seq, prompt, n_prompt, params, vote, watched(watcher), (void *)watcher, err);
}

nxs_status nxs_go_drafter_custom(nxs_drafter **out, uintptr_t drafter, uint32_t draft_max, nxs_error *err) {
  return nxs_drafter_custom(out, on_draft, (void *)drafter, draft_max, err);
}
