// SPDX-License-Identifier: Apache-2.0 OR MIT
// Several threads: two sessions on one model, a second call into a session, cancelling and closing from outside,
// callbacks that call back.
#include <alloca.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "one_session.h"

static void pause_ms(long ms) {
  const struct timespec t = {0, ms * 1000000};
  nanosleep(&t, NULL);
}

// cmocka's assertions belong to its own thread: others count what went wrong.
typedef struct worker {
  pthread_t thread;
  nxs_session* session;
  char receipt[40];
  int wrong;
} worker;

static void* decode_in_own_session(void* arg) {
  worker* w = arg;
  nxs_session_params sp;
  nxs_session_params_init(&sp, sizeof sp);
  sp.n_threads = 2;
  nxs_session* own = NULL;
  nxs_seq* q = NULL;
  nxs_result* r = NULL;
  nxs_decode_params p = with_max_new(150);
  p.flags = NXS_DECODE_IGNORE_STOP;
  int32_t tokens[40];
  for (int i = 0; i < 40; ++i) tokens[i] = 60 + i % 9;
  w->wrong += nxs_session_open(&own, m, &sp, NULL) != NXS_OK;
  w->wrong += nxs_seq_new(&q, own, NULL) != NXS_OK;
  w->wrong += nxs_spec_decode(&r, q, tokens, 40, &p, NULL, NULL, NULL, NULL) != NXS_OK;
  if (r != NULL) strcpy(w->receipt, nxs_result_receipt(r));
  nxs_session_close(own);
  nxs_result_close(r);
  nxs_seq_close(q);
  return NULL;
}

static void two_sessions_on_one_model(void** state) {
  (void)state;
  worker w[3];
  memset(w, 0, sizeof w);
  for (int i = 0; i < 3; ++i) assert_int_equal(pthread_create(&w[i].thread, NULL, decode_in_own_session, &w[i]), 0);
  for (int i = 0; i < 3; ++i) {
    pthread_join(w[i].thread, NULL);
    assert_int_equal(w[i].wrong, 0);
    assert_int_equal(strlen(w[i].receipt), 34);
    assert_string_equal(w[0].receipt, w[i].receipt);
  }
}

// A run that waits in its first token's callback until it is told to go on.
typedef struct gate {
  nxs_seq* seq;
  atomic_int inside, go_on;
  int32_t tokens[30];
  nxs_status status;
  uint32_t stop;
  size_t n;
} gate;

static int32_t wait_at_first_token(void* user, const nxs_event* e) {
  gate* g = user;
  if (e->token < 0) return 0;
  atomic_store(&g->inside, 1);
  while (!atomic_load(&g->go_on)) pause_ms(1);
  return 0;
}

static void* run_gated(void* arg) {
  gate* g = arg;
  nxs_result* r = NULL;
  nxs_decode_params p = with_max_new(50);
  p.flags = NXS_DECODE_IGNORE_STOP;
  g->status = nxs_spec_decode(&r, g->seq, g->tokens, 30, &p, NULL, wait_at_first_token, g, NULL);
  if (r != NULL) {
    nxs_result_tokens(r, &g->n);
    g->stop = nxs_result_stats(r)->stop;
  }
  nxs_result_close(r);
  return NULL;
}

static void start(gate* g, pthread_t* thread, nxs_seq* seq) {
  memset(g, 0, sizeof *g);
  g->seq = seq;
  memcpy(g->tokens, prompt(1, 30), sizeof g->tokens);
  assert_int_equal(pthread_create(thread, NULL, run_gated, g), 0);
  while (!atomic_load(&g->inside)) pause_ms(1);
}

static void second_call_is_busy(void** state) {
  (void)state;
  static gate g;
  pthread_t thread;
  nxs_seq *q = new_seq(s), *other = new_seq(s), *made = NULL;
  start(&g, &thread, q);
  nxs_result* r = NULL;
  const int32_t t = 4;
  fails(nxs_plain_decode(&r, other, &t, 1, NULL, NULL, NULL, &err), NXS_ERR_BUSY, "another call");
  fails(nxs_seq_new(&made, s, &err), NXS_ERR_BUSY, "another call");
  assert_int_equal(nxs_seq_length(q), 31);
  assert_int_equal(nxs_seq_length(other), 0);
  atomic_store(&g.go_on, 1);
  pthread_join(thread, NULL);
  assert_int_equal(g.status, NXS_OK);
  assert_int_equal(g.n, 50);
  nxs_seq_close(q);
  nxs_seq_close(other);
}

