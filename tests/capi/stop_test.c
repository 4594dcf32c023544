// SPDX-License-Identifier: Apache-2.0 OR MIT
// Why runs end: stop tokens, stop strings, callbacks and the cancel flag; plain and speculative runs end alike, and so
// do the events that they tell.
#define ONE_SESSION_THREADS 1
#include "one_session.h"

#include <stdlib.h>

enum { LOG_MAX = 400, TEXT_MAX = 4096 };

// What a callback saw, and when it answers what.
typedef struct log {
  int32_t tokens[LOG_MAX];
  char text[TEXT_MAX], pieces[TEXT_MAX];
  size_t n, text_len, pieces_len, prefills, ends;
  int64_t answer_at;  // index of the token, -1 for the first prefill event, -2 for the end
  int32_t answer;     // 100: raise the cancel flag and go on
} log;

static int32_t listen(void* user, const nxs_event* e) {
  log* l = user;
  assert_int_equal(e->struct_size, sizeof *e);
  assert_int_equal(e->sample, 0);
  memcpy(l->text + l->text_len, e->text, e->text_len);
  l->text_len += e->text_len;
  int64_t here = e->index;
  if (e->flags & NXS_EVENT_PREFILL) {
    here = l->prefills++ == 0 ? -1 : -3;
    assert_int_equal(e->token, -1);
  } else if (e->flags & NXS_EVENT_END) {
    ++l->ends;
    here = -2;
    assert_int_equal(e->index, l->n);
  } else {
    assert_int_equal(e->index, l->n);
    assert_int_equal(l->ends, 0);
    memcpy(l->pieces + l->pieces_len, e->piece, e->piece_len);
    l->pieces_len += e->piece_len;
    l->tokens[l->n++] = e->token;
  }
  if (here != l->answer_at) return 0;
  if (l->answer != 100) return l->answer;
  nxs_session_cancel(s, 1);
  return 0;
}

// A run with events; all that is told agrees with the result.
static nxs_result* told(log* l, nxs_seq* q, uint32_t number, size_t n, const nxs_decode_params* p,
                        nxs_drafter* drafter) {
  nxs_result* r = NULL;
  l->n = l->text_len = l->pieces_len = l->prefills = l->ends = 0;
  good(drafter ? nxs_spec_decode(&r, q, prompt(number, n), n, p, drafter, listen, l, &err)
               : nxs_plain_decode(&r, q, prompt(number, n), n, p, listen, l, &err));
  size_t size = 0;
  const int32_t* tokens = nxs_result_tokens(r, &size);
  assert_int_equal(size, l->n);
  if (size != 0) assert_memory_equal(tokens, l->tokens, size * sizeof *tokens);
  const char* text = nxs_result_text(r, &size);
  assert_int_equal(size, l->text_len);
  assert_memory_equal(text, l->text, size);
  assert_int_equal(size, l->pieces_len);
  assert_memory_equal(text, l->pieces, size);
  assert_int_equal(l->ends, 1);
  counts_close(r);
  return r;
}

static size_t find(const char* text, size_t len, const char* what, size_t n) {
  for (size_t i = 0; i + n <= len; ++i) {
    if (memcmp(text + i, what, n) == 0) return i;
  }
  return len;
}

// Every stretch of a run's text, as a stop string: the text ends before its first place, nothing later is told.
static void stop_strings(void** state) {
  (void)state;
  static log l = {.answer_at = -9};
  const nxs_decode_params p = with_max_new(48);
  for (uint32_t number = 0; number < 4; ++number) {
    nxs_result* whole = run_fresh(s, prompt(number, 20), 20, &p, NULL);
    size_t len = 0, n_whole = 0;
    const char* text = nxs_result_text(whole, &len);
    const int32_t* all = nxs_result_tokens(whole, &n_whole);
    for (size_t at = 0; at + 1 < len; at += 3) {
      const size_t n_stop = 1 + at % 5 < len - at ? 1 + at % 5 : len - at;
      nxs_result* results[2];
      for (int spec = 0; spec < 2; ++spec) {
        nxs_seq* q = new_seq(s);
        nxs_drafter* drafter = lookup(6, 3, 1);
        good(nxs_seq_add_stop(q, "never in the text", 17, &err));
        good(nxs_seq_add_stop(q, text + at, n_stop, &err));
        results[spec] = told(&l, q, number, 20, &p, spec ? drafter : NULL);
        assert_int_equal(nxs_seq_length(q), 20 + (int64_t)l.n);
        nxs_drafter_close(drafter);
        nxs_seq_close(q);
      }
      same_result(results[0], results[1]);
      assert_int_equal(nxs_result_stats(results[0])->stop, NXS_STOP_TEXT);
      assert_int_equal(l.text_len, find(text, len, text + at, n_stop));
      assert_memory_equal(l.text, text, l.text_len);
      assert_memory_equal(l.tokens, all, l.n * sizeof *all);
      nxs_result_close(results[0]);
      nxs_result_close(results[1]);
    }
    nxs_result_close(whole);
  }
}

