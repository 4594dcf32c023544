// SPDX-License-Identifier: Apache-2.0 OR MIT
// Parameter structs: defaults, older and newer struct_size, ranges.
#define ONE_SESSION_THREADS 1
#include "one_session.h"

#include <math.h>

static void defaults(void** state) {
  (void)state;
  nxs_model_params mp;
  nxs_model_params_init(&mp, sizeof mp);
  assert_int_equal(mp.struct_size, sizeof mp);
  assert_int_equal(mp.n_threads, 0);
  assert_int_equal(mp.max_bytes, 0);
  nxs_session_params sp;
  nxs_session_params_init(&sp, sizeof sp);
  assert_int_equal(sp.struct_size, sizeof sp);
  assert_int_equal(sp.isa, NXS_ISA_BEST);
  assert_int_equal(sp.kv_type, NXS_KV_F16);
  assert_int_equal(sp.page_tokens, 64);
  assert_int_equal(sp.prefill_chunk, 256);
  assert_int_equal(sp.n_ctx, 0);
  assert_int_equal(sp.kv_tokens, 0);
  nxs_decode_params dp;
  nxs_decode_params_init(&dp, sizeof dp);
  assert_int_equal(dp.struct_size, sizeof dp);
  assert_int_equal(dp.flags, 0);
  assert_int_equal(dp.max_new, 256);
  assert_int_equal(dp.seed, 0);
  assert_true(dp.temperature == 0 && dp.top_p == 1 && dp.min_p == 0 && dp.repeat_penalty == 1);
  assert_int_equal(dp.top_k, 0);
  assert_int_equal(dp.repeat_last, 64);
  nxs_lookup_params lp;
  nxs_lookup_params_init(&lp, sizeof lp);
  assert_int_equal(lp.struct_size, sizeof lp);
  assert_int_equal(lp.draft_max, 6);
  assert_int_equal(lp.ngram_max, 3);
  assert_int_equal(lp.ngram_min, 2);
  assert_int_equal(lp.adaptive, 1);
  assert_true(lp.row_cost == 0);
}

// Programs of another age: init writes struct_size bytes and no more, and fills what it does not know with zeros.
static void init_of_other_sizes(void** state) {
  (void)state;
  unsigned char bytes[256];
  for (uint32_t size = 0; size <= 128; size += 4) {
    memset(bytes, 0xA5, sizeof bytes);
    nxs_decode_params_init((nxs_decode_params*)(void*)bytes, size);
    for (size_t i = size; i < sizeof bytes; ++i) assert_int_equal(bytes[i], 0xA5);
    for (size_t i = sizeof(nxs_decode_params); i < size; ++i) assert_int_equal(bytes[i], 0);
    uint32_t written = 0;
    memcpy(&written, bytes, sizeof written);
    if (size >= 4) assert_int_equal(written, size);
  }
  nxs_decode_params_init(NULL, 48);
  nxs_lookup_params_init(NULL, 0);
}

static nxs_status decode_with(const void* params, size_t* n) {
  nxs_seq* q = new_seq(s);
  nxs_result* r = NULL;
  const nxs_status status = nxs_plain_decode(&r, q, prompt(1, 5), 5, params, NULL, NULL, &err);
  if (status == NXS_OK) nxs_result_tokens(r, n);
  nxs_result_close(r);
  nxs_seq_close(q);
  return status;
}

static void older_struct(void** state) {
  (void)state;
  union {
    nxs_decode_params p;
    unsigned char bytes[64];
  } u;
  size_t n = 0;
  nxs_decode_params_init(&u.p, 16);
  u.p.max_new = 3;
  u.p.flags = NXS_DECODE_IGNORE_STOP;
  memset(u.bytes + 16, 0xA5, sizeof u.bytes - 16);  // what lies behind an old struct
  good(decode_with(&u.p, &n));
  assert_int_equal(n, 3);
  u.p.struct_size = 8;
  u.p.flags = 0;
  good(decode_with(&u.p, &n));
  assert_true(n <= 256);
}

