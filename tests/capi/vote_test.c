// SPDX-License-Identifier: Apache-2.0 OR MIT
// Votes: every sample against a plain run, the three modes against each other, the tally, what is refused.
#include <math.h>

#include "votes.h"

static nxs_vote* vote_fresh(int mode, nxs_session* session, uint32_t number, size_t n, const nxs_decode_params* p,
                            const nxs_vote_params* v) {
  nxs_seq* q = new_seq(session);
  nxs_vote* vote = NULL;
  good(kModes[mode](&vote, q, prompt(number, n), n, p, v, NULL, NULL, &err));
  assert_int_equal(nxs_seq_length(q), n);
  nxs_seq_close(q);
  return vote;
}

static void same_vote(const nxs_vote* a, const nxs_vote* b) {
  assert_int_equal(nxs_vote_n_samples(a), nxs_vote_n_samples(b));
  for (int32_t i = 0; i < nxs_vote_n_samples(a); ++i) {
    same_result(nxs_vote_sample(a, i), nxs_vote_sample(b, i));
    const char *x = nxs_vote_sample_answer(a, i), *y = nxs_vote_sample_answer(b, i);
    assert_int_equal(x == NULL, y == NULL);
    if (x != NULL) assert_string_equal(x, y);
  }
  assert_int_equal(nxs_vote_n_answers(a), nxs_vote_n_answers(b));
  assert_int_equal(nxs_vote_is_tie(a), nxs_vote_is_tie(b));
  assert_string_equal(nxs_vote_receipt(a), nxs_vote_receipt(b));
}

static void samples_are_plain_runs(void** state) {
  (void)state;
  nxs_decode_params p = sampling(16);
  const nxs_vote_params v = of(4);
  nxs_vote* first = vote_fresh(BATCHED, s, 3, 21, &p, &v);
  for (int mode = 0; mode < N_MODES; ++mode) {
    nxs_vote* vote = vote_fresh(mode, s, 3, 21, &p, &v);
    same_vote(first, vote);
    nxs_vote_close(vote);
  }
  for (int32_t i = 0; i < 4; ++i) {
    nxs_decode_params alone = p;
    alone.seed += i * v.seed_stride;
    nxs_result* r = run_fresh(s, prompt(3, 21), 21, &alone, NULL);
    same_result(r, nxs_vote_sample(first, i));
    nxs_result_close(r);
  }
  // Sample i of 8 is sample i of 4.
  const nxs_vote_params more = of(8);
  nxs_vote* eight = vote_fresh(BATCHED, s, 3, 21, &p, &more);
  for (int32_t i = 0; i < 4; ++i) same_result(nxs_vote_sample(first, i), nxs_vote_sample(eight, i));
  nxs_vote_close(eight);
  nxs_vote_close(first);
}

static void seeds_wrap(void** state) {
  (void)state;
  nxs_decode_params p = sampling(8);
  nxs_vote_params v = of(3);
  p.seed = INT64_MAX;
  v.seed_stride = INT64_MAX;
  nxs_vote* vote = vote_fresh(BATCHED, s, 3, 9, &p, &v);
  p.seed = INT64_MAX - 2;  // INT64_MAX + 2 * INT64_MAX, modulo 2^64
  nxs_result* r = run_fresh(s, prompt(3, 9), 9, &p, NULL);
  same_result(r, nxs_vote_sample(vote, 2));
  nxs_result_close(r);
  nxs_vote_close(vote);
}

static void defaults(void** state) {
  (void)state;
  nxs_vote_params v;
  nxs_vote_params_init(&v, sizeof v);
  assert_int_equal(v.struct_size, sizeof v);
  assert_int_equal(v.n_samples, 8);
  assert_int_equal(v.extractor, NXS_EXTRACT_LAST_INTEGER);
  assert_int_equal(v.max_batch, 0);
  assert_int_equal(v.seed_stride, 7919);
  assert_int_equal(v.flags, 0);
  assert_int_equal(v.reserved, 0);
  nxs_decode_params p;
  nxs_decode_params_init(&p, sizeof p);
  p.temperature = 0.7f;
  p.top_k = 40;
  nxs_vote* given = vote_fresh(BATCHED, s, 5, 12, &p, &v);
  nxs_vote* none = vote_fresh(BATCHED, s, 5, 12, NULL, NULL);
  same_vote(given, none);
  nxs_vote_close(given);
  nxs_vote_close(none);
}

static void outlives_everything(void** state) {
  (void)state;
  nxs_model* own = open_model();
  nxs_session* session = open_session(own, 1, 0, 0);
  const nxs_decode_params p = sampling(9);
  nxs_vote* vote = vote_fresh(BATCHED, session, 3, 9, &p, NULL);
  nxs_session_close(session);
  nxs_model_close(own);
  size_t n = 0;
  assert_non_null(nxs_result_tokens(nxs_vote_sample(vote, 7), &n));
  assert_int_equal(strlen(nxs_vote_receipt(vote)), 34);
  const unsigned char* stats = (const unsigned char*)nxs_vote_stats(vote);
  assert_int_equal(nxs_vote_stats(vote)->struct_size, sizeof(nxs_stats));
  for (size_t i = sizeof(nxs_stats); i < 512; ++i) assert_int_equal(stats[i], 0);
  nxs_vote_close(vote);
}

