// SPDX-License-Identifier: Apache-2.0 OR MIT
// Memory that ends: the i-th allocation fails, for every i that a call makes. The call gives NXS_ERR_MEMORY, its
// sequence is as before, nothing leaks, and the same call then succeeds.
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "support.h"

// glibc's own allocator, behind the names that this program takes over for itself and for the library.
extern void* __libc_malloc(size_t n);
extern void* __libc_calloc(size_t n, size_t size);
extern void* __libc_realloc(void* p, size_t n);
extern void* __libc_memalign(size_t alignment, size_t n);
extern void __libc_free(void* p);

static atomic_long live, countdown;

// One allocation: false when it is the one to fail.
static int allowed(void) {
  return atomic_load(&countdown) <= 0 || atomic_fetch_sub(&countdown, 1) != 1;
}

static void* counted(void* p) {
  if (p != NULL) atomic_fetch_add(&live, 1);
  return p;
}

void* malloc(size_t n) {
  return allowed() ? counted(__libc_malloc(n)) : NULL;
}
void* calloc(size_t n, size_t size) {
  return allowed() ? counted(__libc_calloc(n, size)) : NULL;
}
void* realloc(void* p, size_t n) {
  if (!allowed()) return NULL;
  return p == NULL ? counted(__libc_realloc(p, n)) : __libc_realloc(p, n);
}
void* aligned_alloc(size_t alignment, size_t n) {
  return allowed() ? counted(__libc_memalign(alignment, n)) : NULL;
}
void* memalign(size_t alignment, size_t n) {
  return aligned_alloc(alignment, n);
}
int posix_memalign(void** out, size_t alignment, size_t n) {
  void* p = aligned_alloc(alignment, n);
  if (p == NULL) return ENOMEM;
  *out = p;
  return 0;
}
void free(void* p) {
  if (p != NULL) atomic_fetch_sub(&live, 1);
  __libc_free(p);
}

static nxs_model* m;
static nxs_session* s;
static nxs_seq* q;
static char* file;
static size_t file_size;

static nxs_status open_and_close(void) {
  nxs_model* model = NULL;
  const nxs_status status = nxs_model_open_memory(&model, file, file_size, NULL, &err);
  nxs_model_close(model);
  return status;
}

static nxs_status session_and_sequence(void) {
  nxs_session_params p;
  nxs_session_params_init(&p, sizeof p);
  p.n_threads = 2;
  nxs_session* session = NULL;
  nxs_seq* seq = NULL;
  nxs_status status = nxs_session_open(&session, m, &p, &err);
  if (status == NXS_OK) status = nxs_seq_new(&seq, session, &err);
  nxs_seq_close(seq);
  nxs_session_close(session);
  return status;
}

static nxs_status speculative(void) {
  const nxs_decode_params p = with_max_new(12);
  nxs_result* r = NULL;
  const nxs_status status = nxs_spec_decode(&r, q, prompt(1, 17), 17, &p, NULL, NULL, NULL, &err);
  if (status != NXS_OK) return status;
  nxs_result_close(r);
  return nxs_seq_truncate(q, 5, NULL);
}

static nxs_status pulled(void) {
  const nxs_decode_params p = with_max_new(12);
  nxs_stream* st = NULL;
  nxs_result* r = NULL;
  const nxs_event* e = NULL;
  nxs_status status = nxs_stream_open(&st, q, prompt(2, 9), 9, &p, NULL, &err);
  if (status == NXS_OK) {
    do status = nxs_stream_next(&e, st, &err);
    while (status == NXS_OK && e != NULL);
  }
  if (status == NXS_OK) status = nxs_stream_result(&r, st, &err);
  nxs_stream_close(st);
  nxs_result_close(r);
  if (nxs_seq_length(q) > 5) (void)nxs_seq_truncate(q, 5, NULL);
  return status;
}

static nxs_status vote(void) {
  nxs_decode_params p = with_max_new(6);
  p.temperature = 1;
  nxs_vote_params v;
  nxs_vote_params_init(&v, sizeof v);
  v.n_samples = 3;
  nxs_vote* result = NULL;
  nxs_status status = nxs_selfconsist_batched(&result, q, prompt(4, 9), 9, &p, &v, NULL, NULL, &err);
  if (status != NXS_OK) return status;
  status = nxs_vote_set_answer(result, 1, "an answer that is long enough to be allocated", &err);
  nxs_vote_close(result);
  (void)nxs_seq_truncate(q, 5, NULL);
  return status;
}

