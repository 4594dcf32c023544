// SPDX-License-Identifier: Apache-2.0 OR MIT
// Usage: decode_dlopen LIBRARY MODEL.gguf [QUESTION]. decode.c for a program that finds the library when it runs (a
// plugin, an optional feature): everything through dlopen. LIBRARY is "libnxs.so.0" or a path.
//   cc decode_dlopen.c $(pkg-config --cflags nxs) -ldl -o decode_dlopen
#include <dlfcn.h>
#include <nxs.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PROMPT = 4096 };

// The functions in use, with the types that the header gives them.
typedef struct api {
  __typeof__(&nxs_version) version;
  __typeof__(&nxs_model_open) model_open;
  __typeof__(&nxs_model_close) model_close;
  __typeof__(&nxs_session_open) session_open;
  __typeof__(&nxs_session_close) session_close;
  __typeof__(&nxs_seq_new) seq_new;
  __typeof__(&nxs_seq_close) seq_close;
  __typeof__(&nxs_chat_format) chat_format;
  __typeof__(&nxs_decode_params_init) decode_params_init;
  __typeof__(&nxs_spec_decode) spec_decode;
  __typeof__(&nxs_result_text) result_text;
  __typeof__(&nxs_result_receipt) result_receipt;
  __typeof__(&nxs_result_close) result_close;
} api;

// `function` is the address of a function pointer; POSIX lets dlsym's object pointer be a function.
static int load(void* library, void* function, const char* name) {
  void* symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  if (symbol == NULL) fprintf(stderr, "decode_dlopen: %s\n", dlerror());
  return symbol != NULL;
}

static int load_all(void* library, api* a) {
  return load(library, &a->version, "nxs_version") && load(library, &a->model_open, "nxs_model_open") &&
         load(library, &a->model_close, "nxs_model_close") && load(library, &a->session_open, "nxs_session_open") &&
         load(library, &a->session_close, "nxs_session_close") && load(library, &a->seq_new, "nxs_seq_new") &&
         load(library, &a->seq_close, "nxs_seq_close") && load(library, &a->chat_format, "nxs_chat_format") &&
         load(library, &a->decode_params_init, "nxs_decode_params_init") &&
         load(library, &a->spec_decode, "nxs_spec_decode") && load(library, &a->result_text, "nxs_result_text") &&
         load(library, &a->result_receipt, "nxs_result_receipt") && load(library, &a->result_close, "nxs_result_close");
}

static int decode(const api* a, const char* path, const char* question) {
  const nxs_message message = {"user", question, strlen(question)};
  nxs_error error;
  nxs_model* model = NULL;
  nxs_session* session = NULL;
  nxs_seq* seq = NULL;
  nxs_result* result = NULL;
  static int32_t prompt[MAX_PROMPT];
  size_t n = 0;
  nxs_decode_params params;
  a->decode_params_init(&params, sizeof params);
  params.max_new = 128;
  const int failed = a->model_open(&model, path, NULL, &error) || a->session_open(&session, model, NULL, &error) ||
                     a->seq_new(&seq, session, &error) ||
                     a->chat_format(prompt, MAX_PROMPT, &n, model, &message, 1, NXS_CHAT_REPLY, &error) ||
                     a->spec_decode(&result, seq, prompt, n, &params, NULL, NULL, NULL, &error);
  if (failed) {
    fprintf(stderr, "decode_dlopen: %s\n", error.message);
  } else {
    size_t length = 0;
    const char* text = a->result_text(result, &length);
    fwrite(text, 1, length, stdout);
    putchar('\n');
    fprintf(stderr, "%s by libnxs %s\n", a->result_receipt(result), a->version());
  }
  a->result_close(result);
  a->seq_close(seq);
  a->session_close(session);
  a->model_close(model);
  return failed;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: decode_dlopen LIBRARY MODEL.gguf [QUESTION]\n");
    return 2;
  }
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "decode_dlopen: %s\n", dlerror());
    return 1;
  }
  api a;
  const int failed = !load_all(library, &a) || decode(&a, argv[2], argc > 3 ? argv[3] : "List the planets.");
  dlclose(library);  // every session is closed: it really unloads, and no thread is left
  return failed;
}
