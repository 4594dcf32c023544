/* SPDX-License-Identifier: Apache-2.0 OR MIT
 *
 * Calls that take a callback, with the number of a cgo.Handle where C has `user`; 0 = none. */
#ifndef NXS_GO_CALLBACK_H
#define NXS_GO_CALLBACK_H

#include <nxs.h>

nxs_status nxs_go_plain_decode(nxs_result **out, nxs_seq *seq, const int32_t *prompt, size_t n_prompt,
                               const nxs_decode_params *params, uintptr_t watcher, nxs_error *err);
nxs_status nxs_go_spec_decode(nxs_result **out, nxs_seq *seq, const int32_t *prompt, size_t n_prompt,
                              const nxs_decode_params *params, nxs_drafter *drafter, uintptr_t watcher, nxs_error *err);
/* mode: 0 batched, 1 paged, 2 reset. */
nxs_status nxs_go_vote(nxs_vote **out, uint32_t mode, nxs_seq *seq, const int32_t *prompt, size_t n_prompt,
                       const nxs_decode_params *params, const nxs_vote_params *vote, uintptr_t watcher, nxs_error *err);
nxs_status nxs_go_drafter_custom(nxs_drafter **out, uintptr_t drafter, uint32_t draft_max, nxs_error *err);

#endif
