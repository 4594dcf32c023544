// SPDX-License-Identifier: Apache-2.0 OR MIT
// Every function with NULL handles, NULL outputs and a NULL nxs_error: a status and a message, never a crash.
#include "support.h"

static nxs_model* m;
static nxs_session* s;
static nxs_seq* q;

static int open_it(void** state) {
  (void)state;
  m = open_model();
  s = open_session(m, 1, 0, 0);
  q = new_seq(s);
  return 0;
}

static int close_it(void** state) {
  (void)state;
  nxs_seq_close(q);
  nxs_session_close(s);
  nxs_model_close(m);
  return 0;
}

#define REFUSES(call, word) fails(call, NXS_ERR_ARGUMENT, word)

static void null_handles(void** state) {
  (void)state;
  size_t n = 0;
  int32_t t[4] = {1, 2, 3, 4};
  float row[320];
  nxs_session* s2 = NULL;
  nxs_seq* q2 = NULL;
  nxs_result* r = NULL;
  nxs_stream* st = NULL;
  const nxs_event* e = NULL;
  nxs_session_info info;
  info.struct_size = sizeof info;
  REFUSES(nxs_tokenize(t, 4, &n, NULL, NULL, "a", 1, 0, &err), "model");
  REFUSES(nxs_detokenize(NULL, 0, &n, NULL, t, 1, 0, &err), "model");
  REFUSES(nxs_chat_format(NULL, 0, &n, NULL, NULL, 0, 0, &err), "model");
  REFUSES(nxs_session_open(&s2, NULL, NULL, &err), "model");
  REFUSES(nxs_session_get_info(&info, NULL, &err), "session");
  REFUSES(nxs_seq_new(&q2, NULL, &err), "session");
  REFUSES(nxs_seq_fork(&q2, NULL, 0, &err), "parent");
  REFUSES(nxs_seq_truncate(NULL, 0, &err), "seq");
  REFUSES(nxs_seq_tokens(t, 4, &n, NULL, &err), "seq");
  REFUSES(nxs_seq_add_stop(NULL, "a", 1, &err), "seq");
  REFUSES(nxs_forward(row, 320, NULL, NULL, 1, t, NULL, &err), "seqs");
  REFUSES(nxs_drafter_add_text(NULL, t, 4, &err), "drafter");
  REFUSES(nxs_plain_decode(&r, NULL, t, 4, NULL, NULL, NULL, &err), "seq");
  REFUSES(nxs_spec_decode(&r, NULL, t, 4, NULL, NULL, NULL, NULL, &err), "seq");
  REFUSES(nxs_stream_open(&st, NULL, t, 4, NULL, NULL, &err), "seq");
  REFUSES(nxs_stream_next(&e, NULL, &err), "stream");
  REFUSES(nxs_stream_result(&r, NULL, &err), "stream");
}

