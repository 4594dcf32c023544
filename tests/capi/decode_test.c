// SPDX-License-Identifier: Apache-2.0 OR MIT
// Plain and speculative decoding give the same tokens, text, reasons and receipts, however drafts fall.
#include "one_session.h"

static void lookup_equals_plain(void** state) {
  (void)state;
  int64_t accepted = 0, rejected = 0;
  for (uint32_t i = 0; i < 40; ++i) {
    const size_t n = 1 + i * 7 % 90;
    const nxs_decode_params p = with_max_new(60 + i);
    nxs_result* plain = run_fresh(s, prompt(i, n), n, &p, NULL);
    nxs_drafter* drafter = lookup(i % 9, 1 + i % 4, 1);
    nxs_result* spec = run_fresh(s, prompt(i, n), n, &p, drafter);
    same_result(plain, spec);
    const nxs_stats* st = nxs_result_stats(spec);
    accepted += st->n_accepted;
    rejected += st->n_drafted - st->n_accepted;
    assert_int_equal(nxs_result_stats(plain)->n_drafted, 0);
    nxs_drafter_close(drafter);
    nxs_result_close(plain);
    nxs_result_close(spec);
  }
  assert_true(accepted > 100 && rejected > 100);
}

// Drafts what is right up to place `wrong_at`, then something else.
typedef struct oracle {
  const int32_t* tokens;
  size_t n_before, n, length, wrong_at;
  int asked;
} oracle;

static int32_t draft_by_oracle(void* user, const int32_t* context, size_t n_context, int32_t* draft, size_t capacity) {
  oracle* o = user;
  (void)context;
  ++o->asked;
  size_t k = 0;
  for (; k < o->length && k < capacity; ++k) {
    const size_t at = n_context - o->n_before + k;
    const int32_t right = at < o->n ? o->tokens[at] : 0;
    draft[k] = k == o->wrong_at ? (right + 1) % 320 : right;
  }
  return (int32_t)k;
}

static void rejected_at_each_place(void** state) {
  (void)state;
  const nxs_decode_params p = with_max_new(41);
  nxs_result* plain = run_fresh(s, prompt(77, 33), 33, &p, NULL);
  oracle o = {NULL, 33, 0, 0, 0, 0};
  o.tokens = nxs_result_tokens(plain, &o.n);
  for (o.length = 0; o.length <= 8; ++o.length) {
    for (o.wrong_at = 0; o.wrong_at <= o.length; ++o.wrong_at) {
      nxs_drafter* drafter = NULL;
      good(nxs_drafter_custom(&drafter, draft_by_oracle, &o, 8, &err));
      o.asked = 0;
      nxs_result* spec = run_fresh(s, prompt(77, 33), 33, &p, drafter);
      same_result(plain, spec);
      assert_true(o.asked > 0);
      if (o.wrong_at == o.length && o.length > 0) {
        assert_int_equal(nxs_result_stats(spec)->n_drafted, nxs_result_stats(spec)->n_accepted);
        assert_true(nxs_result_stats(spec)->n_forwards < nxs_result_stats(plain)->n_forwards);
      }
      nxs_result_close(spec);
      nxs_drafter_close(drafter);
    }
  }
  nxs_result_close(plain);
}

static int32_t draft_badly(void* user, const int32_t* context, size_t n_context, int32_t* draft, size_t capacity) {
  (void)context;
  (void)n_context;
  const int32_t answer = *(const int32_t*)user;
  for (size_t i = 0; i < capacity; ++i) draft[i] = 320;
  return answer == 100 ? (int32_t)capacity + 1 : answer;
}

static void drafter_errors(void** state) {
  (void)state;
  const struct {
    int32_t answer;
    const char* word;
  } cases[] = {{-3, "-3"}, {100, "capacity"}, {1, "320"}};
  nxs_seq* q = new_seq(s);
  for (size_t i = 0; i < 3; ++i) {
    int32_t answer = cases[i].answer;
    nxs_drafter* drafter = NULL;
    good(nxs_drafter_custom(&drafter, draft_badly, &answer, 4, &err));
    nxs_result* r = (nxs_result*)m;
    fails(nxs_spec_decode(&r, q, prompt(1, 9), 9, NULL, drafter, NULL, NULL, &err), NXS_ERR_CALLBACK, cases[i].word);
    assert_null(r);
    assert_int_equal(nxs_seq_length(q), 0);
    fails(nxs_drafter_add_text(drafter, prompt(1, 9), 9, &err), NXS_ERR_ARGUMENT, "lookup");
    nxs_drafter_close(drafter);
  }
  nxs_drafter* drafter = lookup(6, 3, 2);
  const int32_t foreign = 320;
  good(nxs_drafter_add_text(drafter, &foreign, 1, &err));
  nxs_result* r = NULL;
  fails(nxs_spec_decode(&r, q, prompt(1, 9), 9, NULL, drafter, NULL, NULL, &err), NXS_ERR_ARGUMENT, "320");
  nxs_drafter_close(drafter);
  nxs_seq_close(q);
}

