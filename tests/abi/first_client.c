// SPDX-License-Identifier: Apache-2.0 OR MIT
// A program of the first release: compiled against that release's header (data/nxs_0_1.h), run on today's library.
// Usage: abi_first_client MODEL. It goes through every struct that it hands over or borrows.
#include <stdio.h>
#include <string.h>

#include "data/nxs_0_1.h"

static nxs_error err;
static int n_wrong;

static void expect(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "%s: %s\n", what, err.message);
  ++n_wrong;
}

static int32_t count_event(void* user, const nxs_event* event) {
  int64_t* n = user;
  expect(event->struct_size >= sizeof *event, "nxs_event has all fields that this program knows");
  if ((event->flags & (NXS_EVENT_PREFILL | NXS_EVENT_END)) == 0) ++*n;
  return 0;
}

static int32_t no_draft(void* user, const int32_t* context, size_t n_context, int32_t* draft, size_t capacity) {
  (void)user, (void)context, (void)n_context, (void)draft, (void)capacity;
  return 0;
}

static nxs_session* open_session(nxs_model** model, const char* path) {
  nxs_session* session = NULL;
  nxs_model_params mp;
  nxs_session_params sp;
  nxs_model_params_init(&mp, sizeof mp);
  nxs_session_params_init(&sp, sizeof sp);
  expect(mp.struct_size == sizeof mp && sp.struct_size == sizeof sp, "this program's sizes are kept");
  mp.n_threads = sp.n_threads = 1;
  expect(nxs_model_open(model, path, &mp, &err) == NXS_OK, "nxs_model_open");
  const nxs_model_info* info = nxs_model_get_info(*model);
  expect(info != NULL && info->struct_size >= sizeof *info && info->n_vocab > 0 && info->step_bytes > 0,
         "nxs_model_info");
  expect(nxs_session_open(&session, *model, &sp, &err) == NXS_OK, "nxs_session_open");
  nxs_session_info state;
  memset(&state, 0, sizeof state);
  state.struct_size = sizeof state;
  expect(nxs_session_get_info(&state, session, &err) == NXS_OK && state.n_threads == 1, "nxs_session_get_info");
  return session;
}

static nxs_seq* new_seq(nxs_session* session) {
  nxs_seq* seq = NULL;
  expect(nxs_seq_new(&seq, session, &err) == NXS_OK, "nxs_seq_new");
  return seq;
}

// Plain and with two drafters: one text and receipt, and the counts of this program's nxs_stats.
static void decode(nxs_session* session, const int32_t* prompt, size_t n_prompt) {
  nxs_decode_params dp;
  nxs_lookup_params lp;
  nxs_drafter *lookup = NULL, *custom = NULL;
  nxs_result* results[3] = {NULL, NULL, NULL};
  nxs_seq* seqs[3] = {new_seq(session), new_seq(session), new_seq(session)};
  int64_t n_events = 0;
  nxs_decode_params_init(&dp, sizeof dp);
  nxs_lookup_params_init(&lp, sizeof lp);
  dp.max_new = 40;
  lp.ngram_min = 1;
  expect(nxs_drafter_lookup(&lookup, &lp, &err) == NXS_OK, "nxs_drafter_lookup");
  expect(nxs_drafter_custom(&custom, no_draft, NULL, 4, &err) == NXS_OK, "nxs_drafter_custom");
  expect(!nxs_plain_decode(&results[0], seqs[0], prompt, n_prompt, &dp, count_event, &n_events, &err), "plain");
  expect(!nxs_spec_decode(&results[1], seqs[1], prompt, n_prompt, &dp, lookup, NULL, NULL, &err), "lookup");
  expect(!nxs_spec_decode(&results[2], seqs[2], prompt, n_prompt, &dp, custom, NULL, NULL, &err), "custom");
  for (int i = 0; i < 3; ++i) {
    const nxs_stats* stats = nxs_result_stats(results[i]);
    expect(stats != NULL && stats->struct_size >= sizeof *stats, "nxs_stats has all fields that this program knows");
    if (stats == NULL) continue;
    expect(stats->n_emitted == n_events && stats->n_prompt == (int64_t)n_prompt,
           "the counts are this program's fields");
    expect(strcmp(nxs_result_receipt(results[i]), nxs_result_receipt(results[0])) == 0, "one receipt");
  }
  for (int i = 0; i < 3; ++i) {
    nxs_result_close(results[i]);
    nxs_seq_close(seqs[i]);
  }
  nxs_drafter_close(lookup);
  nxs_drafter_close(custom);
}

static void vote(nxs_session* session, const int32_t* prompt, size_t n_prompt) {
  nxs_vote_params vp;
  nxs_decode_params dp;
  nxs_vote* counted = NULL;
  nxs_seq* seq = new_seq(session);
  nxs_vote_params_init(&vp, sizeof vp);
  nxs_decode_params_init(&dp, sizeof dp);
  vp.n_samples = 3;
  dp.max_new = 12;
  dp.temperature = 0.7f;
  expect(!nxs_selfconsist_batched(&counted, seq, prompt, n_prompt, &dp, &vp, NULL, NULL, &err),
         "nxs_selfconsist_batched");
  expect(nxs_vote_n_samples(counted) == 3 && nxs_vote_set_answer(counted, 1, "42", &err) == NXS_OK, "the vote");
  nxs_vote_close(counted);
  nxs_seq_close(seq);
}

int main(int argc, char** argv) {
  int32_t prompt[256];
  size_t n = 0;
  nxs_model* model = NULL;
  const nxs_message message = {"user", "one two three one two", 21};
  if (argc != 2) return 2;
  nxs_session* session = open_session(&model, argv[1]);
  expect(!nxs_chat_format(prompt, 256, &n, model, &message, 1, NXS_CHAT_REPLY, &err), "nxs_chat_format");
  decode(session, prompt, n);
  vote(session, prompt, n);
  nxs_model_close(model);
  expect(nxs_model_open(&model, "/no/such/file", NULL, &err) == NXS_ERR_IO && err.message[0] != 0, "an error");
  nxs_session_close(session);
  return n_wrong == 0 ? 0 : 1;
}
