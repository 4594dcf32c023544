// SPDX-License-Identifier: Apache-2.0 OR MIT
// Usage: stream MODEL.gguf [QUESTION] [CANCEL_AFTER]. Prints the answer as it comes. Ctrl-C, or CANCEL_AFTER tokens,
// end it, and what was said is kept: a second question follows, which is about it.
//   cc stream.c $(pkg-config --cflags --libs nxs) -o stream
#include <nxs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PROMPT = 4096 };

static nxs_session* session;

// The one call of the library that a signal handler may make.
static void on_interrupt(int number) {
  (void)number;
  nxs_session_cancel(session, 1);
}

// Streams one answer. A cancelled run is no failure: the stream says that it has ended, and why is in the result.
static nxs_status answer(nxs_seq* seq, const int32_t* prompt, size_t n, long cancel_after, nxs_error* error) {
  nxs_stream* stream = NULL;
  nxs_result* result = NULL;
  const nxs_event* event = NULL;
  nxs_status status = nxs_stream_open(&stream, seq, prompt, n, NULL, NULL, error);
  for (long tokens = 0; status == NXS_OK;) {
    status = nxs_stream_next(&event, stream, error);
    if (status != NXS_OK || event == NULL) break;
    fwrite(event->text, 1, event->text_len, stdout);  // whole characters only
    fflush(stdout);
    if (event->token >= 0 && ++tokens == cancel_after) nxs_session_cancel(session, 1);
  }
  if (status == NXS_OK) status = nxs_stream_result(&result, stream, error);
  if (status == NXS_OK) {
    const nxs_stats* stats = nxs_result_stats(result);
    printf("\n");
    fprintf(stderr, "[%lld tokens%s, %s]\n", (long long)stats->n_emitted,
            stats->stop == NXS_STOP_CANCELLED ? ", cancelled" : "", nxs_result_receipt(result));
  }
  nxs_result_close(result);
  nxs_stream_close(stream);        // gives the sequence back
  nxs_session_cancel(session, 0);  // the flag stays up until somebody lowers it
  return status;
}

// Formats a question and streams the answer; `flags` say whether it continues a chat.
static nxs_status ask(nxs_model* model, nxs_seq* seq, const char* question, uint32_t flags, long cancel_after,
                      nxs_error* error) {
  static int32_t prompt[MAX_PROMPT];
  const nxs_message message = {"user", question, strlen(question)};
  size_t n = 0;
  const nxs_status status = nxs_chat_format(prompt, MAX_PROMPT, &n, model, &message, 1, NXS_CHAT_REPLY | flags, error);
  return status != NXS_OK ? status : answer(seq, prompt, n, cancel_after, error);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: stream MODEL.gguf [QUESTION] [CANCEL_AFTER]\n");
    return 2;
  }
  nxs_error error;
  nxs_model* model = NULL;
  nxs_seq* seq = NULL;
  nxs_status status = nxs_model_open(&model, argv[1], NULL, &error);
  if (status == NXS_OK) status = nxs_session_open(&session, model, NULL, &error);
  if (status == NXS_OK) status = nxs_seq_new(&seq, session, &error);
  if (status == NXS_OK) {
    signal(SIGINT, on_interrupt);
    const long cancel_after = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
    status = ask(model, seq, argc > 2 ? argv[2] : "List the planets.", 0, cancel_after, &error);
  }
  if (status == NXS_OK) status = ask(model, seq, "Say that in three words.", NXS_CHAT_CONTINUE, 0, &error);
  signal(SIGINT, SIG_DFL);  // before the session goes
  if (status != NXS_OK) fprintf(stderr, "stream: %s\n", error.message);
  nxs_seq_close(seq);
  nxs_session_close(session);
  nxs_model_close(model);
  return status != NXS_OK;
}
