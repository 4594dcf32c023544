// SPDX-License-Identifier: Apache-2.0 OR MIT
// What the programs about votes share.
#ifndef NXS_TESTS_CAPI_VOTES_H
#define NXS_TESTS_CAPI_VOTES_H

#include "one_session.h"

typedef nxs_status (*vote_fn)(nxs_vote**, nxs_seq*, const int32_t*, size_t, const nxs_decode_params*,
                              const nxs_vote_params*, nxs_event_fn, void*, nxs_error*);
static const vote_fn kModes[] = {nxs_selfconsist_reset, nxs_selfconsist_paged, nxs_selfconsist_batched};
enum { RESET, PAGED, BATCHED, N_MODES };

static nxs_decode_params sampling(int64_t max_new) {
  nxs_decode_params p = with_max_new(max_new);
  p.temperature = 0.9f;
  p.top_k = 40;
  p.seed = 11;
  return p;
}

static nxs_vote_params of(uint32_t n_samples) {
  nxs_vote_params v;
  nxs_vote_params_init(&v, sizeof v);
  v.n_samples = n_samples;
  return v;
}

#endif
