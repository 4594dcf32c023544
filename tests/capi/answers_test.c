// SPDX-License-Identifier: Apache-2.0 OR MIT
// What a vote left: answers that are set, and samples that never began.
#include "votes.h"

static void answers_may_be_set(void** state) {
  (void)state;
  const nxs_decode_params p = sampling(2);
  nxs_vote_params v = of(4);
  v.extractor = NXS_EXTRACT_NONE;
  nxs_seq* q = new_seq(s);
  nxs_vote* vote = NULL;
  good(nxs_selfconsist_batched(&vote, q, prompt(3, 9), 9, &p, &v, NULL, NULL, &err));
  nxs_seq_close(q);
  int64_t n = 1;
  assert_int_equal(nxs_vote_n_answers(vote), 0);
  assert_null(nxs_vote_answer(vote, 0));
  assert_null(nxs_vote_sample_answer(vote, 0));
  fails(nxs_vote_winner_int64(&n, vote, &err), NXS_ERR_NO_ANSWER, "no sample");
  assert_int_equal(n, 0);
  char receipt[40];
  strcpy(receipt, nxs_vote_receipt(vote));

  const char* answers[] = {"5", "7", "5", "7"};
  for (int32_t i = 0; i < 4; ++i) good(nxs_vote_set_answer(vote, i, answers[i], &err));
  assert_string_not_equal(receipt, nxs_vote_receipt(vote));
  assert_int_equal(nxs_vote_n_answers(vote), 2);
  assert_int_equal(nxs_vote_is_tie(vote), 1);
  assert_string_equal(nxs_vote_answer(vote, 0), "5");
  assert_int_equal(nxs_vote_answer_count(vote, 0), 2);
  good(nxs_vote_winner_int64(&n, vote, &err));
  assert_int_equal(n, 5);
  good(nxs_vote_set_answer(vote, 0, NULL, &err));
  assert_int_equal(nxs_vote_is_tie(vote), 0);
  good(nxs_vote_winner_int64(&n, vote, &err));
  assert_int_equal(n, 7);
  assert_null(nxs_vote_sample_answer(vote, 0));
  for (int32_t i = 0; i < 4; ++i) good(nxs_vote_set_answer(vote, i, "9223372036854775808", &err));
  fails(nxs_vote_winner_int64(&n, vote, &err), NXS_ERR_RANGE, "9223372036854775808");
  assert_string_equal(nxs_vote_answer(vote, 0), "9223372036854775808");
  for (int32_t i = 0; i < 4; ++i) good(nxs_vote_set_answer(vote, i, NULL, &err));
  assert_string_equal(receipt, nxs_vote_receipt(vote));

  fails(nxs_vote_set_answer(vote, 4, "1", &err), NXS_ERR_ARGUMENT, "sample");
  fails(nxs_vote_set_answer(vote, -1, "1", &err), NXS_ERR_ARGUMENT, "sample");
  assert_null(nxs_vote_sample(vote, 4));
  assert_null(nxs_vote_sample(vote, -1));
  assert_null(nxs_vote_sample_answer(vote, 4));
  assert_null(nxs_vote_answer(vote, -1));
  assert_int_equal(nxs_vote_answer_count(vote, 9), 0);
  nxs_vote_close(vote);
}

static int32_t stop_at_once(void* user, const nxs_event* e) {
  (void)user;
  return e->flags & NXS_EVENT_PREFILL ? 0 : 1;
}

// The largest vote there is, cancelled at its first token: samples that never began cost nothing until they are asked
// for, and are then as a run that was cancelled.
static void million_unbegun(void** state) {
  (void)state;
  const nxs_decode_params p = sampling(6);
  const nxs_vote_params v = of(1048576);
  for (int mode = 0; mode < 3; ++mode) {
    nxs_seq* q = new_seq(s);
    nxs_vote* vote = NULL;
    good(kModes[mode](&vote, q, prompt(6, 300), 300, &p, &v, stop_at_once, NULL, &err));
    assert_int_equal(nxs_vote_n_samples(vote), 1048576);
    assert_int_equal(nxs_vote_stats(vote)->stop, NXS_STOP_CANCELLED);
    const int32_t last = 1048575;
    const nxs_result* r = nxs_vote_sample(vote, last);
    assert_ptr_equal(r, nxs_vote_sample(vote, last));
    assert_null(nxs_vote_sample(vote, last + 1));
    assert_int_equal(nxs_result_stats(r)->stop, NXS_STOP_CANCELLED);
    assert_null(nxs_vote_sample_answer(vote, last));
    nxs_decode_params alone = p;
    alone.seed += last * v.seed_stride;
    nxs_seq* other = new_seq(s);
    nxs_session_cancel(s, 1);
    nxs_result* same = NULL;
    good(nxs_plain_decode(&same, other, prompt(6, 300), 300, &alone, NULL, NULL, &err));
    nxs_session_cancel(s, 0);
    assert_string_equal(nxs_result_receipt(r), nxs_result_receipt(same));
    nxs_result_close(same);
    nxs_seq_close(other);

    char receipt[40];
    strcpy(receipt, nxs_vote_receipt(vote));
    assert_int_equal(nxs_vote_n_answers(vote), 0);
    good(nxs_vote_set_answer(vote, last, "42", &err));
    assert_string_not_equal(receipt, nxs_vote_receipt(vote));
    assert_string_equal(nxs_vote_answer(vote, 0), "42");
    assert_string_equal(nxs_vote_sample_answer(vote, last), "42");
    good(nxs_vote_set_answer(vote, last, NULL, &err));
    assert_string_equal(receipt, nxs_vote_receipt(vote));
    // One call for each sample: what each call costs must not grow with their number.
    for (int32_t i = 0; i <= last; ++i) good(nxs_vote_set_answer(vote, i, i % 3 == 0 ? "1" : "2", &err));
    assert_int_equal(nxs_vote_n_answers(vote), 2);
    assert_string_equal(nxs_vote_answer(vote, 0), "2");
    assert_int_equal(nxs_vote_answer_count(vote, 1), 349526);
    nxs_vote_close(vote);
    nxs_seq_close(q);
  }
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(answers_may_be_set, open_it, close_it),
      cmocka_unit_test_setup_teardown(million_unbegun, open_it, close_it),
  };
  return RUN_TESTS(argc, argv, tests);
}