static void newer_struct(void** state) {
  (void)state;
  union {
    nxs_decode_params p;
    unsigned char bytes[128];
  } u;
  size_t n = 0;
  memset(u.bytes, 0, sizeof u.bytes);
  nxs_decode_params_init(&u.p, sizeof u);
  u.p.max_new = 4;
  u.p.flags = NXS_DECODE_IGNORE_STOP;
  good(decode_with(&u.p, &n));
  assert_int_equal(n, 4);
  u.bytes[sizeof(nxs_decode_params) + 9] = 1;
  fails(decode_with(&u.p, &n), NXS_ERR_UNSUPPORTED, "57");
}

static void impossible_sizes(void** state) {
  (void)state;
  nxs_decode_params p = with_max_new(1);
  size_t n = 0;
  const uint32_t sizes[] = {0, 1, 3, 12, 44, 47, 8192, 0xCCCCCCCC};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    p.struct_size = sizes[i];
    fails(decode_with(&p, &n), NXS_ERR_ARGUMENT, "nxs_decode_params");
  }
  nxs_session_info info;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    info.struct_size = sizes[i];
    fails(nxs_session_get_info(&info, s, &err), NXS_ERR_ARGUMENT, "nxs_session_info");
  }
  union {
    nxs_session_info i;
    unsigned char bytes[128];
  } u;
  memset(u.bytes, 0xA5, sizeof u.bytes);
  u.i.struct_size = 16;
  good(nxs_session_get_info(&u.i, s, &err));
  assert_int_equal(u.i.page_tokens, 4);
  assert_int_equal(u.bytes[16], 0xA5);
  u.i.struct_size = 120;
  good(nxs_session_get_info(&u.i, s, &err));
  assert_int_equal(u.bytes[119], 0);
  assert_int_equal(u.bytes[120], 0xA5);
}

static void ranges_of_decode_params(void** state) {
  (void)state;
  size_t n = 0;
  const float bad_temperatures[] = {-1.0f, -0.001f, NAN, INFINITY}, bad_shares[] = {-0.1f, 1.5f, NAN},
              bad_penalties[] = {0.0f, -1.0f, NAN, INFINITY};
  for (int i = 0; i < 4; ++i) {
    nxs_decode_params p = with_max_new(1);
    p.temperature = bad_temperatures[i];
    fails(decode_with(&p, &n), NXS_ERR_ARGUMENT, "temperature");
    p.temperature = 0;
    p.repeat_penalty = bad_penalties[i];
    fails(decode_with(&p, &n), NXS_ERR_ARGUMENT, "repeat_penalty");
  }
  for (int i = 0; i < 3; ++i) {
    nxs_decode_params p = with_max_new(1);
    p.top_p = bad_shares[i];
    fails(decode_with(&p, &n), NXS_ERR_ARGUMENT, "top_p");
    p.top_p = 1;
    p.min_p = bad_shares[i];
    fails(decode_with(&p, &n), NXS_ERR_ARGUMENT, "min_p");
  }
  nxs_decode_params p = with_max_new(-2);
  fails(decode_with(&p, &n), NXS_ERR_ARGUMENT, "max_new");
  p = with_max_new(1);
  p.top_k = -1;
  fails(decode_with(&p, &n), NXS_ERR_ARGUMENT, "top_k");
  p = with_max_new(1);
  p.repeat_last = -1;
  fails(decode_with(&p, &n), NXS_ERR_ARGUMENT, "repeat_last");
  p = with_max_new(1);
  p.flags = 1u << 7;
  fails(decode_with(&p, &n), NXS_ERR_UNSUPPORTED, "0x80");
}

