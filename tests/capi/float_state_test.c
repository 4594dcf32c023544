// SPDX-License-Identifier: Apache-2.0 OR MIT
// The caller's floating-point state changes no bit, is there during callbacks, and is back after each call.
#include <fenv.h>

#include "support.h"
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

static const int kRoundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

// Rounds in some direction; on x86 also flushes denormals to zero and takes them for zero.
static void set_state(int rounding) {
  fesetround(rounding);
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040u);
#endif
}

static unsigned state_now(void) {
#if defined(__SSE2__)
  return _mm_getcsr() & ~0x3Fu;  // without the flags of what has happened
#else
  return (unsigned)fegetround();
#endif
}

static void reset_state(void) {
  fesetround(FE_TONEAREST);
#if defined(__SSE2__)
  _mm_setcsr(0x1F80u);
#endif
}

typedef struct seen {
  unsigned expected;
  int wrong, calls;
} seen;

static int32_t on_event(void* user, const nxs_event* e) {
  seen* s = user;
  (void)e;
  ++s->calls;
  s->wrong += state_now() != s->expected;
  return 0;
}

static int32_t draft(void* user, const int32_t* context, size_t n_context, int32_t* out, size_t capacity) {
  (void)on_event(user, NULL);
  (void)context;
  for (size_t i = 0; i < capacity; ++i) out[i] = (int32_t)((n_context + i) % 320);
  return (int32_t)capacity;
}

static void no_bit_depends_on_it(void** state) {
  (void)state;
  char receipts[4][40], digests[4][33];
  int wrong = 0;
  for (int i = 0; i < 4; ++i) {
    if (i > 0) set_state(kRoundings[i]);
    seen s = {state_now(), 0, 0};
    nxs_model* m = open_model();
    nxs_session* session = open_session(m, 2, 0, 0);
    nxs_seq* q = new_seq(session);
    nxs_drafter* d = NULL;
    nxs_result* r = NULL;
    nxs_decode_params p = with_max_new(60);
    p.flags = NXS_DECODE_IGNORE_STOP;
    good(nxs_drafter_custom(&d, draft, &s, 3, &err));
    good(nxs_spec_decode(&r, q, prompt(4, 40), 40, &p, d, on_event, &s, &err));
    good(nxs_selftest(digests[i], 0, &err));
    strcpy(receipts[i], nxs_result_receipt(r));
    wrong += s.wrong + (s.calls < 100) + (state_now() != s.expected);
    nxs_result_close(r);
    nxs_drafter_close(d);
    nxs_seq_close(q);
    nxs_session_close(session);
    nxs_model_close(m);
    wrong += state_now() != s.expected;
    reset_state();
  }
  assert_int_equal(wrong, 0);
  for (int i = 1; i < 4; ++i) {
    assert_string_equal(receipts[0], receipts[i]);
    assert_string_equal(digests[0], digests[i]);
  }
}

// Asks its state, then leaves another one behind: neither the next callback nor the caller may see that.
static int32_t leaves_a_mess(void* user, const nxs_event* e) {
  seen* s = user;
  (void)on_event(user, e);
  s->wrong += fegetround() != FE_UPWARD;
  fesetround(FE_DOWNWARD);
  return 0;
}

static void callback_that_changes_it(void** state) {
  (void)state;
  nxs_model* m = open_model();
  nxs_session* session = open_session(m, 1, 0, 0);
  nxs_seq* q = new_seq(session);
  nxs_result *r = NULL, *same = NULL;
  const nxs_decode_params p = with_max_new(20);
  set_state(FE_UPWARD);
  seen s = {state_now(), 0, 0};
  const nxs_status status = nxs_spec_decode(&r, q, prompt(4, 40), 40, &p, NULL, leaves_a_mess, &s, &err);
  s.wrong += fegetround() != FE_UPWARD;
  s.wrong += state_now() != s.expected;
  reset_state();
  good(status);
  assert_true(s.calls > 10);
  assert_int_equal(s.wrong, 0);
  same = run_fresh(session, prompt(4, 40), 40, &p, NULL);
  same_result(r, same);
  nxs_result_close(r);
  nxs_result_close(same);
  nxs_seq_close(q);
  nxs_session_close(session);
  nxs_model_close(m);
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_bit_depends_on_it),
                                     cmocka_unit_test(callback_that_changes_it)};
  return RUN_TESTS(argc, argv, tests);
}