static void null_outputs_and_inputs(void** state) {
  (void)state;
  size_t n = 0;
  int32_t t[4] = {1, 2, 3, 4};
  nxs_model* m2 = NULL;
  nxs_drafter* d = NULL;
  REFUSES(nxs_model_open(NULL, model_path, NULL, &err), "out");
  REFUSES(nxs_model_open(&m2, NULL, NULL, &err), "path");
  REFUSES(nxs_model_open_memory(NULL, t, 4, NULL, &err), "out");
  REFUSES(nxs_model_open_memory(&m2, NULL, 4, NULL, &err), "data");
  REFUSES(nxs_tokenize(t, 4, NULL, NULL, m, "a", 1, 0, &err), "n is");
  REFUSES(nxs_tokenize(NULL, 4, &n, NULL, m, "a", 1, 0, &err), "tokens");
  REFUSES(nxs_tokenize(t, 4, &n, NULL, m, NULL, 1, 0, &err), "text");
  REFUSES(nxs_detokenize(NULL, 0, NULL, m, t, 1, 0, &err), "n is");
  REFUSES(nxs_detokenize(NULL, 4, &n, m, t, 1, 0, &err), "text");
  REFUSES(nxs_detokenize(NULL, 0, &n, m, NULL, 1, 0, &err), "tokens");
  REFUSES(nxs_chat_format(NULL, 0, NULL, m, NULL, 0, 0, &err), "n is");
  REFUSES(nxs_chat_format(NULL, 0, &n, m, NULL, 1, 0, &err), "messages");
  REFUSES(nxs_session_open(NULL, m, NULL, &err), "out");
  REFUSES(nxs_session_get_info(NULL, s, &err), "out");
  REFUSES(nxs_seq_new(NULL, s, &err), "out");
  REFUSES(nxs_seq_fork(NULL, q, 0, &err), "out");
  REFUSES(nxs_seq_tokens(t, 4, NULL, q, &err), "n is");
  REFUSES(nxs_seq_tokens(NULL, 4, &n, q, &err), "tokens");
  REFUSES(nxs_seq_add_stop(q, NULL, 1, &err), "text");
  REFUSES(nxs_drafter_lookup(NULL, NULL, &err), "out");
  REFUSES(nxs_drafter_custom(NULL, NULL, NULL, 1, &err), "out");
  REFUSES(nxs_drafter_custom(&d, NULL, NULL, 1, &err), "draft");
  REFUSES(nxs_plain_decode(NULL, q, t, 4, NULL, NULL, NULL, &err), "out");
  REFUSES(nxs_spec_decode(NULL, q, t, 4, NULL, NULL, NULL, NULL, &err), "out");
  REFUSES(nxs_stream_open(NULL, q, t, 4, NULL, NULL, &err), "out");
  assert_int_equal(nxs_seq_length(q), 0);
  nxs_stream* st = NULL;
  good(nxs_stream_open(&st, q, t, 4, NULL, NULL, &err));
  REFUSES(nxs_stream_next(NULL, st, &err), "out");
  REFUSES(nxs_stream_result(NULL, st, &err), "out");
  nxs_stream_close(st);
  good(nxs_drafter_lookup(&d, NULL, &err));
  REFUSES(nxs_drafter_add_text(d, NULL, 4, &err), "tokens");
  const int32_t negative = -4;
  REFUSES(nxs_drafter_add_text(d, &negative, 1, &err), "-4");
  nxs_drafter_close(d);
}

static void out_of_range(void** state) {
  (void)state;
  nxs_seq* q2 = (nxs_seq*)s;
  REFUSES(nxs_seq_fork(&q2, q, 1, &err), "1");
  assert_null(q2);
  REFUSES(nxs_seq_fork(&q2, q, -2, &err), "-2");
  REFUSES(nxs_seq_truncate(q, 1, &err), "1");
  REFUSES(nxs_seq_truncate(q, -1, &err), "-1");
  good(nxs_seq_truncate(q, 0, &err));
}

// A negative number that became a size_t, and counts beyond what there is: refused before anything is read.
static void impossible_counts(void** state) {
  (void)state;
  const int32_t t[4] = {1, 2, 3, 4};
  const size_t counts[] = {SIZE_MAX, SIZE_MAX - 8, (size_t)INT64_MAX + 1};
  for (int i = 0; i < 3; ++i) {
    const size_t many = counts[i];
    size_t n = 0;
    nxs_model* m2 = NULL;
    nxs_result* r = NULL;
    nxs_stream* st = NULL;
    nxs_drafter* d = NULL;
    const nxs_message message = {"user", "hi", many}, *messages = &message;
    REFUSES(nxs_model_open_memory(&m2, "GGUF", many, NULL, &err), "data");
    REFUSES(nxs_tokenize(NULL, 0, &n, NULL, m, "a", many, 0, &err), "text");
    REFUSES(nxs_detokenize(NULL, 0, &n, m, t, many, 0, &err), "tokens");
    REFUSES(nxs_chat_format(NULL, 0, &n, m, messages, 1, 0, &err), "content");
    REFUSES(nxs_chat_format(NULL, 0, &n, m, messages, many, 0, &err), "messages");
    REFUSES(nxs_seq_add_stop(q, "a", many, &err), "text");
    REFUSES(nxs_plain_decode(&r, q, t, many, NULL, NULL, NULL, &err), "prompt");
    REFUSES(nxs_spec_decode(&r, q, t, many, NULL, NULL, NULL, NULL, &err), "prompt");
    REFUSES(nxs_stream_open(&st, q, t, many, NULL, NULL, &err), "prompt");
    REFUSES(nxs_forward(NULL, 0, &q, NULL, many, t, NULL, &err), "seqs");
    good(nxs_drafter_lookup(&d, NULL, &err));
    REFUSES(nxs_drafter_add_text(d, t, many, &err), "tokens");
    nxs_drafter_close(d);
  }
  const int32_t most = INT32_MAX;
  const uint8_t want = 0;
  fails(nxs_forward(NULL, 0, &q, &most, 1, t, NULL, &err), NXS_ERR_CONTEXT, "2147483647");
  fails(nxs_forward(NULL, 0, &q, &most, 1, t, &want, &err), NXS_ERR_CONTEXT, "2147483647");
  assert_int_equal(nxs_seq_length(q), 0);
}

