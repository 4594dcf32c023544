// SPDX-License-Identifier: Apache-2.0 OR MIT
// Pulled runs: the same events as pushed ones, whole characters, and what stays when one stops pulling.
#include <stdbool.h>

#include "one_session.h"

enum { MANY = 400 };

typedef struct events {
  size_t n;
  int64_t index[MANY];
  int32_t token[MANY];
  uint32_t flags[MANY];
  size_t text_len[MANY], piece_len[MANY];
} events;

static int32_t record(void* user, const nxs_event* e) {
  events* l = user;
  assert_true(l->n < MANY);
  l->index[l->n] = e->index;
  l->token[l->n] = e->token;
  l->flags[l->n] = e->flags;
  l->text_len[l->n] = e->text_len;
  l->piece_len[l->n] = e->piece_len;
  ++l->n;
  return 0;
}

static nxs_result* pull_all(nxs_stream* st, events* l) {
  const nxs_event* e = NULL;
  nxs_result* r = NULL;
  l->n = 0;
  for (;;) {
    good(nxs_stream_result(&r, st, &err));
    counts_close(r);  // at each place, in the middle of the prompt too
    nxs_result_close(r);
    good(nxs_stream_next(&e, st, &err));
    if (e == NULL) break;
    record(l, e);
  }
  good(nxs_stream_next(&e, st, &err));
  assert_null(e);
  good(nxs_stream_result(&r, st, &err));
  return r;
}

static void pull_equals_push(void** state) {
  (void)state;
  static events pushed, pulled;
  for (uint32_t i = 0; i < 10; ++i) {
    const size_t n = 3 + 11 * i;
    const nxs_decode_params p = with_max_new(50 + i);
    nxs_seq *q = new_seq(s), *q2 = new_seq(s);
    nxs_result* push = NULL;
    pushed.n = 0;
    good(nxs_spec_decode(&push, q, prompt(i, n), n, &p, NULL, record, &pushed, &err));
    nxs_stream* st = NULL;
    good(nxs_stream_open(&st, q2, prompt(i, n), n, &p, NULL, &err));
    nxs_result* pull = pull_all(st, &pulled);
    nxs_stream_close(st);
    same_result(push, pull);
    counts_close(pull);
    assert_int_equal(nxs_result_stats(push)->n_forwards, nxs_result_stats(pull)->n_forwards);
    assert_int_equal(pushed.n, pulled.n);
    assert_memory_equal(&pushed, &pulled, sizeof pushed);
    assert_int_equal(nxs_seq_length(q), nxs_seq_length(q2));
    nxs_result_close(push);
    nxs_result_close(pull);
    nxs_seq_close(q);
    nxs_seq_close(q2);
  }
}

static void prefill_events(void** state) {
  (void)state;
  static events l;
  const nxs_decode_params p = with_max_new(2);
  nxs_seq* q = new_seq(s);
  nxs_stream* st = NULL;
  good(nxs_stream_open(&st, q, prompt(1, 17), 17, &p, NULL, &err));
  nxs_result_close(pull_all(st, &l));
  assert_true(l.n >= 4);
  assert_int_equal(l.index[0], 7);
  assert_int_equal(l.index[1], 14);
  assert_int_equal(l.index[2], 17);
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(l.flags[i], NXS_EVENT_PREFILL);
    assert_int_equal(l.token[i], -1);
  }
  assert_int_equal(l.flags[l.n - 1], NXS_EVENT_END);
  nxs_stream_close(st);
  nxs_seq_close(q);
}

// Bytes at the end of a text that may be the beginning of a character.
static size_t unfinished(const char* text, size_t n) {
  for (size_t k = 3; k >= 1; --k) {
    if (k > n) continue;
    const unsigned char* c = (const unsigned char*)text + n - k;
    const size_t length = c[0] < 0xC2 ? 1 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : c[0] < 0xF5 ? 4 : 1;
    bool possible = length > k;
    for (size_t i = 1; i < k; ++i) possible = possible && (c[i] & 0xC0) == 0x80;
    if (k > 1) {
      possible = possible && !(c[0] == 0xE0 && c[1] < 0xA0) && !(c[0] == 0xED && c[1] > 0x9F);
      possible = possible && !(c[0] == 0xF0 && c[1] < 0x90) && !(c[0] == 0xF4 && c[1] > 0x8F);
    }
    if (possible) return k;
  }
  return 0;
}

