// SPDX-License-Identifier: Apache-2.0 OR MIT
// After fork() the child may use models and close sessions; the parent goes on as if nothing had been.
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

// What the child finds, as its exit status: 0 if all is as it should be.
static int in_child(nxs_model* m, nxs_session* s, nxs_seq* q) {
  nxs_result* r = NULL;
  nxs_error e;
  const int32_t t[3] = {5, 6, 7};
  if (nxs_plain_decode(&r, q, t, 3, NULL, NULL, NULL, &e) != NXS_ERR_FORKED || e.message[0] == '\0') return 1;
  nxs_seq* q2 = NULL;
  if (nxs_seq_new(&q2, s, &e) != NXS_ERR_FORKED) return 2;
  size_t n = 0;
  if (nxs_tokenize(NULL, 0, &n, NULL, m, "abc", 3, 0, &e) != NXS_OK || n == 0) return 3;
  nxs_seq_close(q);
  nxs_session_close(s);
  nxs_session* own = NULL;
  nxs_session_params sp;
  nxs_session_params_init(&sp, sizeof sp);
#if defined(__SANITIZE_THREAD__)
  sp.n_threads = 1;  // ThreadSanitizer allows no thread after a fork
#else
  sp.n_threads = 2;
#endif
  if (nxs_session_open(&own, m, &sp, &e) != NXS_OK) return 4;
  if (nxs_seq_new(&q2, own, &e) != NXS_OK) return 5;
  if (nxs_plain_decode(&r, q2, t, 3, NULL, NULL, NULL, &e) != NXS_OK) return 6;
  nxs_result_close(r);
  nxs_seq_close(q2);
  nxs_session_close(own);
  nxs_model_close(m);
  return 0;
}

static void fork_and_check(nxs_model* m, nxs_session* s, nxs_seq* q) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(in_child(m, s, q));
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void child_and_parent(void** state) {
  (void)state;
  nxs_model* m = open_model();
  nxs_session* s = open_session(m, 2, 0, 0);
  nxs_seq* q = new_seq(s);
  const nxs_decode_params p = with_max_new(30);
  nxs_result* before = run_fresh(s, prompt(1, 20), 20, &p, NULL);
  fork_and_check(m, s, q);
  nxs_result* after = run_fresh(s, prompt(1, 20), 20, &p, NULL);
  same_result(before, after);
  nxs_result_close(before);
  nxs_result_close(after);
  nxs_seq_close(q);
  nxs_session_close(s);
  nxs_model_close(m);
}

static int32_t fork_in_callback(void* user, const nxs_event* e) {
  (void)user;
  if (e->index != 2 || e->token < 0) return 0;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 0;
  return waitpid(child, &status, 0) == child ? 0 : -1;
}

static void fork_within_a_run(void** state) {
  (void)state;
  nxs_model* m = open_model();
  nxs_session* s = open_session(m, 2, 0, 0);
  nxs_seq* q = new_seq(s);
  nxs_result* r = NULL;
  const nxs_decode_params p = with_max_new(20);
  nxs_result* want = run_fresh(s, prompt(1, 20), 20, &p, NULL);
  good(nxs_plain_decode(&r, q, prompt(1, 20), 20, &p, fork_in_callback, NULL, &err));
  same_result(want, r);
  nxs_result_close(want);
  nxs_result_close(r);
  nxs_seq_close(q);
  nxs_session_close(s);
  nxs_model_close(m);
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(child_and_parent), cmocka_unit_test(fork_within_a_run)};
  return RUN_TESTS(argc, argv, tests);
}
