// SPDX-License-Identifier: Apache-2.0 OR MIT
// Usage: decode MODEL.gguf [QUESTION]. Asks a chat model. The answer goes to stdout, its receipt to stderr.
//   cc decode.c $(pkg-config --cflags --libs nxs) -o decode
#include <nxs.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PROMPT = 4096 };

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: decode MODEL.gguf [QUESTION]\n");
    return 2;
  }
  const char* question = argc > 2 ? argv[2] : "List the planets.";
  const nxs_message message = {"user", question, strlen(question)};
  nxs_error error;
  nxs_model* model = NULL;
  nxs_session* session = NULL;
  nxs_seq* seq = NULL;
  nxs_result* result = NULL;
  static int32_t prompt[MAX_PROMPT];
  size_t n = 0;
  nxs_decode_params params;
  nxs_decode_params_init(&params, sizeof params);
  params.max_new = 128;

  // Each call returns NXS_OK, which is 0, or fills `error`; NULL parameters mean defaults.
  const int failed = nxs_model_open(&model, argv[1], NULL, &error) || nxs_session_open(&session, model, NULL, &error) ||
                     nxs_seq_new(&seq, session, &error) ||
                     nxs_chat_format(prompt, MAX_PROMPT, &n, model, &message, 1, NXS_CHAT_REPLY, &error) ||
                     nxs_spec_decode(&result, seq, prompt, n, &params, NULL, NULL, NULL, &error);
  if (failed) {
    fprintf(stderr, "decode: %s\n", error.message);
  } else {
    const nxs_stats* stats = nxs_result_stats(result);
    size_t length = 0;
    const char* text = nxs_result_text(result, &length);
    fwrite(text, 1, length, stdout);
    putchar('\n');
    fprintf(stderr, "%s: %lld tokens in %lld forwards\n", nxs_result_receipt(result), (long long)stats->n_emitted,
            (long long)stats->n_forwards);
  }
  // NULL may be closed too, so one ending serves all.
  nxs_result_close(result);
  nxs_seq_close(seq);
  nxs_session_close(session);
  nxs_model_close(model);
  return failed;
}