// A model of bytes writes broken characters too: they come through, and nothing is lost.
static void whole_characters(void** state) {
  (void)state;
  nxs_decode_params p = with_max_new(300);
  p.flags = NXS_DECODE_IGNORE_STOP;
  // A llama in four bytes, as a prompt that the echoing model goes on from.
  int32_t llama[64];
  size_t n = 0;
  good(nxs_tokenize(llama, 64, &n, NULL, m, "\xF0\x9F\xA6\x99\xE2\x82\xAC\xF0\x9F\xA6\x99\xE2\x82\xAC", 14, 0, &err));
  for (uint32_t i = 0; i < 12; ++i) {
    nxs_seq* q = new_seq(s);
    nxs_stream* st = NULL;
    const nxs_event* e = NULL;
    nxs_result* r = NULL;
    char text[4096], pieces[4096];
    size_t len = 0, n_pieces = 0;
    good(i == 0 ? nxs_stream_open(&st, q, llama, n, &p, NULL, &err)
                : nxs_stream_open(&st, q, prompt(i, 9), 9, &p, NULL, &err));
    for (;;) {
      good(nxs_stream_next(&e, st, &err));
      if (e == NULL) break;
      memcpy(text + len, e->text, e->text_len);
      len += e->text_len;
      memcpy(pieces + n_pieces, e->piece, e->piece_len);
      n_pieces += e->piece_len;
      if (!(e->flags & NXS_EVENT_END)) assert_int_equal(len, n_pieces - unfinished(pieces, n_pieces));
    }
    good(nxs_stream_result(&r, st, &err));
    size_t whole = 0;
    const char* want = nxs_result_text(r, &whole);
    assert_int_equal(len, whole);
    assert_memory_equal(text, want, len);
    nxs_result_close(r);
    nxs_stream_close(st);
    nxs_seq_close(q);
  }
}

// Closing after k tokens leaves them in the sequence, and a next run goes on as if nothing had been computed beyond.
static void stop_pulling(void** state) {
  (void)state;
  const nxs_decode_params p = with_max_new(30);
  nxs_result* whole = run_fresh(s, prompt(12, 25), 25, &p, NULL);
  size_t n = 0;
  const int32_t* want = nxs_result_tokens(whole, &n);
  assert_int_equal(n, 30);
  for (int64_t k = 0; k < 30; k += 3) {
    nxs_seq* q = new_seq(s);
    nxs_stream* st = NULL;
    const nxs_event* e = NULL;
    good(nxs_stream_open(&st, q, prompt(12, 25), 25, &p, NULL, &err));
    int64_t seen = 0;
    while (seen < k) {
      good(nxs_stream_next(&e, st, &err));
      if (e->token >= 0) ++seen;
    }
    nxs_result* so_far = NULL;
    good(nxs_stream_result(&so_far, st, &err));
    size_t have = 0;
    nxs_result_tokens(so_far, &have);
    assert_int_equal(have, k);
    assert_int_equal(nxs_result_stats(so_far)->stop, 0);
    nxs_result_close(so_far);
    assert_int_equal(nxs_seq_length(q), k > 0 ? 25 + k : 0);
    nxs_stream_close(st);
    assert_int_equal(nxs_seq_length(q), k > 0 ? 25 + k : 0);
    const nxs_decode_params rest = with_max_new(30 - k);
    nxs_result* r = NULL;
    good(nxs_spec_decode(&r, q, prompt(12, 25), k > 0 ? 0 : 25, &rest, NULL, NULL, NULL, &err));
    const int32_t* got = nxs_result_tokens(r, &have);
    assert_int_equal(have, 30 - k);
    assert_memory_equal(got, want + k, have * sizeof *got);
    nxs_result_close(r);
    nxs_seq_close(q);
  }
  nxs_result_close(whole);
}

