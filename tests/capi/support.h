// SPDX-License-Identifier: Apache-2.0 OR MIT
// What the C tests share. They see nxs.h and the library alone; the model's file is the first argument of each program.
#ifndef NXS_TESTS_CAPI_SUPPORT_H
#define NXS_TESTS_CAPI_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// cmocka wants the headers above.
#include <cmocka.h>

#include "nxs.h"

extern const char* model_path;

// What the library reported last; good() prints it when a call fails that must not.
extern nxs_error err;
void good(nxs_status status);
// The call failed with this status, its message (not empty) is in err and contains `word`.
void fails(nxs_status status, nxs_status expected, const char* word);

nxs_model* open_model(void);
// A session with a small prefill chunk and small pages, so that short prompts cross both; kv_tokens 0 grows.
nxs_session* open_session(const nxs_model* model, uint32_t n_threads, int64_t n_ctx, int64_t kv_tokens);
nxs_seq* new_seq(nxs_session* session);
nxs_decode_params with_max_new(int64_t max_new);
nxs_drafter* lookup(uint32_t draft_max, uint32_t ngram_max, uint32_t ngram_min);

// n tokens of a reproducible prompt; numbers differ, prompts differ.
enum { PROMPT_MAX = 2048 };
const int32_t* prompt(uint32_t number, size_t n);

// Runs on a fresh sequence; drafter NULL is plain decoding here.
nxs_result* run_fresh(nxs_session* session, const int32_t* tokens, size_t n, const nxs_decode_params* params,
                      nxs_drafter* drafter);
// Equal tokens, text, reason to stop and receipt; the counts of both close.
void same_result(const nxs_result* a, const nxs_result* b);
void counts_close(const nxs_result* result);

// main() of each test program.
int run_program(int argc, char** argv, const char* name, const struct CMUnitTest* tests, size_t n);
#define RUN_TESTS(argc, argv, tests) run_program(argc, argv, __FILE__, tests, sizeof(tests) / sizeof(tests)[0])

#endif
