// SPDX-License-Identifier: Apache-2.0 OR MIT
// A fixture: a model and one session for each test of a program, which may set the threads beforehand.
#ifndef NXS_TESTS_CAPI_ONE_SESSION_H
#define NXS_TESTS_CAPI_ONE_SESSION_H

#include "support.h"

#ifndef ONE_SESSION_THREADS
#define ONE_SESSION_THREADS 2
#endif

static nxs_model* m;
static nxs_session* s;

static int open_it(void** state) {
  (void)state;
  m = open_model();
  s = open_session(m, ONE_SESSION_THREADS, 0, 0);
  return 0;
}

static int close_it(void** state) {
  (void)state;
  nxs_session_close(s);
  nxs_model_close(m);
  return 0;
}

#endif
