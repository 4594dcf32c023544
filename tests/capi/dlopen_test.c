// SPDX-License-Identifier: Apache-2.0 OR MIT
// The library by dlopen alone: everything through dlsym, and dlclose really unloads it and leaves no thread.
// Usage: dlopen_test LIBRARY MODEL
#include <dirent.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "nxs.h"

static void* library;
static int failures;

static void expect(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "dlopen_test: %s\n", what);
  ++failures;
}

// dlsym gives an object pointer; POSIX lets it be a function.
static void load(void* function, const char* name) {
  void* symbol = dlsym(library, name);
  expect(symbol != NULL, name);
  memcpy(function, &symbol, sizeof symbol);
}

static int count_threads(void) {
  int n = 0;
  DIR* folder = opendir("/proc/self/task");
  if (folder == NULL) return -1;
  for (const struct dirent* e = readdir(folder); e != NULL; e = readdir(folder)) n += e->d_name[0] != '.';
  closedir(folder);
  return n;
}

static int is_mapped(const char* name) {
  char line[1024];
  int found = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) found |= strstr(line, name) != NULL;
  if (maps != NULL) fclose(maps);
  return found;
}

static void decode(const char* model_file) {
  nxs_status (*model_open)(nxs_model**, const char*, const nxs_model_params*, nxs_error*);
  nxs_status (*session_open)(nxs_session**, const nxs_model*, const nxs_session_params*, nxs_error*);
  void (*session_params_init)(nxs_session_params*, uint32_t);
  nxs_status (*seq_new)(nxs_seq**, nxs_session*, nxs_error*);
  nxs_status (*spec_decode)(nxs_result**, nxs_seq*, const int32_t*, size_t, const nxs_decode_params*, nxs_drafter*,
                            nxs_event_fn, void*, nxs_error*);
  const char* (*receipt)(const nxs_result*);
  void (*model_close)(nxs_model*);
  void (*session_close)(nxs_session*);
  void (*seq_close)(nxs_seq*);
  void (*result_close)(nxs_result*);
  load(&model_open, "nxs_model_open");
  load(&session_open, "nxs_session_open");
  load(&session_params_init, "nxs_session_params_init");
  load(&seq_new, "nxs_seq_new");
  load(&spec_decode, "nxs_spec_decode");
  load(&receipt, "nxs_result_receipt");
  load(&model_close, "nxs_model_close");
  load(&session_close, "nxs_session_close");
  load(&seq_close, "nxs_seq_close");
  load(&result_close, "nxs_result_close");
  if (failures != 0) return;
  nxs_error err;
  nxs_model* m = NULL;
  nxs_session* s = NULL;
  nxs_seq* q = NULL;
  nxs_result* r = NULL;
  nxs_session_params p;
  const int32_t tokens[5] = {50, 51, 52, 53, 54};
  session_params_init(&p, sizeof p);
  p.n_threads = 3;
  expect(model_open(&m, model_file, NULL, &err) == NXS_OK && session_open(&s, m, &p, &err) == NXS_OK &&
             seq_new(&q, s, &err) == NXS_OK && spec_decode(&r, q, tokens, 5, NULL, NULL, NULL, NULL, &err) == NXS_OK,
         err.message);
  expect(r != NULL && strlen(receipt(r)) == 34, "a receipt");
  expect(count_threads() == 3, "three threads while the session is open");
  result_close(r);
  seq_close(q);
  session_close(s);
  model_close(m);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  for (int round = 0; round < 3; ++round) {
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    expect(is_mapped("libnxs.so"), "the library is mapped");
    decode(argv[2]);
    expect(count_threads() == 1, "no thread is left after the session");
    expect(dlclose(library) == 0, "dlclose");
    expect(!is_mapped("libnxs.so"), "dlclose unloads the library");
  }
  return failures != 0;
}