// What cannot fail answers NULL or 0 to NULL.
static void getters_of_null(void** state) {
  (void)state;
  size_t n = 7;
  assert_null(nxs_model_get_info(NULL));
  assert_null(nxs_model_string(NULL, "a"));
  assert_null(nxs_model_string(m, NULL));
  assert_null(nxs_model_note(NULL, 0));
  assert_null(nxs_model_digest(NULL));
  assert_int_equal(nxs_token_is_stop(NULL, 0), 0);
  assert_int_equal(nxs_seq_length(NULL), 0);
  assert_null(nxs_result_tokens(NULL, &n));
  assert_int_equal(n, 0);
  assert_null(nxs_result_flags(NULL, &n));
  assert_null(nxs_result_text(NULL, &n));
  assert_null(nxs_result_tokens(NULL, NULL));
  assert_null(nxs_result_stats(NULL));
  assert_null(nxs_result_receipt(NULL));
  nxs_model_close(NULL);
  nxs_session_close(NULL);
  nxs_session_cancel(NULL, 1);
  nxs_seq_close(NULL);
  nxs_drafter_close(NULL);
  nxs_stream_close(NULL);
  nxs_result_close(NULL);
  nxs_model_params_init(NULL, 16);
  nxs_session_params_init(NULL, 16);
}

// A NULL nxs_error is nobody's problem; a good call clears what an earlier one left.
static void without_error_struct(void** state) {
  (void)state;
  nxs_model* m2 = NULL;
  nxs_seq* q2 = NULL;
  assert_int_equal(nxs_model_open(&m2, "/no/such/file", NULL, NULL), NXS_ERR_IO);
  assert_int_equal(nxs_seq_new(&q2, s, NULL), NXS_OK);
  nxs_seq_close(q2);
  fails(nxs_model_open(&m2, "/no/such/file", NULL, &err), NXS_ERR_IO, "/no/such/file");
  good(nxs_seq_new(&q2, s, &err));
  nxs_seq_close(q2);
}

// A path far longer than the message: cut, and still terminated.
static void long_message(void** state) {
  (void)state;
  char path[3000];
  memset(path, 'x', sizeof path - 1);
  path[sizeof path - 1] = '\0';
  nxs_model* m2 = NULL;
  assert_int_equal(nxs_model_open(&m2, path, NULL, &err), NXS_ERR_IO);
  const size_t n = strlen(err.message);
  assert_true(n > 100 && n < sizeof err.message);
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(null_handles, open_it, close_it),
      cmocka_unit_test_setup_teardown(null_outputs_and_inputs, open_it, close_it),
      cmocka_unit_test_setup_teardown(out_of_range, open_it, close_it),
      cmocka_unit_test_setup_teardown(impossible_counts, open_it, close_it),
      cmocka_unit_test_setup_teardown(getters_of_null, open_it, close_it),
      cmocka_unit_test_setup_teardown(without_error_struct, open_it, close_it),
      cmocka_unit_test(long_message),
  };
  return RUN_TESTS(argc, argv, tests);
}