static void stop_strings_are_shared_and_removed(void** state) {
  (void)state;
  const nxs_decode_params p = with_max_new(20);
  nxs_result *whole = run_fresh(s, prompt(2, 20), 20, &p, NULL), *r = NULL;
  size_t len = 0;
  const char* text = nxs_result_text(whole, &len);
  assert_true(len > 4);
  nxs_seq *q = new_seq(s), *fork = NULL;
  good(nxs_seq_add_stop(q, text + 2, 2, &err));
  good(nxs_seq_fork(&fork, q, -1, &err));
  good(nxs_seq_add_stop(q, NULL, 0, &err));
  good(nxs_plain_decode(&r, q, prompt(2, 20), 20, &p, NULL, NULL, &err));
  same_result(whole, r);
  nxs_result_close(r);
  good(nxs_plain_decode(&r, fork, prompt(2, 20), 20, &p, NULL, NULL, &err));
  assert_int_equal(nxs_result_stats(r)->stop, NXS_STOP_TEXT);
  nxs_result_close(r);
  nxs_result_close(whole);
  nxs_seq_close(q);
  nxs_seq_close(fork);
}

static void stop_tokens(void** state) {
  (void)state;
  nxs_decode_params p = with_max_new(200), all = p;
  all.flags = NXS_DECODE_IGNORE_STOP;
  size_t stopped = 0;
  for (uint32_t number = 0; number < 40; ++number) {
    nxs_drafter* drafter = lookup(6, 3, 1);
    nxs_result *plain = run_fresh(s, prompt(number, 15), 15, &p, NULL),
               *spec = run_fresh(s, prompt(number, 15), 15, &p, drafter);
    nxs_result* through = run_fresh(s, prompt(number, 15), 15, &all, drafter);
    same_result(plain, spec);
    size_t n = 0, n_through = 0;
    const int32_t *t = nxs_result_tokens(plain, &n), *u = nxs_result_tokens(through, &n_through);
    for (size_t i = 0; i < n; ++i) assert_false(nxs_token_is_stop(m, t[i]));
    assert_int_equal(n_through, 200);
    if (n != 0) assert_memory_equal(t, u, n * sizeof *t);
    if (nxs_result_stats(plain)->stop == NXS_STOP_TOKEN) {
      ++stopped;
      assert_true(nxs_token_is_stop(m, u[n]));
    }
    nxs_drafter_close(drafter);
    nxs_result_close(plain);
    nxs_result_close(spec);
    nxs_result_close(through);
  }
  assert_true(stopped > 0);
}

// A callback that stops the run, or raises the flag, at each token; with a stop string that holds tokens back.
static void cancelled_at_each_token(void** state) {
  (void)state;
  static log l;
  const nxs_decode_params p = with_max_new(24);
  nxs_result* whole = run_fresh(s, prompt(6, 30), 30, &p, NULL);
  size_t n = 0, len = 0;
  const int32_t* all = nxs_result_tokens(whole, &n);
  const char* text = nxs_result_text(whole, &len);
  char almost[3] = {text[len / 2], text[len / 2 + 1], 1};  // holds tokens back without ever being complete
  for (int64_t at = 0; at < (int64_t)n - 1; ++at) {
    nxs_result* results[4];
    for (int i = 0; i < 4; ++i) {
      nxs_seq* q = new_seq(s);
      nxs_drafter* drafter = lookup(6, 3, 1);
      good(nxs_seq_add_stop(q, almost, 3, &err));
      l.answer_at = at;
      l.answer = i < 2 ? 1 : 100;
      results[i] = told(&l, q, 6, 30, &p, i % 2 ? drafter : NULL);
      nxs_session_cancel(s, 0);
      assert_int_equal(l.n, at + 1);
      assert_int_equal(nxs_seq_length(q), 30 + at + 1);
      assert_int_equal(nxs_result_stats(results[i])->stop, NXS_STOP_CANCELLED);
      assert_memory_equal(l.tokens, all, l.n * sizeof *all);
      nxs_drafter_close(drafter);
      nxs_seq_close(q);
    }
    for (int i = 1; i < 4; ++i) same_result(results[0], results[i]);
    for (int i = 0; i < 4; ++i) nxs_result_close(results[i]);
  }
  nxs_result_close(whole);
}

