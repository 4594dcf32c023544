// SPDX-License-Identifier: Apache-2.0 OR MIT
// Sequences: forks, truncation, forwards over several of them, and the next turn of a conversation.
#include "one_session.h"

enum { VOCAB = 320 };

static void feed(nxs_seq* q, const int32_t* tokens, int32_t n, float* row) {
  good(nxs_forward(row, VOCAB, &q, &n, 1, tokens, NULL, &err));
}

static void tokens_and_length(void** state) {
  (void)state;
  nxs_seq* q = new_seq(s);
  float row[VOCAB];
  int32_t back[16];
  size_t n = 9;
  assert_int_equal(nxs_seq_length(q), 0);
  good(nxs_seq_tokens(NULL, 0, &n, q, &err));
  assert_int_equal(n, 0);
  feed(q, prompt(1, 10), 10, row);
  assert_int_equal(nxs_seq_length(q), 10);
  fails(nxs_seq_tokens(back, 9, &n, q, &err), NXS_ERR_BUFFER, "10");
  assert_int_equal(n, 10);
  good(nxs_seq_tokens(back, 16, &n, q, &err));
  assert_memory_equal(back, prompt(1, 10), sizeof *back * 10);
  nxs_seq_close(q);
}

// However a text comes about, the row after it is the same: fed at once, in pieces, by fork, after truncation.
static void one_text_many_ways(void** state) {
  (void)state;
  const int32_t* t = prompt(2, 30);
  float want[VOCAB], got[VOCAB];
  nxs_seq *whole = new_seq(s), *pieces = new_seq(s), *fork = NULL, *empty = NULL;
  feed(whole, t, 30, want);
  for (int i = 0; i < 30; i += 5) feed(pieces, t + i, 5, got);
  assert_memory_equal(want, got, sizeof want);
  for (int64_t at = 1; at < 30; at += 3) {
    good(nxs_seq_fork(&fork, whole, at, &err));
    feed(fork, t + at, (int32_t)(30 - at), got);
    assert_memory_equal(want, got, sizeof want);
    nxs_seq_close(fork);
    good(nxs_seq_truncate(pieces, at, &err));
    assert_int_equal(nxs_seq_length(pieces), at);
    feed(pieces, t + at, (int32_t)(30 - at), got);
    assert_memory_equal(want, got, sizeof want);
  }
  good(nxs_seq_fork(&fork, whole, -1, &err));
  assert_int_equal(nxs_seq_length(fork), 30);
  nxs_seq_close(whole);
  good(nxs_seq_fork(&empty, fork, 0, &err));
  feed(empty, t, 30, got);
  assert_memory_equal(want, got, sizeof want);
  nxs_seq_close(fork);
  nxs_seq_close(empty);
  nxs_seq_close(pieces);
}

static void forward_of_several(void** state) {
  (void)state;
  static float rows[40 * VOCAB], one[VOCAB];
  nxs_seq* qs[3] = {new_seq(s), new_seq(s), new_seq(s)};
  int32_t tokens[3 + 11 + 20];
  const int32_t counts[3] = {3, 11, 20};
  uint8_t want[34] = {0};
  memcpy(tokens, prompt(4, 34), sizeof tokens);
  want[2] = want[5] = want[33] = 1;
  good(nxs_forward(rows, 3 * VOCAB, qs, counts, 3, tokens, want, &err));
  nxs_seq* alone = new_seq(s);
  feed(alone, tokens, 3, one);
  assert_memory_equal(rows, one, sizeof one);
  good(nxs_seq_truncate(alone, 0, &err));
  feed(alone, tokens + 3, 3, one);
  assert_memory_equal(rows + VOCAB, one, sizeof one);
  good(nxs_seq_truncate(alone, 0, &err));
  feed(alone, tokens + 14, 20, one);
  assert_memory_equal(rows + 2 * VOCAB, one, sizeof one);
  // counts NULL: one token each; want NULL: the last of each.
  good(nxs_forward(rows, 3 * VOCAB, qs, NULL, 3, tokens, NULL, &err));
  feed(alone, tokens + 2, 1, one);
  assert_memory_equal(rows + 2 * VOCAB, one, sizeof one);
  for (int i = 0; i < 3; ++i) nxs_seq_close(qs[i]);
  nxs_seq_close(alone);
}