// Two streams of one session, pulled in turns; their sequences and drafters are in use, others are not.
static void interleaved(void** state) {
  (void)state;
  static events l;
  const nxs_decode_params p = with_max_new(40);
  nxs_seq *qs[2] = {new_seq(s), new_seq(s)}, *other = new_seq(s);
  nxs_stream* st[2];
  nxs_drafter* drafter = lookup(6, 3, 1);
  for (int i = 0; i < 2; ++i)
    good(nxs_stream_open(&st[i], qs[i], prompt(20 + (uint32_t)i, 30), 30, &p, i ? NULL : drafter, &err));
  nxs_stream* third = NULL;
  fails(nxs_stream_open(&third, other, prompt(1, 3), 3, &p, drafter, &err), NXS_ERR_BUSY, "drafter");
  fails(nxs_stream_open(&third, qs[0], prompt(1, 3), 3, &p, NULL, &err), NXS_ERR_BUSY, "stream");
  fails(nxs_drafter_add_text(drafter, prompt(1, 3), 3, &err), NXS_ERR_BUSY, "drafter");
  fails(nxs_seq_truncate(qs[1], 0, &err), NXS_ERR_BUSY, "stream");
  float row[320];
  for (int turn = 0; turn < 30; ++turn) {
    const nxs_event* e = NULL;
    good(nxs_stream_next(&e, st[turn % 2], &err));
    good(nxs_forward(row, 320, &other, NULL, 1, prompt(1, 1), NULL, &err));
  }
  for (int i = 0; i < 2; ++i) {
    nxs_result *r = pull_all(st[i], &l), *want = run_fresh(s, prompt(20 + (uint32_t)i, 30), 30, &p, NULL);
    same_result(r, want);
    nxs_result_close(r);
    nxs_result_close(want);
    nxs_stream_close(st[i]);
    nxs_seq_close(qs[i]);
  }
  nxs_drafter_close(drafter);
  nxs_seq_close(other);
}

static int32_t draft_fails(void* user, const int32_t* context, size_t n_context, int32_t* draft, size_t capacity) {
  (void)context;
  (void)n_context;
  (void)draft;
  (void)capacity;
  return --*(int*)user < 0 ? -1 : 0;
}

// An error ends a stream for good, and undoes the run.
static void error_stays(void** state) {
  (void)state;
  int left = 3;
  nxs_drafter* drafter = NULL;
  good(nxs_drafter_custom(&drafter, draft_fails, &left, 4, &err));
  nxs_seq* q = new_seq(s);
  nxs_stream* st = NULL;
  const nxs_event* e = NULL;
  const nxs_decode_params p = with_max_new(20);
  good(nxs_stream_open(&st, q, prompt(1, 5), 5, &p, drafter, &err));
  nxs_status status = NXS_OK;
  for (int i = 0; i < 20 && status == NXS_OK; ++i) status = nxs_stream_next(&e, st, &err);
  fails(status, NXS_ERR_CALLBACK, "-1");
  assert_null(e);
  assert_int_equal(nxs_seq_length(q), 0);
  fails(nxs_stream_next(&e, st, &err), NXS_ERR_CALLBACK, "-1");
  nxs_result* r = NULL;
  fails(nxs_stream_result(&r, st, &err), NXS_ERR_CALLBACK, "-1");
  nxs_stream_close(st);
  nxs_drafter_close(drafter);
  nxs_seq_close(q);
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(pull_equals_push, open_it, close_it),
      cmocka_unit_test_setup_teardown(prefill_events, open_it, close_it),
      cmocka_unit_test_setup_teardown(whole_characters, open_it, close_it),
      cmocka_unit_test_setup_teardown(stop_pulling, open_it, close_it),
      cmocka_unit_test_setup_teardown(interleaved, open_it, close_it),
      cmocka_unit_test_setup_teardown(error_stays, open_it, close_it),
  };
  return RUN_TESTS(argc, argv, tests);
}