static void cancelled_from_outside(void** state) {
  (void)state;
  static gate g;
  pthread_t thread;
  nxs_seq* q = new_seq(s);
  start(&g, &thread, q);
  nxs_session_cancel(s, 1);
  atomic_store(&g.go_on, 1);
  pthread_join(thread, NULL);
  assert_int_equal(g.status, NXS_OK);
  assert_int_equal(g.n, 1);
  assert_int_equal(g.stop, NXS_STOP_CANCELLED);
  nxs_session_cancel(s, 0);
  nxs_seq_close(q);
}

// Everything is closed while a run is inside; it ends well, and memory goes when it does.
static void closed_while_busy(void** state) {
  (void)state;
  static gate g;
  pthread_t thread;
  nxs_model* own_model = open_model();
  nxs_session* own = open_session(own_model, 2, 0, 0);
  nxs_seq *q = new_seq(own), *other = new_seq(own);
  start(&g, &thread, q);
  nxs_session_close(own);
  nxs_seq_close(other);
  nxs_seq_close(q);
  nxs_model_close(own_model);
  atomic_store(&g.go_on, 1);
  pthread_join(thread, NULL);
  assert_int_equal(g.status, NXS_OK);
  assert_int_equal(g.n, 50);
}

// A sequence that is closed while a run is short of pages gives its pages to that run.
static void closed_pages_are_used(void** state) {
  (void)state;
  static gate g;
  pthread_t thread;
  nxs_session* small = open_session(m, 1, 0, 96);
  nxs_seq *q = new_seq(small), *other = new_seq(small);
  float row[320];
  const int32_t n = 40;
  good(nxs_forward(row, 320, &other, &n, 1, prompt(2, 40), NULL, &err));
  start(&g, &thread, q);
  nxs_seq_close(other);
  atomic_store(&g.go_on, 1);
  pthread_join(thread, NULL);
  assert_int_equal(g.n, 50);
  nxs_seq_close(q);
  nxs_session_close(small);
}

// Closers on other threads never make a call busy.
static void* close_sequences(void* arg) {
  nxs_seq** seqs = arg;
  for (int i = 0; i < 200; ++i) nxs_seq_close(seqs[i]);
  return NULL;
}

static void closing_is_no_call(void** state) {
  (void)state;
  nxs_seq* seqs[200];
  for (int i = 0; i < 200; ++i) seqs[i] = new_seq(s);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, close_sequences, seqs), 0);
  for (int i = 0; i < 200; ++i) {
    nxs_seq* q = new_seq(s);
    nxs_seq_close(q);
  }
  pthread_join(thread, NULL);
}

typedef struct reentry {
  nxs_seq *seq, *extra;
  int calls;
} reentry;

static int32_t call_back(void* user, const nxs_event* e) {
  reentry* r = user;
  (void)e;
  nxs_result* result = NULL;
  const int32_t t = 4;
  const nxs_status status = nxs_plain_decode(&result, r->seq, &t, 1, NULL, NULL, NULL, &err);
  ++r->calls;
  if (r->extra != NULL) nxs_seq_close(r->extra);
  r->extra = NULL;
  return status == NXS_ERR_BUSY && result == NULL ? 0 : -1;
}

static void callback_that_calls(void** state) {
  (void)state;
  reentry r = {new_seq(s), new_seq(s), 0};
  nxs_result* result = NULL;
  const nxs_decode_params p = with_max_new(5);
  good(nxs_spec_decode(&result, r.seq, prompt(3, 9), 9, &p, NULL, call_back, &r, &err));
  assert_true(r.calls >= 6);
  nxs_result_close(result);
  nxs_seq_close(r.seq);
}

// What a vote gives is made by the reader that asks first, whoever else asks.
typedef struct reader {
  pthread_t thread;
  const nxs_vote* vote;
  char receipt[40];
  int wrong;
} reader;