static void cancelled_before_the_first_token(void** state) {
  (void)state;
  static log l = {.answer_at = -1, .answer = 1};
  nxs_seq* q = new_seq(s);
  const nxs_decode_params p = with_max_new(9);
  nxs_result* r = told(&l, q, 1, 30, &p, NULL);
  assert_int_equal(nxs_result_stats(r)->stop, NXS_STOP_CANCELLED);
  assert_int_equal(nxs_result_stats(r)->n_rows, 7);
  assert_int_equal(nxs_seq_length(q), 0);
  nxs_result_close(r);
  nxs_session_cancel(s, 1);
  l.answer_at = -9;
  r = told(&l, q, 1, 30, &p, NULL);
  assert_int_equal(nxs_result_stats(r)->stop, NXS_STOP_CANCELLED);
  assert_int_equal(nxs_result_stats(r)->n_rows, 0);
  assert_int_equal(nxs_seq_length(q), 0);
  nxs_result_close(r);
  nxs_session_cancel(s, 0);
  r = told(&l, q, 1, 30, &p, NULL);
  assert_int_equal(nxs_result_stats(r)->n_emitted, 9);
  nxs_result_close(r);
  nxs_seq_close(q);
}

static int32_t draft_and_cancel(void* user, const int32_t* context, size_t n_context, int32_t* draft, size_t capacity) {
  (void)context;
  (void)n_context;
  if (--*(int*)user == 0) nxs_session_cancel(s, 1);
  memset(draft, 0, capacity * sizeof *draft);
  return (int32_t)capacity;
}

// All text so far may begin a stop string, so no token was emitted; but the prompt is in, and the counts close.
static void cancelled_while_text_is_held(void** state) {
  (void)state;
  const nxs_decode_params p = with_max_new(40);
  nxs_result* r = run_fresh(s, prompt(1, 10), 10, &p, NULL);
  size_t len = 0;
  static char stop[4096];
  const char* text = nxs_result_text(r, &len);
  memcpy(stop, text, len);
  stop[len] = 1;
  nxs_result_close(r);
  for (int at = 1; at < 6; ++at) {
    int left = at;
    nxs_drafter* drafter = NULL;
    nxs_seq* q = new_seq(s);
    good(nxs_seq_add_stop(q, stop, len + 1, &err));
    good(nxs_drafter_custom(&drafter, draft_and_cancel, &left, 3, &err));
    good(nxs_spec_decode(&r, q, prompt(1, 10), 10, &p, drafter, NULL, NULL, &err));
    assert_int_equal(nxs_result_stats(r)->stop, NXS_STOP_CANCELLED);
    assert_int_equal(nxs_result_stats(r)->n_emitted, 0);
    assert_int_equal(nxs_result_stats(r)->n_prompt, 10);
    counts_close(r);
    assert_int_equal(nxs_seq_length(q), 0);
    nxs_session_cancel(s, 0);
    nxs_result_close(r);
    nxs_drafter_close(drafter);
    nxs_seq_close(q);
  }
}

// A callback that fails: no result, the sequence as before; also on the event of the end.
static void callback_fails(void** state) {
  (void)state;
  static log l = {.answer = -7};
  const nxs_decode_params p = with_max_new(9);
  const int64_t places[] = {-1, 0, 4, 8, -2};
  nxs_seq* q = new_seq(s);
  nxs_result* r = NULL;
  good(nxs_plain_decode(&r, q, prompt(1, 5), 5, &p, NULL, NULL, &err));
  nxs_result_close(r);
  const int64_t before = nxs_seq_length(q);
  for (int i = 0; i < 5; ++i) {
    l.answer_at = places[i];
    l.n = l.text_len = l.pieces_len = l.prefills = l.ends = 0;
    r = (nxs_result*)m;
    fails(nxs_spec_decode(&r, q, prompt(2, 11), 11, &p, NULL, listen, &l, &err), NXS_ERR_CALLBACK, "-7");
    assert_null(r);
    assert_int_equal(nxs_seq_length(q), before);
  }
  nxs_seq_close(q);
}

// Where the last token is also asked to be the last by the callback, the limit is the reason.
static void order_of_reasons(void** state) {
  (void)state;
  static log l = {.answer_at = 8, .answer = 1};
  nxs_decode_params p = with_max_new(9);
  p.flags = NXS_DECODE_IGNORE_STOP;
  nxs_seq* q = new_seq(s);
  nxs_result* r = told(&l, q, 2, 11, &p, NULL);
  assert_int_equal(nxs_result_stats(r)->stop, NXS_STOP_MAX_NEW);
  nxs_result_close(r);
  nxs_seq_close(q);
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(stop_strings, open_it, close_it),
      cmocka_unit_test_setup_teardown(stop_strings_are_shared_and_removed, open_it, close_it),
      cmocka_unit_test_setup_teardown(stop_tokens, open_it, close_it),
      cmocka_unit_test_setup_teardown(cancelled_at_each_token, open_it, close_it),
      cmocka_unit_test_setup_teardown(cancelled_before_the_first_token, open_it, close_it),
      cmocka_unit_test_setup_teardown(cancelled_while_text_is_held, open_it, close_it),
      cmocka_unit_test_setup_teardown(callback_fails, open_it, close_it),
      cmocka_unit_test_setup_teardown(order_of_reasons, open_it, close_it),
  };
  return RUN_TESTS(argc, argv, tests);
}
