// SPDX-License-Identifier: Apache-2.0 OR MIT
// A pool of fixed size: failure gives back what was taken, forks included, and nxs_kv_tokens says how much is enough.
#include "support.h"

static nxs_model* m;
static nxs_session* s;

static int open_it(void** state) {
  (void)state;
  m = open_model();
  return 0;
}

static int close_it(void** state) {
  (void)state;
  nxs_model_close(m);
  return 0;
}

static int64_t free_tokens(void) {
  nxs_session_info info;
  info.struct_size = sizeof info;
  good(nxs_session_get_info(&info, s, &err));
  return info.kv_tokens_free;
}

static nxs_session* open_pool(uint32_t page_tokens, int64_t kv_tokens) {
  nxs_session_params p;
  nxs_session_params_init(&p, sizeof p);
  p.n_threads = 1;
  p.page_tokens = page_tokens;
  p.prefill_chunk = 3;
  p.kv_tokens = kv_tokens;
  nxs_session* session = NULL;
  good(nxs_session_open(&session, m, &p, &err));
  return session;
}

// A sequence whose n tokens are all in the cache.
static nxs_seq* cached(size_t n) {
  const nxs_decode_params none = with_max_new(0);
  nxs_seq* q = new_seq(s);
  nxs_result* r = NULL;
  good(nxs_plain_decode(&r, q, prompt(1, n), n, &none, NULL, NULL, &err));
  nxs_result_close(r);
  return q;
}

static int32_t countdown(void* user, const nxs_event* event) {
  (void)event;
  int* left = user;
  return (*left)-- == 0 ? -1 : 0;
}

// A run copies the partly filled page that its sequence shares; one that fails gives the copy back.
static void failed_run_of_a_fork(void** state) {
  (void)state;
  s = open_pool(4, 64);
  for (size_t n = 5; n <= 8; ++n) {
    nxs_seq *parent = cached(n), *fork = NULL;
    good(nxs_seq_fork(&fork, parent, -1, &err));
    const int64_t before = free_tokens();
    const nxs_decode_params p = with_max_new(9);
    nxs_result* r = NULL;
    for (size_t n_prompt = 0; n_prompt < 8; n_prompt += 4) {
      for (int at = 0; at < 9; at += 2) {
        int left = at;
        fails(nxs_spec_decode(&r, fork, prompt(2, n_prompt), n_prompt, &p, NULL, countdown, &left, &err),
              NXS_ERR_CALLBACK, "-1");
        assert_int_equal(nxs_seq_length(fork), n);
        assert_int_equal(free_tokens(), before);
      }
    }
    nxs_session_cancel(s, 1);
    good(nxs_plain_decode(&r, fork, prompt(2, 4), 4, &p, NULL, NULL, &err));
    nxs_result_close(r);
    nxs_session_cancel(s, 0);
    assert_int_equal(free_tokens(), before);
    nxs_seq_close(parent);
    nxs_seq_close(fork);
    assert_int_equal(free_tokens(), 64);
  }
  nxs_session_close(s);
}

// A run without a prompt feeds the last row again. Where no page is left for it, the fork keeps the row that it has.
static void last_row_stays(void** state) {
  (void)state;
  for (uint32_t page = 1; page <= 8; page *= 2) {
    s = open_pool(page, 8);
    nxs_seq *parent = cached(8), *fork = NULL;
    good(nxs_seq_fork(&fork, parent, -1, &err));
    assert_int_equal(free_tokens(), 0);
    nxs_result* r = NULL;
    fails(nxs_plain_decode(&r, fork, NULL, 0, NULL, NULL, NULL, &err), NXS_ERR_KV_FULL,
          page == 1 ? "needs 1 token of KV cache (1 page of 1), 0 are free of 8" : "KV cache (1 page of");
    assert_int_equal(free_tokens(), 0);
    assert_int_equal(nxs_seq_length(fork), 8);
    nxs_seq_close(parent);
    assert_int_equal(free_tokens(), 0);  // all of it is the fork's now
    good(nxs_plain_decode(&r, fork, NULL, 0, NULL, NULL, NULL, &err));
    assert_int_equal(nxs_result_stats(r)->stop, NXS_STOP_KV_FULL);
    assert_int_equal(nxs_result_stats(r)->n_emitted, 1);
    nxs_result_close(r);
    nxs_seq_close(fork);
    nxs_session_close(s);
  }
}