// Text that only the drafter has: everything in it is right.
static void added_text(void** state) {
  (void)state;
  const nxs_decode_params p = with_max_new(60);
  nxs_result* plain = run_fresh(s, prompt(5, 40), 40, &p, NULL);
  size_t n = 0;
  const int32_t* tokens = nxs_result_tokens(plain, &n);
  nxs_drafter *without = lookup(6, 3, 2), *with = lookup(6, 3, 2);
  good(nxs_drafter_add_text(with, prompt(5, 40), 40, &err));
  good(nxs_drafter_add_text(with, tokens, n, &err));
  nxs_result *a = run_fresh(s, prompt(5, 40), 40, &p, without), *b = run_fresh(s, prompt(5, 40), 40, &p, with);
  same_result(plain, a);
  same_result(plain, b);
  assert_true(nxs_result_stats(b)->n_accepted > 0);
  assert_true(nxs_result_stats(b)->draft_seconds > 0);
  nxs_drafter_close(without);
  nxs_drafter_close(with);
  nxs_result_close(plain);
  nxs_result_close(a);
  nxs_result_close(b);
}

static void max_new(void** state) {
  (void)state;
  const int64_t numbers[] = {0, 1, 2, 6, 7, 8};
  nxs_decode_params p = with_max_new(0);
  p.flags = NXS_DECODE_IGNORE_STOP;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    p.max_new = numbers[i];
    nxs_drafter* drafter = lookup(6, 3, 1);
    nxs_result *plain = run_fresh(s, prompt(8, 50), 50, &p, NULL), *spec = run_fresh(s, prompt(8, 50), 50, &p, drafter);
    same_result(plain, spec);
    assert_int_equal(nxs_result_stats(plain)->n_emitted, numbers[i]);
    assert_int_equal(nxs_result_stats(plain)->stop, NXS_STOP_MAX_NEW);
    // The last token's row is never computed.
    assert_int_equal(nxs_result_stats(plain)->n_rows, 50 + (numbers[i] > 0 ? numbers[i] - 1 : 0));
    nxs_drafter_close(drafter);
    nxs_result_close(plain);
    nxs_result_close(spec);
  }
}

static void odd_prompts(void** state) {
  (void)state;
  int32_t same[100], serving[48 * 3];
  for (int i = 0; i < 100; ++i) same[i] = 65;
  for (int i = 0; i < 48 * 3; ++i) serving[i] = 70 + i % 3;
  const struct {
    const int32_t* tokens;
    size_t n;
  } cases[] = {{same, 1}, {same, 2}, {same, 3}, {same, 100}, {serving, 48 * 3}};
  nxs_decode_params p = with_max_new(32);
  for (size_t i = 0; i < 5; ++i) {
    for (uint32_t flags = 0; flags < 2; ++flags) {
      p.flags = flags * NXS_DECODE_IGNORE_STOP;
      nxs_drafter* drafter = lookup(4, 5, 2);
      nxs_result *plain = run_fresh(s, cases[i].tokens, cases[i].n, &p, NULL),
                 *spec = run_fresh(s, cases[i].tokens, cases[i].n, &p, drafter);
      same_result(plain, spec);
      nxs_drafter_close(drafter);
      nxs_result_close(plain);
      nxs_result_close(spec);
    }
  }
}

static void context_fills_up(void** state) {
  (void)state;
  enum { CTX = 40 };
  nxs_session* small = open_session(m, 1, CTX, 0);
  nxs_decode_params p = with_max_new(-1);
  p.flags = NXS_DECODE_IGNORE_STOP;
  for (size_t r = 0; r < 8; ++r) {
    nxs_drafter* drafter = lookup(6, 3, 1);
    nxs_result *plain = run_fresh(small, prompt(3, CTX - r), CTX - r, &p, NULL),
               *spec = run_fresh(small, prompt(3, CTX - r), CTX - r, &p, drafter);
    same_result(plain, spec);
    assert_int_equal(nxs_result_stats(plain)->n_emitted, r);
    assert_int_equal(nxs_result_stats(plain)->stop, NXS_STOP_CONTEXT);
    nxs_drafter_close(drafter);
    nxs_result_close(plain);
    nxs_result_close(spec);
  }
  nxs_seq* q = new_seq(small);
  nxs_result* result = NULL;
  fails(nxs_plain_decode(&result, q, prompt(3, CTX + 1), CTX + 1, &p, NULL, NULL, &err), NXS_ERR_CONTEXT, "41");
  assert_int_equal(nxs_seq_length(q), 0);
  nxs_seq_close(q);
  nxs_session_close(small);
}

