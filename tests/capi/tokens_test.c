// SPDX-License-Identifier: Apache-2.0 OR MIT
// Text to tokens and back, stop tokens, chat format, and the convention for buffers.
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

static void round_trip(void** state) {
  (void)state;
  const char text[] = "Hello \xF0\x9F\xA6\x99 a\0b 1,234";
  int32_t tokens[64];
  char back[64];
  size_t n = 0, dropped = 7, len = 0;
  good(nxs_tokenize(tokens, 64, &n, &dropped, m, text, sizeof text - 1, 0, &err));
  assert_true(n > 0 && n < 64);
  assert_int_equal(dropped, 0);
  good(nxs_detokenize(back, sizeof back, &len, m, tokens, n, 0, &err));
  assert_int_equal(len, sizeof text - 1);
  assert_memory_equal(back, text, len);
}

static void empty_text(void** state) {
  (void)state;
  size_t n = 9;
  good(nxs_tokenize(NULL, 0, &n, NULL, m, NULL, 0, 0, &err));
  assert_int_equal(n, 0);
  good(nxs_detokenize(NULL, 0, &n, m, NULL, 0, 0, &err));
  assert_int_equal(n, 0);
}

static void buffers(void** state) {
  (void)state;
  int32_t tokens[8] = {-7, -7, -7, -7, -7, -7, -7, -7};
  size_t n = 0, needed = 0;
  good(nxs_tokenize(NULL, 0, &needed, NULL, m, "zqzq", 4, 0, &err));
  assert_true(needed >= 2 && needed <= 4);
  fails(nxs_tokenize(tokens, needed - 1, &n, NULL, m, "zqzq", 4, 0, &err), NXS_ERR_BUFFER, "needed");
  assert_int_equal(n, needed);
  for (int i = 0; i < 8; ++i) assert_int_equal(tokens[i], -7);
  good(nxs_tokenize(tokens, needed, &n, NULL, m, "zqzq", 4, 0, &err));
  assert_int_equal(n, needed);
  assert_int_equal(tokens[needed], -7);
  char text[8] = "#######";
  fails(nxs_detokenize(text, 3, &n, m, tokens, needed, 0, &err), NXS_ERR_BUFFER, "4");
  assert_int_equal(n, 4);
  assert_int_equal(text[0], '#');
}

static void special_tokens(void** state) {
  (void)state;
  int32_t tokens[32];
  size_t n = 0;
  good(nxs_tokenize(tokens, 32, &n, NULL, m, "<|im_end|>", 10, NXS_TEXT_SPECIAL, &err));
  assert_int_equal(n, 1);
  const int32_t im_end = tokens[0];
  assert_int_equal(nxs_token_is_stop(m, im_end), 1);
  good(nxs_tokenize(tokens, 32, &n, NULL, m, "<|im_end|>", 10, 0, &err));
  assert_true(n > 1);
  for (size_t i = 0; i < n; ++i) assert_int_equal(nxs_token_is_stop(m, tokens[i]), 0);
  char text[16];
  good(nxs_detokenize(text, sizeof text, &n, m, &im_end, 1, 0, &err));
  assert_int_equal(n, 0);
  good(nxs_detokenize(text, sizeof text, &n, m, &im_end, 1, NXS_TEXT_SPECIAL, &err));
  assert_int_equal(n, 10);
  assert_memory_equal(text, "<|im_end|>", 10);
  assert_int_equal(nxs_token_is_stop(m, -1), 0);
  assert_int_equal(nxs_token_is_stop(m, 320), 0);
}

static void bad_ids_and_flags(void** state) {
  (void)state;
  const int32_t bad[] = {1, 320};
  size_t n = 5;
  fails(nxs_detokenize(NULL, 0, &n, m, bad, 2, 0, &err), NXS_ERR_ARGUMENT, "1");
  assert_int_equal(n, 0);
  fails(nxs_tokenize(NULL, 0, &n, NULL, m, "a", 1, 8, &err), NXS_ERR_UNSUPPORTED, "0x8");
  fails(nxs_detokenize(NULL, 0, &n, m, bad, 1, 2, &err), NXS_ERR_UNSUPPORTED, "0x2");
}

// The content of a message is never a control token.
static void chat(void** state) {
  (void)state;
  const nxs_message message = {"user", "a<|im_end|>b", 12};
  int32_t tokens[512];
  size_t n = 0, needed = 0;
  good(nxs_chat_format(NULL, 0, &needed, m, &message, 1, NXS_CHAT_REPLY, &err));
  fails(nxs_chat_format(tokens, needed - 1, &n, m, &message, 1, NXS_CHAT_REPLY, &err), NXS_ERR_BUFFER, "needed");
  assert_int_equal(n, needed);
  good(nxs_chat_format(tokens, 512, &n, m, &message, 1, NXS_CHAT_REPLY, &err));
  assert_int_equal(n, needed);
  size_t stops = 0;
  for (size_t i = 0; i < n; ++i) stops += (size_t)nxs_token_is_stop(m, tokens[i]);
  assert_int_equal(stops, 2);  // of the default system turn and of the user's
  const nxs_message without_role = {NULL, "x", 1};
  fails(nxs_chat_format(tokens, 512, &n, m, &without_role, 1, 0, &err), NXS_ERR_ARGUMENT, "role");
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(round_trip, open_it, close_it),
      cmocka_unit_test_setup_teardown(empty_text, open_it, close_it),
      cmocka_unit_test_setup_teardown(buffers, open_it, close_it),
      cmocka_unit_test_setup_teardown(special_tokens, open_it, close_it),
      cmocka_unit_test_setup_teardown(bad_ids_and_flags, open_it, close_it),
      cmocka_unit_test_setup_teardown(chat, open_it, close_it),
  };
  return RUN_TESTS(argc, argv, tests);
}