static void forward_errors(void** state) {
  (void)state;
  float row[VOCAB];
  const int32_t t[2] = {5, 6}, bad[2] = {5, VOCAB}, zero = 0, many = 2049;
  nxs_session* other = open_session(m, 1, 0, 0);
  nxs_seq *q = new_seq(s), *q2 = new_seq(other);
  nxs_seq *twice[2] = {q, q}, *mixed[2] = {q, q2}, *hole[2] = {q, NULL};
  fails(nxs_forward(row, VOCAB - 1, &q, NULL, 1, t, NULL, &err), NXS_ERR_BUFFER, "320");
  fails(nxs_forward(row, VOCAB, &q, &zero, 1, t, NULL, &err), NXS_ERR_ARGUMENT, "counts[0]");
  fails(nxs_forward(row, VOCAB, twice, NULL, 2, t, NULL, &err), NXS_ERR_ARGUMENT, "twice");
  fails(nxs_forward(row, VOCAB, mixed, NULL, 2, t, NULL, &err), NXS_ERR_ARGUMENT, "another session");
  fails(nxs_forward(row, VOCAB, hole, NULL, 2, t, NULL, &err), NXS_ERR_ARGUMENT, "seqs[1]");
  fails(nxs_forward(row, VOCAB, &q, NULL, 0, t, NULL, &err), NXS_ERR_ARGUMENT, "seqs");
  fails(nxs_forward(row, VOCAB, &q, NULL, 1, NULL, NULL, &err), NXS_ERR_ARGUMENT, "tokens");
  fails(nxs_forward(NULL, VOCAB, &q, NULL, 1, t, NULL, &err), NXS_ERR_ARGUMENT, "logits");
  static int32_t long_text[2049];
  fails(nxs_forward(row, VOCAB, &q, &many, 1, long_text, NULL, &err), NXS_ERR_CONTEXT, "2049");
  const int32_t two = 2;
  fails(nxs_forward(row, VOCAB, &q, &two, 1, bad, NULL, &err), NXS_ERR_ARGUMENT, "320");
  nxs_session_cancel(s, 1);
  fails(nxs_forward(row, VOCAB, &q, NULL, 1, t, NULL, &err), NXS_ERR_CANCELLED, "cancel");
  nxs_session_cancel(s, 0);
  assert_int_equal(nxs_seq_length(q), 0);
  good(nxs_forward(row, VOCAB, &q, NULL, 1, t, NULL, &err));
  nxs_seq_close(q);
  nxs_seq_close(q2);
  nxs_session_close(other);
}

static void pool_exhausted(void** state) {
  (void)state;
  float row[VOCAB];
  nxs_session* small = open_session(m, 1, 0, 16);
  nxs_seq *q = new_seq(small), *q2 = new_seq(small);
  const int32_t seventeen = 17, sixteen = 16;
  fails(nxs_forward(row, VOCAB, &q, &seventeen, 1, prompt(1, 17), NULL, &err), NXS_ERR_KV_FULL, "free");
  assert_int_equal(nxs_seq_length(q), 0);
  good(nxs_forward(row, VOCAB, &q, &sixteen, 1, prompt(1, 17), NULL, &err));
  fails(nxs_forward(row, VOCAB, &q2, NULL, 1, prompt(1, 17), NULL, &err), NXS_ERR_KV_FULL, "free");
  nxs_seq_close(q);
  good(nxs_forward(row, VOCAB, &q2, &sixteen, 1, prompt(1, 17), NULL, &err));
  nxs_seq_close(q2);
  nxs_session_close(small);
}