// Nor is a last row given up whose page no other sequence shares, by what fails or ends before it is fed again.
static void last_row_stays_alone(void** state) {
  (void)state;
  for (uint32_t page = 1; page <= 4; page *= 2) {
    s = open_pool(page, 4);
    nxs_seq* q = cached(1);
    const int64_t before = free_tokens();
    assert_int_equal(before, 4 - page);
    nxs_vote* vote = NULL;
    fails(nxs_selfconsist_reset(&vote, q, NULL, 0, NULL, NULL, NULL, NULL, &err), NXS_ERR_KV_FULL, "prompt and one");
    fails(nxs_selfconsist_paged(&vote, q, NULL, 0, NULL, NULL, NULL, NULL, &err), NXS_ERR_KV_FULL, "prompt and one");
    fails(nxs_selfconsist_batched(&vote, q, NULL, 0, NULL, NULL, NULL, NULL, &err), NXS_ERR_KV_FULL, "prompt and one");
    assert_int_equal(free_tokens(), before);
    nxs_stream* stream = NULL;
    good(nxs_stream_open(&stream, q, NULL, 0, NULL, NULL, &err));
    assert_int_equal(free_tokens(), before);
    nxs_stream_close(stream);
    nxs_result* r = NULL;
    nxs_session_cancel(s, 1);
    good(nxs_plain_decode(&r, q, NULL, 0, NULL, NULL, NULL, &err));
    nxs_session_cancel(s, 0);
    assert_int_equal(free_tokens(), before);
    nxs_result_close(r);
    nxs_seq_close(q);
    nxs_session_close(s);
  }
}

// Forks that run side by side, each to its full length.
static void kv_tokens_suffice(void** state) {
  (void)state;
  enum { FORKS = 3 };
  for (uint32_t page = 1; page <= 16; page *= 4) {
    for (size_t n = 1; n < 10; ++n) {
      for (int64_t max_new = 1; max_new < 9; max_new += 3) {
        s = open_pool(page, nxs_kv_tokens((int64_t)n, max_new, FORKS, page));
        nxs_seq *parent = cached(n), *forks[FORKS];
        nxs_stream* streams[FORKS];
        nxs_decode_params p = with_max_new(max_new);
        p.flags = NXS_DECODE_IGNORE_STOP;
        for (int i = 0; i < FORKS; ++i) {
          good(nxs_seq_fork(&forks[i], parent, -1, &err));
          good(nxs_stream_open(&streams[i], forks[i], NULL, 0, &p, NULL, &err));
        }
        for (int step = 0; step < 12; ++step) {
          const nxs_event* event = NULL;
          for (int i = 0; i < FORKS; ++i) good(nxs_stream_next(&event, streams[i], &err));
        }
        for (int i = 0; i < FORKS; ++i) {
          nxs_result* r = NULL;
          good(nxs_stream_result(&r, streams[i], &err));
          assert_int_equal(nxs_result_stats(r)->stop, NXS_STOP_MAX_NEW);
          assert_int_equal(nxs_result_stats(r)->n_emitted, max_new);
          nxs_result_close(r);
          nxs_stream_close(streams[i]);
          nxs_seq_close(forks[i]);
        }
        nxs_seq_close(parent);
        nxs_session_close(s);
      }
    }
  }
}

// Several parts of a forward: the pool is asked for all of them before the first is computed.
static void forward_asks_first(void** state) {
  (void)state;
  s = open_pool(4, 32);
  nxs_seq *parent = cached(6), *fork = NULL;
  good(nxs_seq_fork(&fork, parent, -1, &err));
  const int64_t before = free_tokens();
  nxs_seq* const both[2] = {parent, fork};
  const int32_t counts[2] = {9, 20};
  static uint8_t want[29];
  fails(nxs_forward(NULL, 0, both, counts, 2, prompt(3, 29), want, &err), NXS_ERR_KV_FULL, "24 are free of 32");
  assert_int_equal(free_tokens(), before);
  assert_int_equal(nxs_seq_length(parent), 6);
  assert_int_equal(nxs_seq_length(fork), 6);
  nxs_seq_close(parent);
  nxs_seq_close(fork);
  nxs_session_close(s);
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(failed_run_of_a_fork, open_it, close_it),
      cmocka_unit_test_setup_teardown(last_row_stays, open_it, close_it),
      cmocka_unit_test_setup_teardown(last_row_stays_alone, open_it, close_it),
      cmocka_unit_test_setup_teardown(kv_tokens_suffice, open_it, close_it),
      cmocka_unit_test_setup_teardown(forward_asks_first, open_it, close_it),
  };
  return RUN_TESTS(argc, argv, tests);
}
