// SPDX-License-Identifier: Apache-2.0 OR MIT
// Sampling through the C interface: nxs_sample chooses what runs choose, plain and speculative runs are the same, and
// log-probabilities are there when asked for.
#include "one_session.h"

#include <math.h>

enum { VOCAB = 320, LONGEST = 128 };

enum { N_SETTINGS = 9 };

// Number i of some ways to choose, the greedy one first.
static nxs_decode_params setting(int i, int64_t max_new) {
  static const struct {
    float temperature, top_p, min_p, repeat_penalty;
    int32_t top_k, repeat_last;
  } all[N_SETTINGS] = {{0, 1, 0, 1, 0, 64},         {0.7f, 1, 0, 1, 40, 64}, {1, 1, 0, 1, 0, 64},
                       {1.5f, 0.9f, 0, 1, 0, 64},   {2, 1, 0.1f, 1, 0, 64},  {0.8f, 0.95f, 0.02f, 1.2f, 100, 16},
                       {0, 1, 0, 1.3f, 0, 1000000}, {5, 1, 0, 1, 3, 64},     {1, 0, 0, 1, 0, 64}};
  nxs_decode_params p = with_max_new(max_new);
  p.flags = NXS_DECODE_IGNORE_STOP;
  p.seed = 1000 - 77 * i;
  p.temperature = all[i].temperature;
  p.top_p = all[i].top_p;
  p.min_p = all[i].min_p;
  p.repeat_penalty = all[i].repeat_penalty;
  p.top_k = all[i].top_k;
  p.repeat_last = all[i].repeat_last;
  return p;
}

// A loop over nxs_forward and nxs_sample, giving nxs_sample no more of the context than it needs.
static void loop_is_the_run(void** state) {
  (void)state;
  for (int i = 0; i < N_SETTINGS; ++i) {
    const nxs_decode_params p = setting(i, 60);
    const int32_t count = 15 + i;
    nxs_result* r = run_fresh(s, prompt((uint32_t)i, (size_t)count), (size_t)count, &p, NULL);
    size_t n = 0;
    const int32_t* tokens = nxs_result_tokens(r, &n);
    assert_int_equal(n, 60);
    int32_t all[LONGEST];
    memcpy(all, prompt((uint32_t)i, (size_t)count), (size_t)count * sizeof *all);
    float row[VOCAB];
    nxs_seq* q = new_seq(s);
    good(nxs_forward(row, VOCAB, &q, &count, 1, all, NULL, &err));
    for (int32_t j = 0; j < 60; ++j) {
      const int32_t length = count + j, needed = length < p.repeat_last ? length : p.repeat_last;
      int32_t token = -1, again = -1;
      good(nxs_sample(&token, m, row, length, all + length - needed, (size_t)needed, &p, &err));
      assert_int_equal(token, tokens[j]);
      good(nxs_sample(&again, m, row, length, all, (size_t)length, &p, &err));
      assert_int_equal(again, token);
      all[length] = token;
      good(nxs_forward(row, VOCAB, &q, NULL, 1, &token, NULL, &err));
    }
    nxs_seq_close(q);
    nxs_result_close(r);
  }
}

static void speculative_is_plain(void** state) {
  (void)state;
  int64_t drafted = 0, accepted = 0;
  for (int i = 0; i < N_SETTINGS; ++i) {
    for (uint32_t number = 0; number < 6; ++number) {
      nxs_decode_params p = setting(i, 70);
      if (number % 2 == 0) p.flags = 0;
      int32_t text[60];
      for (size_t j = 0; j < 60; ++j) text[j] = prompt(number, 60)[j % (10 + number)];
      nxs_result* plain = run_fresh(s, text, 60, &p, NULL);
      nxs_drafter* d = lookup(1 + number, 3, 1);
      nxs_result* spec = run_fresh(s, text, 60, &p, d);
      same_result(plain, spec);
      drafted += nxs_result_stats(spec)->n_drafted;
      accepted += nxs_result_stats(spec)->n_accepted;
      nxs_drafter_close(d);
      nxs_result_close(plain);
      nxs_result_close(spec);
    }
  }
  assert_true(accepted > 0 && drafted > accepted);
}

static void logprobs(void** state) {
  (void)state;
  nxs_decode_params p = setting(2, 30);
  nxs_result* without = run_fresh(s, prompt(1, 9), 9, &p, NULL);
  size_t n = 99;
  nxs_result_logprobs(without, &n);
  assert_int_equal(n, 0);
  p.flags |= NXS_DECODE_LOGPROBS;
  nxs_result* with = run_fresh(s, prompt(1, 9), 9, &p, NULL);
  same_result(without, with);
  const float* plain = nxs_result_logprobs(with, &n);
  assert_int_equal(n, 30);
  nxs_drafter* d = lookup(4, 2, 1);
  nxs_result* spec = run_fresh(s, prompt(1, 9), 9, &p, d);
  assert_memory_equal(plain, nxs_result_logprobs(spec, NULL), n * sizeof *plain);
  // The first one again, from its row.
  float row[VOCAB];
  const int32_t count = 9;
  nxs_seq* q = new_seq(s);
  good(nxs_forward(row, VOCAB, &q, &count, 1, prompt(1, 9), NULL, &err));
  double sum = 0;
  for (int i = 0; i < VOCAB; ++i) sum += exp((double)row[i]);
  assert_true(fabs((double)row[nxs_result_tokens(with, NULL)[0]] - log(sum) - (double)plain[0]) < 1e-5);
  nxs_seq_close(q);
  nxs_drafter_close(d);
  nxs_result_close(without);
  nxs_result_close(with);
  nxs_result_close(spec);
  assert_null(nxs_result_logprobs(NULL, &n));
  assert_int_equal(n, 0);
}