// Fields without effect while decoding is greedy are not in the receipt.
static void greedy_drops_sampling_fields(void** state) {
  (void)state;
  nxs_decode_params p = with_max_new(8);
  nxs_result* a = run_fresh(s, prompt(1, 9), 9, &p, NULL);
  p.seed = 42;
  p.top_k = 40;
  p.top_p = 0.5f;
  p.min_p = 0.1f;
  p.repeat_last = 3;
  nxs_result* b = run_fresh(s, prompt(1, 9), 9, &p, NULL);
  same_result(a, b);
  p.max_new = 7;
  nxs_result* c = run_fresh(s, prompt(1, 9), 9, &p, NULL);
  assert_string_not_equal(nxs_result_receipt(a), nxs_result_receipt(c));
  nxs_result_close(a);
  nxs_result_close(b);
  nxs_result_close(c);
}

static void ranges_of_lookup_params(void** state) {
  (void)state;
  const uint32_t bad[][4] = {{257, 3, 2, 1}, {6, 3, 0, 1}, {6, 2, 3, 1}, {6, 65, 2, 1}, {6, 3, 2, 2}};
  const char* words[] = {"draft_max", "ngram_min", "ngram_min", "ngram_max", "adaptive"};
  nxs_drafter* d = NULL;
  for (size_t i = 0; i < 5; ++i) {
    nxs_lookup_params p;
    nxs_lookup_params_init(&p, sizeof p);
    p.draft_max = bad[i][0];
    p.ngram_max = bad[i][1];
    p.ngram_min = bad[i][2];
    p.adaptive = bad[i][3];
    d = (nxs_drafter*)m;
    fails(nxs_drafter_lookup(&d, &p, &err), NXS_ERR_ARGUMENT, words[i]);
    assert_null(d);
  }
  const float bad_costs[] = {-0.01f, 1.01f, NAN, INFINITY};
  for (size_t i = 0; i < 4; ++i) {
    nxs_lookup_params p;
    nxs_lookup_params_init(&p, sizeof p);
    p.row_cost = bad_costs[i];
    fails(nxs_drafter_lookup(&d, &p, &err), NXS_ERR_ARGUMENT, "row_cost");
  }
}

// What a row is said to cost decides how much is verified, and neither tokens nor receipt. A program older than the
// field has what 0 gives, whatever stands behind its struct.
static void row_cost(void** state) {
  (void)state;
  const float costs[] = {0.0f, 0.001f, 1.0f, 1.0f};
  int64_t drafted[4];
  nxs_result* results[4];
  const nxs_decode_params dp = with_max_new(48);
  for (int i = 0; i < 4; ++i) {
    nxs_lookup_params p;
    nxs_lookup_params_init(&p, sizeof p);
    p.ngram_min = 1;
    p.row_cost = costs[i];
    if (i == 3) p.struct_size = offsetof(nxs_lookup_params, row_cost);
    nxs_drafter* d = NULL;
    good(nxs_drafter_lookup(&d, &p, &err));
    results[i] = run_fresh(s, prompt(1, 60), 60, &dp, d);
    drafted[i] = nxs_result_stats(results[i])->n_drafted;
    same_result(results[i], results[0]);
    nxs_drafter_close(d);
  }
  for (int i = 0; i < 4; ++i) nxs_result_close(results[i]);
  assert_true(drafted[1] > drafted[0]);
  assert_true(drafted[0] > drafted[2]);
  assert_int_equal(drafted[3], drafted[0]);
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults),
      cmocka_unit_test(init_of_other_sizes),
      cmocka_unit_test_setup_teardown(older_struct, open_it, close_it),
      cmocka_unit_test_setup_teardown(newer_struct, open_it, close_it),
      cmocka_unit_test_setup_teardown(impossible_sizes, open_it, close_it),
      cmocka_unit_test_setup_teardown(ranges_of_decode_params, open_it, close_it),
      cmocka_unit_test_setup_teardown(greedy_drops_sampling_fields, open_it, close_it),
      cmocka_unit_test_setup_teardown(ranges_of_lookup_params, open_it, close_it),
      cmocka_unit_test_setup_teardown(row_cost, open_it, close_it),
  };
  return RUN_TESTS(argc, argv, tests);
}