static nxs_status fork_and_forward(void) {
  nxs_seq* fork = NULL;
  float row[320];
  const int32_t n = 19;
  nxs_status status = nxs_seq_fork(&fork, q, 3, &err);
  if (status == NXS_OK) status = nxs_seq_add_stop(fork, "stop", 4, &err);
  if (status == NXS_OK) status = nxs_forward(row, 320, &fork, &n, 1, prompt(3, 19), NULL, &err);
  nxs_seq_close(fork);
  return status;
}

static nxs_status text(void) {
  int32_t tokens[64];
  char bytes[64];
  size_t n = 0, len = 0;
  const nxs_message message = {"user", "hi there", 8};
  nxs_drafter* d = NULL;
  nxs_status status = nxs_tokenize(tokens, 64, &n, NULL, m, "one two three", 13, 0, &err);
  if (status == NXS_OK) status = nxs_detokenize(bytes, 64, &len, m, tokens, n, 0, &err);
  if (status == NXS_OK) status = nxs_chat_format(NULL, 0, &n, m, &message, 1, 0, &err);
  if (status == NXS_OK) status = nxs_drafter_lookup(&d, NULL, &err);
  if (status == NXS_OK) status = nxs_drafter_add_text(d, tokens, 4, &err);
  nxs_drafter_close(d);
  return status;
}

static void each_allocation_fails_once(nxs_status (*call)(void), const char* name) {
  const int64_t length = nxs_seq_length(q);
  for (long i = 1;; ++i) {
    const long before = atomic_load(&live);
    atomic_store(&countdown, i);
    const nxs_status status = call();
    const int happened = atomic_load(&countdown) <= 0;
    atomic_store(&countdown, 0);
    if (status == NXS_OK && !happened) {
      printf("%s: %ld allocations\n", name, i - 1);
      return;
    }
    if (status != NXS_OK && status != NXS_ERR_MEMORY) fail_msg("%s, allocation %ld: %s", name, i, err.message);
    assert_int_equal(nxs_seq_length(q), length);
    // What a session keeps for later (scratch, pages) it may keep; nothing grows with each failure.
    if (i > 3 && status != NXS_OK) assert_true(atomic_load(&live) <= before + 16);
    assert_int_equal(call(), NXS_OK);
  }
}

static void memory_ends(void** state) {
  (void)state;
  each_allocation_fails_once(open_and_close, "model");
  each_allocation_fails_once(session_and_sequence, "session");
  each_allocation_fails_once(speculative, "run");
  each_allocation_fails_once(pulled, "stream");
  each_allocation_fails_once(vote, "vote");
  each_allocation_fails_once(fork_and_forward, "forward");
  each_allocation_fails_once(text, "text");
}

// The second of two equal rounds leaves as much as the first: nothing was lost in all those failures.
static void nothing_leaks(void** state) {
  (void)state;
  long left[3];
  for (int round = 0; round < 3; ++round) {
    for (long i = 1; i < 60; i += 1 + i / 8) {
      nxs_session* own = open_session(m, 2, 0, 0);
      nxs_seq* seq = new_seq(own);
      nxs_result* r = NULL;
      const nxs_decode_params p = with_max_new(8);
      atomic_store(&countdown, i);
      (void)nxs_spec_decode(&r, seq, prompt(1, 17), 17, &p, NULL, NULL, NULL, NULL);
      atomic_store(&countdown, 0);
      nxs_result_close(r);
      nxs_seq_close(seq);
      nxs_session_close(own);
    }
    left[round] = atomic_load(&live);
  }
  assert_int_equal(left[1], left[2]);
}

static int open_it(void** state) {
  (void)state;
  FILE* f = fopen(model_path, "rb");
  if (f == NULL) return -1;
  fseek(f, 0, SEEK_END);
  file_size = (size_t)ftell(f);
  rewind(f);
  file = malloc(file_size);
  if (file == NULL || fread(file, 1, file_size, f) != file_size) return -1;
  fclose(f);
  m = open_model();
  s = open_session(m, 2, 0, 0);
  q = new_seq(s);
  float row[320];
  const int32_t n = 5;
  return nxs_forward(row, 320, &q, &n, 1, prompt(9, 5), NULL, NULL) == NXS_OK ? 0 : -1;
}

static int close_it(void** state) {
  (void)state;
  nxs_seq_close(q);
  nxs_session_close(s);
  nxs_model_close(m);
  free(file);
  return 0;
}

int main(int argc, char** argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(memory_ends, open_it, close_it),
                                     cmocka_unit_test_setup_teardown(nothing_leaks, open_it, close_it)};
  return RUN_TESTS(argc, argv, tests);
}
