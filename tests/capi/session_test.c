// SPDX-License-Identifier: Apache-2.0 OR MIT
// Sessions: their settings, what they say of themselves, closing in any order.
#include "support.h"

static nxs_model* m;

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

static nxs_session_info info_of(nxs_session* s) {
  nxs_session_info info;
  info.struct_size = sizeof info;
  good(nxs_session_get_info(&info, s, &err));
  return info;
}

static void info(void** state) {
  (void)state;
  nxs_session* s = open_session(m, 2, 100, 64);
  const nxs_session_info i = info_of(s);
  assert_int_equal(i.struct_size, sizeof i);
  assert_int_equal(i.n_threads, 2);
  assert_true(i.isa == NXS_ISA_REFERENCE || i.isa == NXS_ISA_AVX2 || i.isa == NXS_ISA_AVX512 || i.isa == NXS_ISA_NEON);
  assert_int_equal(i.page_tokens, 4);
  assert_int_equal(i.n_ctx, 100);
  assert_int_equal(i.kv_tokens, 64);
  assert_int_equal(i.kv_tokens_free, 64);
  assert_true(i.kv_bytes > 0);
  nxs_session_close(s);
}

static void pool_is_given_back(void** state) {
  (void)state;
  nxs_session* s = open_session(m, 1, 0, 64);
  const nxs_decode_params p = with_max_new(8);
  nxs_result_close(run_fresh(s, prompt(3, 20), 20, &p, NULL));
  const nxs_session_info i = info_of(s);
  assert_int_equal(i.kv_tokens_free, 64);
  assert_true(i.kv_tokens_peak >= 27 && i.kv_tokens_peak <= 32);
  nxs_session_close(s);
}

static void bad_settings(void** state) {
  (void)state;
  const struct {
    size_t offset;
    uint32_t value;
    nxs_status status;
    const char* word;
  } cases[] = {
    {offsetof(nxs_session_params, n_threads), 100000, NXS_ERR_ARGUMENT, "n_threads"},
    {offsetof(nxs_session_params, isa), 5, NXS_ERR_ARGUMENT, "isa"},
    {offsetof(nxs_session_params, kv_type), 2, NXS_ERR_ARGUMENT, "kv_type"},
    {offsetof(nxs_session_params, page_tokens), 0, NXS_ERR_ARGUMENT, "page_tokens"},
    {offsetof(nxs_session_params, page_tokens), 3, NXS_ERR_ARGUMENT, "page_tokens"},
    {offsetof(nxs_session_params, page_tokens), 512, NXS_ERR_ARGUMENT, "page_tokens"},
    {offsetof(nxs_session_params, prefill_chunk), 0, NXS_ERR_ARGUMENT, "prefill_chunk"},
    {offsetof(nxs_session_params, n_ctx), 2049, NXS_ERR_CONTEXT, "2049"},
#if defined(__x86_64__)
    {offsetof(nxs_session_params, isa), NXS_ISA_NEON, NXS_ERR_UNSUPPORTED, "neon"},
#endif
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    nxs_session_params p;
    nxs_session_params_init(&p, sizeof p);
    memcpy((char*)&p + cases[i].offset, &cases[i].value, sizeof cases[i].value);
    nxs_session* s = (nxs_session*)m;
    fails(nxs_session_open(&s, m, &p, &err), cases[i].status, cases[i].word);
    assert_null(s);
  }
  nxs_session_params p;
  nxs_session_params_init(&p, sizeof p);
  nxs_session* s = NULL;
  p.kv_tokens = -1;
  fails(nxs_session_open(&s, m, &p, &err), NXS_ERR_ARGUMENT, "kv_tokens");
  p.kv_tokens = 0;
  p.n_ctx = -5;
  fails(nxs_session_open(&s, m, &p, &err), NXS_ERR_ARGUMENT, "n_ctx");
}

// kv_type changes the bits; threads, pages and chunks do not.
static void what_the_receipt_depends_on(void** state) {
  (void)state;
  const nxs_decode_params p = with_max_new(40);
  char receipts[4][40];
  for (uint32_t i = 0; i < 4; ++i) {
    nxs_session_params sp;
    nxs_session_params_init(&sp, sizeof sp);
    sp.n_threads = i == 3 ? 1 : 1 + i;
    sp.page_tokens = 1u << (4 * (i % 3));
    sp.prefill_chunk = 1 + 50 * i;
    sp.kv_type = i == 3 ? NXS_KV_F32 : NXS_KV_F16;
    nxs_session* s = NULL;
    good(nxs_session_open(&s, m, &sp, &err));
    nxs_result* r = run_fresh(s, prompt(9, 70), 70, &p, NULL);
    strcpy(receipts[i], nxs_result_receipt(r));
    nxs_result_close(r);
    nxs_session_close(s);
  }
  assert_string_equal(receipts[0], receipts[1]);
  assert_string_equal(receipts[0], receipts[2]);
  assert_string_not_equal(receipts[0], receipts[3]);
}

static void closed_in_any_order(void** state) {
  (void)state;
  for (int order = 0; order < 6; ++order) {
    nxs_session* s = open_session(m, 2, 0, 0);
    nxs_seq* q = new_seq(s);
    nxs_stream* st = NULL;
    const nxs_event* event = NULL;
    good(nxs_stream_open(&st, q, prompt(1, 9), 9, NULL, NULL, &err));
    good(nxs_stream_next(&event, st, &err));
    for (int step = 0; step < 3; ++step) {
      switch ((order + step * (1 + order % 2)) % 3) {
        case 0:
          nxs_session_close(s);
          break;
        case 1:
          nxs_seq_close(q);
          break;
        default:
          nxs_stream_close(st);
          break;
      }
    }
  }
}

static void kv_tokens(void** state) {
  (void)state;
  assert_int_equal(nxs_kv_tokens(64, 64, 1, 64), 64 + 128);  // the fork copies the full page, see pool_test.c
  assert_int_equal(nxs_kv_tokens(65, 64, 1, 64), 128 + 128);
  assert_int_equal(nxs_kv_tokens(0, 0, 0, 64), 0);
  assert_int_equal(nxs_kv_tokens(100, 28, 3, 64), 128 + 3 * 64);
  assert_int_equal(nxs_kv_tokens(INT64_MAX, INT64_MAX, 2, 256), INT64_MAX);
  assert_int_equal(nxs_kv_tokens(-1, 1, 1, 64), 0);
  assert_int_equal(nxs_kv_tokens(1, 1, 1, 0), 0);
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(info, open_it, close_it),
      cmocka_unit_test_setup_teardown(pool_is_given_back, open_it, close_it),
      cmocka_unit_test_setup_teardown(bad_settings, open_it, close_it),
      cmocka_unit_test_setup_teardown(what_the_receipt_depends_on, open_it, close_it),
      cmocka_unit_test_setup_teardown(closed_in_any_order, open_it, close_it),
      cmocka_unit_test(kv_tokens),
  };
  return RUN_TESTS(argc, argv, tests);
}