static void refused(const nxs_decode_params* p, const nxs_vote_params* v, nxs_status status, const char* word) {
  nxs_seq* q = new_seq(s);
  for (int mode = 0; mode < N_MODES; ++mode) {
    nxs_vote* vote = (nxs_vote*)&vote;
    fails(kModes[mode](&vote, q, prompt(3, 9), 9, p, v, NULL, NULL, &err), status, word);
    assert_null(vote);
    assert_int_equal(nxs_seq_length(q), 0);
  }
  nxs_seq_close(q);
}

static void ranges(void** state) {
  (void)state;
  nxs_vote_params v = of(0);
  refused(NULL, &v, NXS_ERR_ARGUMENT, "n_samples");
  v = of(UINT32_MAX);
  refused(NULL, &v, NXS_ERR_ARGUMENT, "n_samples");
  v = of(2);
  v.extractor = 4;
  refused(NULL, &v, NXS_ERR_ARGUMENT, "extractor");
  v = of(2);
  v.flags = 2;
  refused(NULL, &v, NXS_ERR_UNSUPPORTED, "flags");
  v = of(2);
  v.reserved = 1;
  refused(NULL, &v, NXS_ERR_UNSUPPORTED, "reserved");
  v = of(2);
  v.struct_size = 3;
  refused(NULL, &v, NXS_ERR_ARGUMENT, "struct_size");
  for (int i = 0; i < 3; ++i) {
    nxs_decode_params p = sampling(3);
    p.temperature = i == 0 ? -1.0f : i == 1 ? NAN : INFINITY;
    refused(&p, NULL, NXS_ERR_ARGUMENT, "temperature");
  }
  nxs_decode_params p = sampling(3);
  p.top_k = -1;
  refused(&p, NULL, NXS_ERR_ARGUMENT, "top_k");
}

static void few_tokens(void** state) {
  (void)state;
  for (int64_t max_new = 0; max_new < 3; ++max_new) {
    const nxs_decode_params p = sampling(max_new);
    nxs_vote* votes[N_MODES];
    for (int mode = 0; mode < N_MODES; ++mode) votes[mode] = vote_fresh(mode, s, 4, 8, &p, NULL);
    for (int mode = 1; mode < N_MODES; ++mode) same_vote(votes[0], votes[mode]);
    size_t n = 9;
    nxs_result_tokens(nxs_vote_sample(votes[0], 0), &n);
    assert_true((int64_t)n <= max_new);
    for (int mode = 0; mode < N_MODES; ++mode) nxs_vote_close(votes[mode]);
  }
}

// The pool's free tokens are the same after a vote that finds too few of them, whatever their number.
static void exhausted_pool(void** state) {
  (void)state;
  nxs_decode_params p = sampling(9);
  p.flags = NXS_DECODE_IGNORE_STOP;
  nxs_vote* roomy = vote_fresh(BATCHED, s, 6, 10, &p, NULL);
  const int64_t enough = nxs_kv_tokens(10, 9, 1, 4);
  for (int64_t kv = 4; kv <= 4 * enough; kv += 4) {
    nxs_session* small = open_session(m, 1, 0, kv);
    nxs_session_info before, after;
    before.struct_size = after.struct_size = sizeof before;
    for (int mode = 0; mode < N_MODES; ++mode) {
      nxs_seq* q = new_seq(small);
      nxs_vote* vote = NULL;
      good(nxs_session_get_info(&before, small, &err));
      const nxs_status status = kModes[mode](&vote, q, prompt(6, 10), 10, &p, NULL, NULL, NULL, &err);
      if (kv < enough) {
        fails(status, NXS_ERR_KV_FULL, "tokens");
        good(nxs_session_get_info(&after, small, &err));
        assert_int_equal(before.kv_tokens_free, after.kv_tokens_free);
        assert_int_equal(nxs_seq_length(q), 0);
      } else {
        good(status);
        same_vote(roomy, vote);
      }
      nxs_vote_close(vote);
      nxs_seq_close(q);
    }
    nxs_session_close(small);
  }
  nxs_vote_close(roomy);
}

typedef struct watch {
  int64_t next_index[8];
  int ended[8], events, stop_at, answer;
} watch;

static int32_t look(void* user, const nxs_event* e) {
  watch* w = user;
  assert_int_equal(e->struct_size, sizeof *e);
  assert_true(e->sample >= 0 && e->sample < 8);
  assert_false(w->ended[e->sample]);
  if (e->flags & NXS_EVENT_END) {
    w->ended[e->sample] = 1;
    assert_int_equal(e->index, w->next_index[e->sample]);
  } else if (!(e->flags & NXS_EVENT_PREFILL)) {
    assert_int_equal(e->index, w->next_index[e->sample]++);
  }
  return ++w->events == w->stop_at ? w->answer : 0;
}

