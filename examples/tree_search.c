// SPDX-License-Identifier: Apache-2.0 OR MIT
// Usage: tree_search MODEL.gguf [QUESTION] [WIDTH] [DEPTH]. Looks for the most probable answer of at most DEPTH tokens:
// beam search. Every branch is a fork, which shares the pages of what came before; all branches of a depth go through
// one forward. The text goes to stdout, its probability and the memory that the tree took to stderr.
//   cc tree_search.c $(pkg-config --cflags --libs nxs) -lm -o tree_search
#include <math.h>
#include <nxs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PROMPT = 4096, MAX_WIDTH = 64 };

// A sequence of tokens and the natural logarithm of its probability.
typedef struct beam {
  nxs_seq* seq;
  double score;
} beam;

// A token after a beam. Its sequence is made only if it is kept.
typedef struct branch {
  int parent;
  int32_t token;
  double score;
} branch;

typedef struct tree {
  nxs_model* model;
  nxs_session* session;
  size_t n_vocab;
  int width, n_beams, n_branches;
  beam beams[MAX_WIDTH];
  branch branches[MAX_WIDTH];  // the best so far, best first
  beam best;                   // of those that have ended
  float* logits;               // a row for each beam
  nxs_error error;
} tree;

// Puts a branch in its place among the best ones, if it belongs there.
static void consider(tree* t, int parent, int32_t token, double score) {
  if (t->n_branches == t->width && score <= t->branches[t->width - 1].score) return;
  int at = t->n_branches < t->width ? t->n_branches++ : t->width - 1;
  for (; at > 0 && t->branches[at - 1].score < score; --at) t->branches[at] = t->branches[at - 1];
  const branch one = {parent, token, score};
  t->branches[at] = one;
}

// All tokens after all beams. An answer that ends is as good as its score; it must beat the ones that ended before.
static nxs_status grow(tree* t) {
  t->n_branches = 0;
  for (int i = 0; i < t->n_beams; ++i) {
    const float* row = t->logits + (size_t)i * t->n_vocab;
    double sum = 0;
    float largest = row[0];
    for (size_t k = 1; k < t->n_vocab; ++k) largest = fmaxf(largest, row[k]);
    for (size_t k = 0; k < t->n_vocab; ++k) sum += exp((double)(row[k] - largest));
    const double offset = t->beams[i].score - log(sum) - (double)largest;
    for (size_t k = 0; k < t->n_vocab; ++k) {
      const double score = offset + (double)row[k];
      if (!nxs_token_is_stop(t->model, (int32_t)k)) {
        consider(t, i, (int32_t)k, score);
      } else if (t->best.seq == NULL || score > t->best.score) {
        nxs_seq_close(t->best.seq);
        t->best.score = score;
        const nxs_status status = nxs_seq_fork(&t->best.seq, t->beams[i].seq, -1, &t->error);
        if (status != NXS_OK) return status;
      }
    }
  }
  return NXS_OK;
}

// The kept branches become the beams: fork their parents, close those, feed the new tokens together.
static nxs_status advance(tree* t) {
  beam next[MAX_WIDTH] = {{NULL, 0}};
  nxs_seq* seqs[MAX_WIDTH];
  int32_t tokens[MAX_WIDTH];
  nxs_status status = NXS_OK;
  for (int i = 0; i < t->n_branches && status == NXS_OK; ++i) {
    status = nxs_seq_fork(&next[i].seq, t->beams[t->branches[i].parent].seq, -1, &t->error);
    next[i].score = t->branches[i].score;
    seqs[i] = next[i].seq;
    tokens[i] = t->branches[i].token;
  }
  for (int i = 0; i < t->n_beams; ++i) nxs_seq_close(t->beams[i].seq);
  memcpy(t->beams, next, sizeof next);
  t->n_beams = t->n_branches;
  if (status != NXS_OK) return status;
  return nxs_forward(t->logits, (size_t)t->width * t->n_vocab, seqs, NULL, (size_t)t->n_beams, tokens, NULL, &t->error);
}