// Equal choices, equal receipts; what has an effect is in them.
static void receipts(void** state) {
  (void)state;
  nxs_decode_params p = setting(1, 5);
  p.top_k = 0;
  nxs_result* base = run_fresh(s, prompt(1, 9), 9, &p, NULL);
  nxs_decode_params same = p;
  same.top_k = VOCAB;  // off
  same.repeat_last = 3;
  nxs_result* r = run_fresh(s, prompt(1, 9), 9, &same, NULL);
  same_result(base, r);
  nxs_result_close(r);
  for (int field = 0; field < 6; ++field) {
    nxs_decode_params other = p;
    if (field == 0) other.seed += 1;
    if (field == 1) other.temperature = 0.70001f;
    if (field == 2) other.top_p = 0.9999f;
    if (field == 3) other.min_p = 1e-6f;
    if (field == 4) other.top_k = VOCAB - 1;
    if (field == 5) other.repeat_penalty = 1.0001f;
    r = run_fresh(s, prompt(1, 9), 9, &other, NULL);
    assert_string_not_equal(nxs_result_receipt(base), nxs_result_receipt(r));
    nxs_result_close(r);
  }
  nxs_result_close(base);
}

static void masks_and_errors(void** state) {
  (void)state;
  float row[VOCAB];
  int32_t token = -1;
  const int32_t context[4] = {1, 2, 3, VOCAB};
  for (int i = 0; i < VOCAB; ++i) row[i] = i == 7 || i == 9 ? -100.0f : -INFINITY;
  nxs_decode_params p = with_max_new(1);
  for (int64_t position = 0; position < 40; ++position) {
    p.temperature = position % 2 == 0 ? 1e30f : 1.0f;
    good(nxs_sample(&token, m, row, position, NULL, 0, &p, &err));
    assert_true(token == 7 || token == 9);
  }
  good(nxs_sample(&token, m, row, 0, NULL, 0, NULL, &err));
  assert_int_equal(token, 7);
  p.repeat_penalty = 2;
  p.temperature = 0;
  const int32_t seven = 7;
  good(nxs_sample(&token, m, row, 1, &seven, 1, &p, &err));
  assert_int_equal(token, 9);
  fails(nxs_sample(&token, m, row, 2, &seven, 1, &p, &err), NXS_ERR_ARGUMENT, "n_context");
  fails(nxs_sample(&token, m, row, 4, context, 4, &p, &err), NXS_ERR_ARGUMENT, "320");
  fails(nxs_sample(&token, m, row, 3, context, 4, &p, &err), NXS_ERR_ARGUMENT, "n_context");
  p.repeat_penalty = 1;
  fails(nxs_sample(&token, m, row, -1, NULL, 0, &p, &err), NXS_ERR_ARGUMENT, "position");
  fails(nxs_sample(&token, m, row, 1, NULL, 1, &p, &err), NXS_ERR_ARGUMENT, "context");
  fails(nxs_sample(NULL, m, row, 0, NULL, 0, &p, &err), NXS_ERR_ARGUMENT, "token");
  fails(nxs_sample(&token, NULL, row, 0, NULL, 0, &p, &err), NXS_ERR_ARGUMENT, "model");
  fails(nxs_sample(&token, m, NULL, 0, NULL, 0, &p, &err), NXS_ERR_ARGUMENT, "logits");
  row[7] = row[9] = -INFINITY;
  fails(nxs_sample(&token, m, row, 5, NULL, 0, &p, &err), NXS_ERR_NUMERIC, "position 5");
  row[11] = NAN;
  fails(nxs_sample(&token, m, row, 5, NULL, 0, &p, &err), NXS_ERR_NUMERIC, "11");
  row[11] = INFINITY;
  fails(nxs_sample(&token, m, row, 5, NULL, 0, &p, &err), NXS_ERR_NUMERIC, "11");
  row[11] = 0;
  p.temperature = NAN;
  fails(nxs_sample(&token, m, row, 5, NULL, 0, &p, &err), NXS_ERR_ARGUMENT, "temperature");
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(loop_is_the_run, open_it, close_it),
      cmocka_unit_test_setup_teardown(speculative_is_plain, open_it, close_it),
      cmocka_unit_test_setup_teardown(logprobs, open_it, close_it),
      cmocka_unit_test_setup_teardown(receipts, open_it, close_it),
      cmocka_unit_test_setup_teardown(masks_and_errors, open_it, close_it),
  };
  return RUN_TESTS(argc, argv, tests);
}