// The cache holds all but the last token, so a pool of 24 tokens is full when 25 - n have been emitted.
static void pool_fills_up(void** state) {
  (void)state;
  enum { POOL = 24 };
  nxs_session* small = open_session(m, 1, 0, POOL);
  nxs_decode_params p = with_max_new(-1);
  p.flags = NXS_DECODE_IGNORE_STOP;
  nxs_result* result = NULL;
  for (size_t n = 14; n <= POOL; ++n) {
    nxs_drafter* drafter = lookup(6, 3, 1);
    nxs_result *plain = run_fresh(small, prompt(3, n), n, &p, NULL),
               *spec = run_fresh(small, prompt(3, n), n, &p, drafter);
    same_result(plain, spec);
    assert_int_equal(nxs_result_stats(plain)->stop, NXS_STOP_KV_FULL);
    assert_int_equal(nxs_result_stats(plain)->n_emitted, POOL + 1 - n);
    nxs_drafter_close(drafter);
    nxs_result_close(plain);
    nxs_result_close(spec);
  }
  nxs_seq *q = new_seq(small), *other = new_seq(small);
  fails(nxs_plain_decode(&result, q, prompt(3, POOL + 1), POOL + 1, &p, NULL, NULL, &err), NXS_ERR_KV_FULL,
        "28 tokens");
  assert_int_equal(nxs_seq_length(q), 0);
  good(nxs_plain_decode(&result, other, prompt(3, 20), 20, &p, NULL, NULL, &err));
  nxs_result_close(result);
  fails(nxs_plain_decode(&result, q, prompt(3, 2), 2, &p, NULL, NULL, &err), NXS_ERR_KV_FULL, "free");
  nxs_seq_close(other);
  good(nxs_plain_decode(&result, q, prompt(3, 2), 2, &p, NULL, NULL, &err));
  nxs_result_close(result);
  nxs_seq_close(q);
  nxs_session_close(small);
}

static void no_token_at_all(void** state) {
  (void)state;
  nxs_seq* q = new_seq(s);
  nxs_result* r = NULL;
  fails(nxs_plain_decode(&r, q, NULL, 0, NULL, NULL, NULL, &err), NXS_ERR_ARGUMENT, "empty");
  const int32_t bad[2] = {3, -1};
  fails(nxs_plain_decode(&r, q, bad, 2, NULL, NULL, NULL, &err), NXS_ERR_ARGUMENT, "-1");
  fails(nxs_plain_decode(&r, q, NULL, 2, NULL, NULL, NULL, &err), NXS_ERR_ARGUMENT, "prompt");
  assert_int_equal(nxs_seq_length(q), 0);
  nxs_seq_close(q);
}

// One drafter over several runs and texts: its index follows.
static void drafter_is_reused(void** state) {
  (void)state;
  nxs_drafter* drafter = lookup(6, 3, 2);
  const nxs_decode_params p = with_max_new(30);
  for (uint32_t i = 0; i < 6; ++i) {
    const size_t n = 60 - 9 * i;
    nxs_result *plain = run_fresh(s, prompt(i / 3, n), n, &p, NULL),
               *spec = run_fresh(s, prompt(i / 3, n), n, &p, drafter);
    nxs_drafter* fresh = lookup(6, 3, 2);
    nxs_result* again = run_fresh(s, prompt(i / 3, n), n, &p, fresh);
    same_result(plain, spec);
    assert_int_equal(nxs_result_stats(spec)->n_drafted, nxs_result_stats(again)->n_drafted);
    assert_int_equal(nxs_result_stats(spec)->n_forwards, nxs_result_stats(again)->n_forwards);
    nxs_drafter_close(fresh);
    nxs_result_close(plain);
    nxs_result_close(spec);
    nxs_result_close(again);
  }
  nxs_drafter_close(drafter);
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(lookup_equals_plain, open_it, close_it),
      cmocka_unit_test_setup_teardown(rejected_at_each_place, open_it, close_it),
      cmocka_unit_test_setup_teardown(drafter_errors, open_it, close_it),
      cmocka_unit_test_setup_teardown(added_text, open_it, close_it),
      cmocka_unit_test_setup_teardown(max_new, open_it, close_it),
      cmocka_unit_test_setup_teardown(odd_prompts, open_it, close_it),
      cmocka_unit_test_setup_teardown(context_fills_up, open_it, close_it),
      cmocka_unit_test_setup_teardown(pool_fills_up, open_it, close_it),
      cmocka_unit_test_setup_teardown(no_token_at_all, open_it, close_it),
      cmocka_unit_test_setup_teardown(drafter_is_reused, open_it, close_it),
  };
  return RUN_TESTS(argc, argv, tests);
}
