// SPDX-License-Identifier: Apache-2.0 OR MIT
#include "support.h"

#include <stdio.h>

const char* model_path;
nxs_error err;

void good(nxs_status status) {
  if (status != NXS_OK) fail_msg("%s: %s", nxs_status_name(status), err.message);
  assert_int_equal(err.status, NXS_OK);
  assert_string_equal(err.message, "");
}

void fails(nxs_status status, nxs_status expected, const char* word) {
  if (status != expected)
    fail_msg("%s (%s), expected %s", nxs_status_name(status), err.message, nxs_status_name(expected));
  assert_int_equal(err.status, expected);
  assert_true(err.message[0] != '\0');
  if (strstr(err.message, word) == NULL) fail_msg("'%s' does not say '%s'", err.message, word);
}

nxs_model* open_model(void) {
  nxs_model* model = NULL;
  good(nxs_model_open(&model, model_path, NULL, &err));
  return model;
}

nxs_session* open_session(const nxs_model* model, uint32_t n_threads, int64_t n_ctx, int64_t kv_tokens) {
  nxs_session_params p;
  nxs_session_params_init(&p, sizeof p);
  p.n_threads = n_threads;
  p.page_tokens = 4;
  p.prefill_chunk = 7;
  p.n_ctx = n_ctx;
  p.kv_tokens = kv_tokens;
  nxs_session* session = NULL;
  good(nxs_session_open(&session, model, &p, &err));
  return session;
}

nxs_seq* new_seq(nxs_session* session) {
  nxs_seq* seq = NULL;
  good(nxs_seq_new(&seq, session, &err));
  return seq;
}

nxs_decode_params with_max_new(int64_t max_new) {
  nxs_decode_params p;
  nxs_decode_params_init(&p, sizeof p);
  p.max_new = max_new;
  return p;
}

nxs_drafter* lookup(uint32_t draft_max, uint32_t ngram_max, uint32_t ngram_min) {
  nxs_lookup_params p;
  nxs_lookup_params_init(&p, sizeof p);
  p.draft_max = draft_max;
  p.ngram_max = ngram_max;
  p.ngram_min = ngram_min;
  nxs_drafter* drafter = NULL;
  good(nxs_drafter_lookup(&drafter, &p, &err));
  return drafter;
}

const int32_t* prompt(uint32_t number, size_t n) {
  static int32_t tokens[PROMPT_MAX];
  uint64_t state = number * 0x9E3779B97F4A7C15u + 1;
  assert_true(n <= PROMPT_MAX);
  for (size_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    tokens[i] = (int32_t)((state >> 33) % 300);
  }
  return tokens;
}

nxs_result* run_fresh(nxs_session* session, const int32_t* tokens, size_t n, const nxs_decode_params* params,
                      nxs_drafter* drafter) {
  nxs_seq* seq = new_seq(session);
  nxs_result* result = NULL;
  good(drafter ? nxs_spec_decode(&result, seq, tokens, n, params, drafter, NULL, NULL, &err)
               : nxs_plain_decode(&result, seq, tokens, n, params, NULL, NULL, &err));
  size_t emitted = 0;
  nxs_result_tokens(result, &emitted);
  assert_int_equal(nxs_seq_length(seq), n + emitted);
  nxs_seq_close(seq);
  counts_close(result);
  return result;
}

void counts_close(const nxs_result* result) {
  size_t n = 0, n_flags = 0, drafted = 0;
  const nxs_stats* s = nxs_result_stats(result);
  nxs_result_tokens(result, &n);
  const uint8_t* flags = nxs_result_flags(result, &n_flags);
  assert_int_equal(n, n_flags);
  for (size_t i = 0; i < n; ++i) drafted += flags[i] & NXS_EVENT_DRAFTED;
  assert_int_equal(s->n_emitted, n);
  assert_int_equal(s->n_accepted, drafted);
  assert_true(s->n_drafted >= s->n_accepted);
  assert_true(s->n_reused >= 0 && s->n_reused <= s->n_prompt);
  const int64_t decode_rows = s->n_rows - (s->n_prompt - s->n_reused);
  assert_true(decode_rows >= s->n_drafted);
  // Each forward of decoding has one row that is no draft.
  assert_true(decode_rows - s->n_drafted <= s->n_forwards);
  assert_true(s->prefill_seconds >= 0 && s->decode_seconds >= s->draft_seconds && s->draft_seconds >= 0);
}

void same_result(const nxs_result* a, const nxs_result* b) {
  size_t na = 0, nb = 0;
  const int32_t *ta = nxs_result_tokens(a, &na), *tb = nxs_result_tokens(b, &nb);
  assert_int_equal(na, nb);
  if (na != 0) assert_memory_equal(ta, tb, na * sizeof *ta);
  const char *xa = nxs_result_text(a, &na), *xb = nxs_result_text(b, &nb);
  assert_int_equal(na, nb);
  assert_memory_equal(xa, xb, na + 1);
  assert_int_equal(nxs_result_stats(a)->stop, nxs_result_stats(b)->stop);
  assert_int_equal(nxs_result_stats(a)->n_prompt, nxs_result_stats(b)->n_prompt);
  assert_string_equal(nxs_result_receipt(a), nxs_result_receipt(b));
}

int run_program(int argc, char** argv, const char* name, const struct CMUnitTest* tests, size_t n) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s MODEL.gguf\n", argv[0]);
    return 2;
  }
  model_path = argv[1];
  return _cmocka_run_group_tests(name, tests, n, NULL, NULL);
}