// A second run with the rest of the prompt equals one run with all of it, and reuses what is there.
static void next_turn(void** state) {
  (void)state;
  const nxs_decode_params p = with_max_new(20);
  nxs_seq* q = new_seq(s);
  nxs_result *first = NULL, *second = NULL;
  int32_t text[128];
  size_t n = 0;
  good(nxs_spec_decode(&first, q, prompt(5, 30), 30, &p, NULL, NULL, NULL, &err));
  const int64_t before = nxs_seq_length(q);
  good(nxs_spec_decode(&second, q, prompt(6, 9), 9, &p, NULL, NULL, NULL, &err));
  assert_int_equal(nxs_result_stats(second)->n_prompt, before + 9);
  assert_int_equal(nxs_result_stats(second)->n_reused, before - 1);
  counts_close(second);
  good(nxs_seq_tokens(text, 128, &n, q, &err));
  nxs_result* fresh = run_fresh(s, text, (size_t)before + 9, &p, NULL);
  assert_int_equal(nxs_result_stats(fresh)->n_reused, 0);
  same_result(second, fresh);
  nxs_result_close(first);
  nxs_result_close(second);
  nxs_result_close(fresh);
  nxs_seq_close(q);
}

// Without a prompt a run goes on: from the tail, or from the last row once more.
static void go_on(void** state) {
  (void)state;
  const nxs_decode_params p = with_max_new(6), none = with_max_new(0), p12 = with_max_new(12);
  nxs_result *whole = run_fresh(s, prompt(7, 12), 12, &p12, NULL), *r = NULL;
  size_t n = 0;
  const int32_t* want = nxs_result_tokens(whole, &n);
  assert_int_equal(n, 12);
  nxs_seq *q = new_seq(s), *fork = NULL;
  good(nxs_plain_decode(&r, q, prompt(7, 12), 12, &p, NULL, NULL, &err));
  assert_memory_equal(nxs_result_tokens(r, &n), want, 6 * sizeof *want);
  nxs_result_close(r);
  good(nxs_plain_decode(&r, q, NULL, 0, &p, NULL, NULL, &err));
  assert_memory_equal(nxs_result_tokens(r, &n), want + 6, 6 * sizeof *want);
  assert_int_equal(nxs_result_stats(r)->n_reused, 17);
  nxs_result_close(r);
  // All is cached here: one row again.
  good(nxs_seq_fork(&fork, q, 12, &err));
  good(nxs_plain_decode(&r, fork, NULL, 0, &p, NULL, NULL, &err));
  assert_memory_equal(nxs_result_tokens(r, &n), want, 6 * sizeof *want);
  assert_int_equal(nxs_result_stats(r)->n_reused, 11);
  nxs_result_close(r);
  // max_new 0 takes the prompt in and chooses nothing.
  good(nxs_seq_truncate(fork, 0, &err));
  good(nxs_plain_decode(&r, fork, prompt(7, 12), 12, &none, NULL, NULL, &err));
  assert_int_equal(nxs_result_stats(r)->stop, NXS_STOP_MAX_NEW);
  assert_int_equal(nxs_result_stats(r)->n_rows, 12);
  nxs_result_close(r);
  good(nxs_plain_decode(&r, fork, NULL, 0, &p, NULL, NULL, &err));
  assert_memory_equal(nxs_result_tokens(r, &n), want, 6 * sizeof *want);
  nxs_result_close(r);
  nxs_result_close(whole);
  nxs_seq_close(fork);
  nxs_seq_close(q);
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(tokens_and_length, open_it, close_it),
      cmocka_unit_test_setup_teardown(one_text_many_ways, open_it, close_it),
      cmocka_unit_test_setup_teardown(forward_of_several, open_it, close_it),
      cmocka_unit_test_setup_teardown(forward_errors, open_it, close_it),
      cmocka_unit_test_setup_teardown(pool_exhausted, open_it, close_it),
      cmocka_unit_test_setup_teardown(next_turn, open_it, close_it),
      cmocka_unit_test_setup_teardown(go_on, open_it, close_it),
  };
  return RUN_TESTS(argc, argv, tests);
}