static void* read_all(void* arg) {
  reader* r = arg;
  r->wrong += nxs_vote_n_answers(r->vote) != 3 || nxs_vote_is_tie(r->vote) != 1;
  r->wrong += strcmp(nxs_vote_answer(r->vote, 0), "0") != 0 || nxs_vote_answer_count(r->vote, 2) != 99;
  for (int32_t i = 0; i < nxs_vote_n_samples(r->vote); ++i) {
    r->wrong += strlen(nxs_result_receipt(nxs_vote_sample(r->vote, i))) != 34;
    r->wrong += nxs_vote_sample_answer(r->vote, i)[0] != "012"[i % 3];
  }
  strcpy(r->receipt, nxs_vote_receipt(r->vote));
  return NULL;
}

static void readers_of_a_vote(void** state) {
  (void)state;
  const char* answers[] = {"0", "1", "2"};
  nxs_vote_params v;
  nxs_vote_params_init(&v, sizeof v);
  v.n_samples = 299;
  nxs_seq* q = new_seq(s);
  for (int round = 0; round < 10; ++round) {
    nxs_vote* vote = NULL;
    nxs_session_cancel(s, 1);
    good(nxs_selfconsist_batched(&vote, q, prompt(3, 9), 9, NULL, &v, NULL, NULL, &err));
    nxs_session_cancel(s, 0);
    for (int32_t i = 0; i < 299; ++i) good(nxs_vote_set_answer(vote, i, answers[i % 3], &err));
    reader r[3];
    memset(r, 0, sizeof r);
    for (int i = 0; i < 3; ++i) {
      r[i].vote = vote;
      assert_int_equal(pthread_create(&r[i].thread, NULL, read_all, &r[i]), 0);
    }
    for (int i = 0; i < 3; ++i) {
      pthread_join(r[i].thread, NULL);
      assert_int_equal(r[i].wrong, 0);
      assert_string_equal(r[i].receipt, r[0].receipt);
    }
    nxs_vote_close(vote);
  }
  nxs_seq_close(q);
}

// A call uses at most 64 KiB of its caller's stack. (The thread's own needs, and those of this test, get 20 KiB more.)
// Where no thread may have so little, as on AArch64, it takes up the rest itself.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static const size_t small = (64 + 20) * 1024;

static void* on_a_small_stack(void* arg) {
  worker* w = arg;
  const size_t least = (size_t)PTHREAD_STACK_MIN;
  volatile char* rest = alloca(least > small ? least - small : 1);
  *rest = 0;
  nxs_model* own = NULL;
  size_t n = 0;
  w->wrong += nxs_model_open(&own, model_path, NULL, NULL) != NXS_OK;
  nxs_model_close(own);
  w->wrong += nxs_tokenize(NULL, 0, &n, NULL, m, "one two 3, four; f i v e", 24, 0, NULL) != NXS_OK;
  w->wrong += nxs_selftest(NULL, 0, NULL) != NXS_OK;
  return decode_in_own_session(w);
}

static void small_stack(void** state) {
  (void)state;
  worker w;
  memset(&w, 0, sizeof w);
  pthread_attr_t attributes;
  assert_int_equal(pthread_attr_init(&attributes), 0);
  const size_t least = (size_t)PTHREAD_STACK_MIN;
  assert_int_equal(pthread_attr_setstacksize(&attributes, least > small ? least : small), 0);
  assert_int_equal(pthread_create(&w.thread, &attributes, on_a_small_stack, &w), 0);
  pthread_join(w.thread, NULL);
  pthread_attr_destroy(&attributes);
  assert_int_equal(w.wrong, 0);
  assert_int_equal(strlen(w.receipt), 34);
}
#else
static void small_stack(void** state) {
  (void)state;
  skip();
}
#endif

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(two_sessions_on_one_model, open_it, close_it),
      cmocka_unit_test_setup_teardown(second_call_is_busy, open_it, close_it),
      cmocka_unit_test_setup_teardown(cancelled_from_outside, open_it, close_it),
      cmocka_unit_test(closed_while_busy),
      cmocka_unit_test_setup_teardown(closed_pages_are_used, open_it, close_it),
      cmocka_unit_test_setup_teardown(closing_is_no_call, open_it, close_it),
      cmocka_unit_test_setup_teardown(callback_that_calls, open_it, close_it),
      cmocka_unit_test_setup_teardown(readers_of_a_vote, open_it, close_it),
      cmocka_unit_test_setup_teardown(small_stack, open_it, close_it),
  };
  return RUN_TESTS(argc, argv, tests);
}