// Opens everything and takes the question in: the root of the tree.
static nxs_status plant(tree* t, const char* path, const char* question, size_t* n_prompt) {
  static int32_t prompt[MAX_PROMPT];
  const nxs_message message = {"user", question, strlen(question)};
  nxs_status status = nxs_model_open(&t->model, path, NULL, &t->error);
  if (status == NXS_OK) status = nxs_session_open(&t->session, t->model, NULL, &t->error);
  if (status == NXS_OK) status = nxs_seq_new(&t->beams[0].seq, t->session, &t->error);
  if (status == NXS_OK)
    status = nxs_chat_format(prompt, MAX_PROMPT, n_prompt, t->model, &message, 1, NXS_CHAT_REPLY, &t->error);
  if (status != NXS_OK) return status;
  t->n_beams = 1;
  t->n_vocab = nxs_model_get_info(t->model)->n_vocab;
  t->logits = malloc((size_t)t->width * t->n_vocab * sizeof *t->logits);
  if (t->logits == NULL) return NXS_ERR_MEMORY;
  const int32_t count = (int32_t)*n_prompt;
  return nxs_forward(t->logits, t->n_vocab, &t->beams[0].seq, &count, 1, prompt, NULL, &t->error);
}

// The most probable answer: one that has ended, or the first beam.
static nxs_status report(tree* t, size_t n_prompt) {
  const beam* best = t->best.seq != NULL && t->best.score > t->beams[0].score ? &t->best : &t->beams[0];
  const size_t n = (size_t)nxs_seq_length(best->seq);
  int32_t* tokens = malloc((n + 1) * sizeof *tokens);
  char* text = malloc(32 * (n + 1));
  size_t n_tokens = 0, length = 0;
  nxs_session_info info;
  info.struct_size = sizeof info;
  nxs_status status = tokens == NULL || text == NULL ? NXS_ERR_MEMORY : NXS_OK;
  if (status == NXS_OK) status = nxs_seq_tokens(tokens, n, &n_tokens, best->seq, &t->error);
  if (status == NXS_OK)
    status = nxs_detokenize(text, 32 * n, &length, t->model, tokens + n_prompt, n - n_prompt, 0, &t->error);
  if (status == NXS_OK) status = nxs_session_get_info(&info, t->session, &t->error);
  if (status == NXS_OK) {
    fwrite(text, 1, length, stdout);
    putchar('\n');
    fprintf(stderr, "log-probability %.4f, %zu tokens; the tree took %lld tokens of pages at most\n", best->score,
            n - n_prompt, (long long)info.kv_tokens_peak);
  }
  free(tokens);
  free(text);
  return status;
}

int main(int argc, char** argv) {
  const int width = argc > 3 ? atoi(argv[3]) : 4, depth = argc > 4 ? atoi(argv[4]) : 24;
  if (argc < 2 || width < 1 || width > MAX_WIDTH || depth < 1) {
    fprintf(stderr, "usage: tree_search MODEL.gguf [QUESTION] [WIDTH: 1 to %d] [DEPTH]\n", MAX_WIDTH);
    return 2;
  }
  static tree t;
  t.width = width;
  size_t n_prompt = 0;
  nxs_status status = plant(&t, argv[1], argc > 2 ? argv[2] : "List the planets.", &n_prompt);
  for (int i = 0; i < depth && status == NXS_OK; ++i) {
    status = grow(&t);
    // Scores only fall, so no branch can beat an answer that has ended and is better than all of them.
    if (status == NXS_OK && t.best.seq != NULL && t.best.score >= t.branches[0].score) break;
    if (status == NXS_OK) status = advance(&t);
  }
  if (status == NXS_OK) status = report(&t, n_prompt);
  if (status != NXS_OK) fprintf(stderr, "tree_search: %s %s\n", nxs_status_name(status), t.error.message);
  for (int i = 0; i < t.n_beams; ++i) nxs_seq_close(t.beams[i].seq);
  nxs_seq_close(t.best.seq);
  nxs_session_close(t.session);
  nxs_model_close(t.model);
  free(t.logits);
  return status != NXS_OK;
}