static void streaming_and_cancelling(void** state) {
  (void)state;
  nxs_decode_params p = sampling(6);
  p.flags = NXS_DECODE_IGNORE_STOP;
  for (int mode = 0; mode < N_MODES; ++mode) {
    for (int stop_at = 0; stop_at < 40; stop_at += 3) {
      watch w = {.stop_at = stop_at, .answer = 1};
      nxs_seq* q = new_seq(s);
      nxs_vote* vote = NULL;
      good(kModes[mode](&vote, q, prompt(6, 10), 10, &p, NULL, look, &w, &err));
      assert_int_equal(nxs_vote_n_samples(vote), 8);
      int64_t emitted = 0;
      for (int32_t i = 0; i < 8; ++i) {
        const nxs_stats* stats = nxs_result_stats(nxs_vote_sample(vote, i));
        assert_int_equal(stats->n_emitted, w.next_index[i]);
        assert_true(w.ended[i] || (stats->n_emitted == 0 && stats->stop == NXS_STOP_CANCELLED));
        if (stats->stop == NXS_STOP_CANCELLED) assert_null(nxs_vote_sample_answer(vote, i));
        emitted += stats->n_emitted;
      }
      assert_int_equal(nxs_vote_stats(vote)->n_emitted, emitted);
      assert_int_equal(nxs_vote_stats(vote)->stop, stop_at == 0 ? 0 : NXS_STOP_CANCELLED);
      assert_int_equal(nxs_seq_length(q), emitted == 0 ? 0 : 10);
      nxs_vote_close(vote);
      nxs_seq_close(q);
    }
    watch w = {.stop_at = 9, .answer = -3};
    nxs_seq* q = new_seq(s);
    nxs_vote* vote = NULL;
    fails(kModes[mode](&vote, q, prompt(6, 10), 10, &p, NULL, look, &w, &err), NXS_ERR_CALLBACK, "-3");
    assert_null(vote);
    assert_int_equal(nxs_seq_length(q), 0);
    nxs_session_cancel(s, 1);
    good(kModes[mode](&vote, q, prompt(6, 10), 10, &p, NULL, NULL, NULL, &err));
    nxs_session_cancel(s, 0);
    assert_int_equal(nxs_vote_stats(vote)->stop, NXS_STOP_CANCELLED);
    assert_int_equal(nxs_seq_length(q), 0);
    nxs_vote_close(vote);
    nxs_seq_close(q);
  }
}

static void nothing_to_ask(void** state) {
  (void)state;
  nxs_seq* q = new_seq(s);
  nxs_vote* vote = NULL;
  int64_t n = 0;
  for (int mode = 0; mode < N_MODES; ++mode) {
    fails(kModes[mode](&vote, q, NULL, 0, NULL, NULL, NULL, NULL, &err), NXS_ERR_ARGUMENT, "prompt");
    fails(kModes[mode](&vote, q, NULL, 1, NULL, NULL, NULL, NULL, &err), NXS_ERR_ARGUMENT, "prompt");
    fails(kModes[mode](NULL, q, prompt(1, 2), 2, NULL, NULL, NULL, NULL, &err), NXS_ERR_ARGUMENT, "out");
    fails(kModes[mode](&vote, NULL, prompt(1, 2), 2, NULL, NULL, NULL, NULL, &err), NXS_ERR_ARGUMENT, "seq");
  }
  fails(nxs_vote_winner_int64(&n, NULL, &err), NXS_ERR_ARGUMENT, "vote");
  fails(nxs_vote_set_answer(NULL, 0, "1", &err), NXS_ERR_ARGUMENT, "vote");
  assert_int_equal(nxs_vote_n_samples(NULL) + nxs_vote_n_skipped(NULL) + nxs_vote_n_answers(NULL), 0);
  assert_int_equal(nxs_vote_answer_count(NULL, 0) + nxs_vote_is_tie(NULL), 0);
  assert_null(nxs_vote_sample(NULL, 0));
  assert_null(nxs_vote_sample_answer(NULL, 0));
  assert_null(nxs_vote_answer(NULL, 0));
  assert_null(nxs_vote_stats(NULL));
  assert_null(nxs_vote_receipt(NULL));
  nxs_vote_close(NULL);
  nxs_vote_params_init(NULL, 40);
  nxs_seq_close(q);
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(samples_are_plain_runs, open_it, close_it),
      cmocka_unit_test_setup_teardown(seeds_wrap, open_it, close_it),
      cmocka_unit_test_setup_teardown(defaults, open_it, close_it),
      cmocka_unit_test_setup_teardown(outlives_everything, open_it, close_it),
      cmocka_unit_test_setup_teardown(ranges, open_it, close_it),
      cmocka_unit_test_setup_teardown(few_tokens, open_it, close_it),
      cmocka_unit_test_setup_teardown(exhausted_pool, open_it, close_it),
      cmocka_unit_test_setup_teardown(streaming_and_cancelling, open_it, close_it),
      cmocka_unit_test_setup_teardown(nothing_to_ask, open_it, close_it),
  };
  return RUN_TESTS(argc, argv, tests);
}
