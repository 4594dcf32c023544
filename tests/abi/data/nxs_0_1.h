/* SPDX-License-Identifier: Apache-2.0 OR MIT
 *
 * nxs.h - the C interface of libnxs: exact speculative decoding and self-consistency for Llama-class models on CPUs.
 *
 * CONVENTIONS
 *  1 Status    A call that can fail returns nxs_status: NXS_OK, or a negative NXS_ERR_*. Any other call cannot fail, and answers
 *              0 or NULL to a NULL handle. Outputs come first, `nxs_error *err` (may be NULL) last.
 *  2 Failure   changes nothing: outputs are NULL or 0 (what a buffer holds is undefined), sequences hold what they held. A run that ends
 *              early is no failure: cancelling, or a full context or pool after the first token, gives NXS_OK, the tokens so far and the
 *              reason. (A run that is cancelled before its first token leaves the sequence as it was.)
 *  3 Memory    "caller closes": give it to its *_close. "borrowed": read-only, owned by the handle it came from, valid until that
 *              closes (or as long as is said there). "copied": read during the call, never afterwards. Nothing needs free().
 *  4 Lifetime  Handles keep what they need alive: close them in any order. *_close is legal on any thread at any time, even while
 *              another thread is inside the same session (memory is then given back when that call ends). *_close(NULL) does
 *              nothing. Results and votes outlive session and model.
 *  5 Threads   Models: any number of threads at once. A session with all its sequences, streams and drafters: one call at a time,
 *              from any thread; a second concurrent call, and one from inside a callback, gets NXS_ERR_BUSY (never a race).
 *              Results: any number of readers. *_close, nxs_session_cancel and nxs_seq_length: always.
 *  6 Callbacks run on the thread that made the call and before it returns, never on a worker, never two at once, with the caller's
 *              floating-point state. They must return: no longjmp, no exception, no panic. `user` is passed through unread, so it may
 *              carry an integer handle (Go's cgo.Handle). Pointers they get are borrowed until they return.
 *  7 Structs   start with struct_size. Parameters: call *_params_init(&p, sizeof p), change fields, pass &p; NULL means defaults.
 *              Fields are only ever appended. A field the caller's struct lacks takes its default; a non-zero field, or a flag, that
 *              the library does not know is NXS_ERR_UNSUPPORTED. A struct that the library lends out is followed by zero bytes up to 512.
 *  8 Text      is UTF-8 bytes with a length; NUL is an ordinary byte. Strings without a length are NUL-terminated.
 *  9 Buffers   (data, capacity, *n): *n is set to the size needed on NXS_OK and on NXS_ERR_BUFFER, and nothing is written past capacity.
 *              NULL with capacity 0 asks for the size and returns NXS_OK.
 * 10 Exactness Tokens, logits bits and receipts depend on the model file, the tokens, nxs_decode_params and kv_type, and on nothing
 *              else: not on threads, ISA, batch, drafts, page size, prefill chunk, forks, prefix reuse or the caller's FPU state.
 * 11 Process  The library prints nothing, reads no environment variable, installs no signal handler, keeps no global state and leaves no
 *              thread running outside a session. Workers block all signals. A call uses at most 64 KiB of the caller's stack. After fork() a
 *              child may use models, drafters and results; sessions, sequences and streams it may only close (else NXS_ERR_FORKED).
 *              With every session closed, dlclose() is safe.
 * Unless a function says otherwise it exists since 0.1, and can return NXS_ERR_ARGUMENT, NXS_ERR_MEMORY and NXS_ERR_INTERNAL.
 *
 * EXAMPLE (a test compiles and runs this text)
 *
 *   nxs_error e; nxs_model *m; nxs_session *s; nxs_seq *q; nxs_result *r; int32_t t[512]; size_t n, len;
 *   nxs_message msg = { "user", "List the planets.", 17 };
 *   if (nxs_model_open(&m, path, NULL, &e) || nxs_session_open(&s, m, NULL, &e) || nxs_seq_new(&q, s, &e) ||
 *       nxs_chat_format(t, 512, &n, m, &msg, 1, NXS_CHAT_REPLY, &e) ||
 *       nxs_spec_decode(&r, q, t, n, NULL, NULL, NULL, NULL, &e)) { fprintf(stderr, "%s\n", e.message); return 1; }
 *   const char *text = nxs_result_text(r, &len);
 *   fwrite(text, 1, len, stdout);
 *   nxs_result_close(r); nxs_seq_close(q); nxs_session_close(s); nxs_model_close(m);
 */
#ifndef NXS_H
#define NXS_H

#include <stddef.h>
#include <stdint.h>

#define NXS_VERSION_MAJOR 0
#define NXS_VERSION_MINOR 1
#define NXS_VERSION_PATCH 0
#define NXS_SOVERSION 0 /* libnxs.so.0; changes when a program built against an older header could break */

#if defined(__GNUC__)
#define NXS_API __attribute__((visibility("default")))
#else
#define NXS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status and errors -------------------------------------------------------------------------------------------------- */

typedef int32_t nxs_status;

enum {
  NXS_OK = 0,
  NXS_ERR_INTERNAL = -1,     /* a defect of libnxs; please report the message */
  NXS_ERR_ARGUMENT = -2,     /* a parameter is NULL, out of range or contradicts another */
  NXS_ERR_MEMORY = -3,       /* allocation failed, or a limit given by the caller was reached */
  NXS_ERR_BUFFER = -4,       /* capacity too small; *n says what is needed */
  NXS_ERR_BUSY = -5,         /* the session is inside another call */
  NXS_ERR_FORKED = -6,       /* the session belongs to the parent process */
  NXS_ERR_CANCELLED = -7,    /* the cancel flag is up (calls that have no partial result) */
  NXS_ERR_UNSUPPORTED = -8,  /* a file feature, CPU feature or parameter this version lacks */
  NXS_ERR_IO = -9,           /* the file cannot be read */
  NXS_ERR_FORMAT = -10,      /* the file is malformed; the message has key or tensor and offset */
  NXS_ERR_UNENCODABLE = -11, /* a byte that the vocabulary cannot express; the message has byte and offset */
  NXS_ERR_TEMPLATE = -12,    /* the model has no chat template, or one that is not recognised */
  NXS_ERR_CONTEXT = -13,     /* longer than the context; the message has both numbers */
  NXS_ERR_KV_FULL = -14,     /* the page pool cannot hold it; the message has needed and free tokens */
  NXS_ERR_CALLBACK = -15,    /* a callback failed, or gave an invalid draft */
  NXS_ERR_NUMERIC = -16,     /* a value that is not finite in a row that plain decoding computes too; the message has position and layer */
  NXS_ERR_NO_ANSWER = -17,   /* no sample gave an answer */
  NXS_ERR_RANGE = -18,       /* the answer is no 64-bit integer */
  NXS_ERR_SELFTEST = -19     /* this build or CPU breaks the promise; the message has kernel, ISA and shape */
};

/* Frozen: 256 bytes. The message is NUL-terminated UTF-8, "" on success; when too long it is cut in the middle, and stays UTF-8. */
typedef struct nxs_error { int32_t status; char message[252]; } nxs_error;

NXS_API const char *nxs_status_name(nxs_status status); /* "NXS_ERR_KV_FULL"; static */
NXS_API const char *nxs_version(void);                  /* "0.1.0"; static */
NXS_API const char *nxs_build_info(void);               /* one JSON object: compiler, ISAs built, libraries; static */

/* Proves the promise on this CPU: every kernel of every usable ISA against the reference, then plain and speculative decoding
 * of a model made in memory. `level` 0 takes below a second, 1 below a minute. `digest` (33 bytes, may be NULL)
 * gets a text that is the same on every machine for one version. Needs no file, no network, and at least 1 thread. */
NXS_API nxs_status nxs_selftest(char *digest, uint32_t level, nxs_error *err);

/* ---- Model: an open file, immutable, shared freely between threads and sessions ------------------------------------------ */

typedef struct nxs_model nxs_model;

typedef struct nxs_model_params {
  uint32_t struct_size;
  uint32_t n_threads;  /* for packing while opening; at most 1024; 0 = as for sessions */
  int64_t max_bytes;   /* refuse (NXS_ERR_MEMORY, before allocating) a model whose weight_bytes would be more; 0 = no limit */
} nxs_model_params;

typedef struct nxs_model_info {
  uint32_t struct_size;
  uint32_t n_vocab, n_layers, n_embd, n_heads, n_heads_kv;
  int64_t n_ctx;              /* context length the model was trained for, tokens */
  int64_t weight_bytes;       /* resident memory of this handle */
  int64_t kv_bytes_per_token, step_bytes; /* with F16 keys and values (F32: twice); weights that one decoding step reads: no vocabulary or untied embedding */
} nxs_model_info;

NXS_API void nxs_model_params_init(nxs_model_params *params, uint32_t struct_size);
/* Reads, checks and packs a GGUF file; the file is not needed afterwards. `path` is copied. Errors: IO, FORMAT, UNSUPPORTED. */
NXS_API nxs_status nxs_model_open(nxs_model **out, const char *path, const nxs_model_params *params, nxs_error *err);
/* The same from memory (copied). */
NXS_API nxs_status nxs_model_open_memory(nxs_model **out, const void *data, size_t size, const nxs_model_params *params, nxs_error *err);
NXS_API void nxs_model_close(nxs_model *model);
NXS_API const nxs_model_info *nxs_model_get_info(const nxs_model *model);           /* borrowed */
NXS_API const char *nxs_model_string(const nxs_model *model, const char *key);      /* a GGUF string value, NULL if none; borrowed */
NXS_API const char *nxs_model_note(const nxs_model *model, size_t i);               /* what a log would say: i-th note, NULL at the end; borrowed */
NXS_API const char *nxs_model_digest(const nxs_model *model);                       /* of weights, vocabulary and every hyper-parameter read, 32 hex digits; borrowed */

/* ---- Text: tokens are int32_t, 0 <= id < n_vocab --------------------------------------------------------------------------- */

enum {                          /* flags of nxs_tokenize and nxs_detokenize */
  NXS_TEXT_SPECIAL = 1,         /* "<|im_end|>" in the text is the control token (off: plain characters); detokenize: write them out */
  NXS_TEXT_BOS = 2,             /* put the model's begin token first, if it asks for one */
  NXS_TEXT_DROP = 4             /* leave unencodable bytes out and count them in *n_dropped instead of failing */
};

/* At most 2^31 - 1 bytes. `n_dropped` may be NULL. Round trip: detokenize gives back the bytes encoded. Errors: BUFFER, UNENCODABLE. */
NXS_API nxs_status nxs_tokenize(int32_t *tokens, size_t capacity, size_t *n, size_t *n_dropped, const nxs_model *model,
                                const char *text, size_t text_len, uint32_t flags, nxs_error *err);
/* Raw bytes, not NUL-terminated; a token may end inside a UTF-8 character. Errors: BUFFER. */
NXS_API nxs_status nxs_detokenize(char *text, size_t capacity, size_t *n, const nxs_model *model, const int32_t *tokens,
                                  size_t n_tokens, uint32_t flags, nxs_error *err);
NXS_API int32_t nxs_token_is_stop(const nxs_model *model, int32_t token); /* 1 if it ends a run */

/* Frozen. `role` is "system", "user", "assistant" or what the template knows. */
typedef struct nxs_message { const char *role; const char *content; size_t content_len; } nxs_message;

enum {                          /* flags of nxs_chat_format */
  NXS_CHAT_REPLY = 1,           /* end with the opening of an assistant turn */
  NXS_CHAT_CONTINUE = 2         /* the sequence ends with a reply already: give only what comes after it (its end token included) */
};

/* Renders messages (copied) as the model's own template does, with its default system text. Content is never parsed for control
 * tokens. Errors: BUFFER, TEMPLATE, UNENCODABLE. */
NXS_API nxs_status nxs_chat_format(int32_t *tokens, size_t capacity, size_t *n, const nxs_model *model, const nxs_message *messages,
                                   size_t n_messages, uint32_t flags, nxs_error *err);

/* ---- Session: threads, page pool and scratch memory over one model ------------------------------------------------------- */

typedef struct nxs_session nxs_session;

enum { NXS_KV_F16 = 0, NXS_KV_F32 = 1 };
enum { NXS_ISA_BEST = 0, NXS_ISA_REFERENCE = 1, NXS_ISA_AVX2 = 2, NXS_ISA_AVX512 = 3, NXS_ISA_NEON = 4 };

typedef struct nxs_session_params {
  uint32_t struct_size;
  uint32_t n_threads;     /* at most 1024; the calling thread counts: 1 starts none. 0 = physical cores within affinity and cgroup limits */
  uint32_t isa;           /* NXS_ISA_*; one that the CPU lacks is NXS_ERR_UNSUPPORTED */
  uint32_t kv_type;       /* NXS_KV_*; changes the bits, and so the receipt */
  uint32_t page_tokens;   /* tokens in a KV page, a power of two, 1..256; default 64 */
  uint32_t prefill_chunk; /* most rows of one forward while prefilling; bounds scratch memory; 1..65536; default 256 */
  int64_t n_ctx;          /* longest sequence; 0 = the model's, which is also the most (else CONTEXT) */
  int64_t kv_tokens;      /* pool size over all sequences (nxs_kv_tokens), taken at once, at most 2^40; 0 = grow until memory ends */
} nxs_session_params;

typedef struct nxs_session_info {
  uint32_t struct_size;
  uint32_t n_threads, isa, page_tokens;
  int64_t n_ctx;
  int64_t kv_tokens, kv_tokens_free, kv_tokens_peak; /* pool size now, free now (shared pages count once), most ever in use */
  int64_t kv_bytes, scratch_bytes;                   /* resident memory now */
} nxs_session_info;

NXS_API void nxs_session_params_init(nxs_session_params *params, uint32_t struct_size);
/* Errors: UNSUPPORTED, CONTEXT. The session keeps the model alive. */
NXS_API nxs_status nxs_session_open(nxs_session **out, const nxs_model *model, const nxs_session_params *params, nxs_error *err);
NXS_API void nxs_session_close(nxs_session *session);
/* Fills *out, whose struct_size the caller has set. */
NXS_API nxs_status nxs_session_get_info(nxs_session_info *out, nxs_session *session, nxs_error *err);
/* A kv_tokens that is surely enough for a prompt and n_samples forks of it, each at most max_new long. Pure arithmetic: 0 when a number
 * is negative or page_tokens is none. */
NXS_API int64_t nxs_kv_tokens(int64_t n_prompt, int64_t max_new, int64_t n_samples, uint32_t page_tokens);
/* Raises (1) or lowers (0) the cancel flag; the library never changes it. While it is up, runs stop with NXS_STOP_CANCELLED within
 * one forward, and nxs_forward returns NXS_ERR_CANCELLED. Any thread, any time, signal handlers and callbacks included. */
NXS_API void nxs_session_cancel(nxs_session *session, int32_t on);

/* ---- Sequence: tokens with their keys and values ------------------------------------------------------------------------- */

typedef struct nxs_seq nxs_seq;

NXS_API nxs_status nxs_seq_new(nxs_seq **out, nxs_session *session, nxs_error *err);
/* The first `length` tokens of `parent` (-1 = all) as a sequence of its own; pages and stop strings are shared, nothing is computed. */
NXS_API nxs_status nxs_seq_fork(nxs_seq **out, nxs_seq *parent, int64_t length, nxs_error *err);
NXS_API nxs_status nxs_seq_truncate(nxs_seq *seq, int64_t length, nxs_error *err); /* 0 <= length <= nxs_seq_length */
NXS_API void nxs_seq_close(nxs_seq *seq);
NXS_API int64_t nxs_seq_length(const nxs_seq *seq); /* any thread, any time */
NXS_API nxs_status nxs_seq_tokens(int32_t *tokens, size_t capacity, size_t *n, nxs_seq *seq, nxs_error *err); /* Errors: BUFFER */
/* Runs on this sequence end before this text (copied), which is not emitted. May be called several times. text_len 0 removes all.
 * A token in which the text begins behind other bytes is emitted, its bytes are cut. Of several: the first to end, then the longest. */
NXS_API nxs_status nxs_seq_add_stop(nxs_seq *seq, const char *text, size_t text_len, nxs_error *err);

/* One forward: appends counts[i] >= 1 tokens (counts NULL = one each) to seqs[i], all different. `tokens` has them one sequence after the
 * other; want[j] != 0 asks for the logits after tokens[j] (want NULL = after the last token of each sequence). `logits` gets
 * n_wanted rows of n_vocab floats in the order of `tokens`; capacity is in floats. Errors: BUFFER, CONTEXT, KV_FULL, CANCELLED, NUMERIC. */
NXS_API nxs_status nxs_forward(float *logits, size_t capacity, nxs_seq *const *seqs, const int32_t *counts, size_t n_seqs,
                               const int32_t *tokens, const uint8_t *want, nxs_error *err);

/* ---- Decoding: what decides the tokens, and what only decides the speed -------------------------------------------------- */

typedef struct nxs_decode_params { /* decides the tokens; part of the receipt */
  uint32_t struct_size;
  uint32_t flags;      /* NXS_DECODE_* */
  int64_t max_new;     /* most tokens to emit; 0 = only take the prompt in; -1 = until a stop or the context's end; default 256 */
  int64_t seed;         /* a draw depends on (seed, position in the sequence) alone; default 0 */
  float temperature;    /* 0 = greedy (default): the largest logit; seed, top_p, min_p and top_k have no effect then; finite and >= 0 */
  float top_p;          /* 0..1; 1 = off (default); 0 keeps one token */
  float min_p;          /* 0..1; 0 = off (default): least probability beside the largest one's */
  int32_t top_k;        /* >= 0; 0 = off (default); ties at the border keep the lower ids */
  float repeat_penalty; /* finite and > 0; 1 = off (default); divides positive and multiplies negative logits of the last tokens, once each */
  int32_t repeat_last;  /* how many last tokens of the sequence, prompt and prefix included, it looks at; >= 0; default 64 */
} nxs_decode_params;

enum {
  NXS_DECODE_IGNORE_STOP = 1, /* stop tokens are emitted like any other (benchmarks) */
  NXS_DECODE_LOGPROBS = 2     /* fill nxs_result_logprobs; changes neither tokens nor receipt */
};

NXS_API void nxs_decode_params_init(nxs_decode_params *params, uint32_t struct_size);
/* The token that a run with these parameters would choose from this row of n_vocab logits to stand at index `position` of its sequence:
 * for loops over nxs_forward. A logit of -infinity is never chosen (a mask); any other that is not finite, or a row of masks alone, is NXS_ERR_NUMERIC.
 * `context`: the n_context tokens right before `position`. Only a repeat_penalty looks at them, and needs the last repeat_last (or all). */
NXS_API nxs_status nxs_sample(int32_t *token, const nxs_model *model, const float *logits, int64_t position, const int32_t *context,
                              size_t n_context, const nxs_decode_params *params, nxs_error *err);

/* Drafter: proposes tokens for verification: changes the speed, never the output. One run (stream: until its close) at a time, else BUSY. */
typedef struct nxs_drafter nxs_drafter;

typedef struct nxs_lookup_params {
  uint32_t struct_size;
  uint32_t draft_max;  /* most tokens in a draft, 0 = never draft; at most 256; default 6 */
  uint32_t ngram_max;  /* longest suffix looked up; at most 64; default 3 */
  uint32_t ngram_min;  /* shortest; 1..ngram_max; default 2 */
  uint32_t adaptive;   /* 1 (default): verify less of a draft, or nothing, while acceptance is too low to pay; by counts, not clocks, so stats repeat */
} nxs_lookup_params;

NXS_API void nxs_lookup_params_init(nxs_lookup_params *params, uint32_t struct_size);
/* Prompt lookup: the continuation of the latest earlier place where the sequence's last tokens stand, the longest suffix first. */
NXS_API nxs_status nxs_drafter_lookup(nxs_drafter **out, const nxs_lookup_params *params, nxs_error *err);
/* More text to look in (a source file, a retrieved document), after the sequence itself; of several texts the last one first. Copied.
 * For lookup drafters. A run whose vocabulary lacks one of the tokens is NXS_ERR_ARGUMENT. */
NXS_API nxs_status nxs_drafter_add_text(nxs_drafter *drafter, const int32_t *tokens, size_t n_tokens, nxs_error *err);
/* Writes at most `capacity` tokens that may follow `context`; returns how many (0 = none), or a negative number to end the run with
 * NXS_ERR_CALLBACK. Ids outside the vocabulary are NXS_ERR_CALLBACK too. What `user` points to must outlive the drafter.
 * draft_max is at most 256. */
typedef int32_t (*nxs_draft_fn)(void *user, const int32_t *context, size_t n_context, int32_t *draft, size_t capacity);
NXS_API nxs_status nxs_drafter_custom(nxs_drafter **out, nxs_draft_fn draft, void *user, uint32_t draft_max, nxs_error *err);
NXS_API void nxs_drafter_close(nxs_drafter *drafter);

/* What a streaming callback is told: once per prefill chunk, once per emitted token, and once at the end of each run. */
typedef struct nxs_event {
  uint32_t struct_size;
  int32_t sample;      /* of a vote, from 0; 0 in a single run */
  int64_t index;       /* of the token in its run; of nxs_stats.n_prompt, those in the cache (PREFILL); tokens emitted (END) */
  int32_t token;       /* -1 in PREFILL and END */
  uint32_t flags;      /* NXS_EVENT_* */
  const char *text;    /* UTF-8 characters that this token completed, and bytes now known to be in none; in END the unfinished rest */
  size_t text_len;
  const char *piece;   /* this token's own bytes; cut where a stop string begins */
  size_t piece_len;
} nxs_event;

enum { NXS_EVENT_DRAFTED = 1 /* this token was drafted and accepted */, NXS_EVENT_PREFILL = 2, NXS_EVENT_END = 4 };

/* Returns 0 to go on; > 0 to stop the run (all samples of it) after this token with NXS_STOP_CANCELLED; < 0 to fail with NXS_ERR_CALLBACK and
 * no result (how a binding lets an exception through). Tokens that may begin a stop string are held back until that is known, or cancelled. */
typedef int32_t (*nxs_event_fn)(void *user, const nxs_event *event);

typedef struct nxs_result nxs_result;

/* Both append the prompt to `seq`, emit tokens until a reason to stop, and leave both in it, ready for the next turn. Same result, same
 * receipt. With a prompt of 0 tokens they go on from what `seq` holds (nothing: ARGUMENT), feeding its last token again if it is cached.
 * `drafter` NULL = prompt lookup with defaults. `on_event` may be NULL. Errors: CONTEXT, KV_FULL, BUSY, CALLBACK, NUMERIC. */
NXS_API nxs_status nxs_plain_decode(nxs_result **out, nxs_seq *seq, const int32_t *prompt, size_t n_prompt,
                                    const nxs_decode_params *params, nxs_event_fn on_event, void *user, nxs_error *err);
NXS_API nxs_status nxs_spec_decode(nxs_result **out, nxs_seq *seq, const int32_t *prompt, size_t n_prompt,
                                   const nxs_decode_params *params, nxs_drafter *drafter, nxs_event_fn on_event, void *user,
                                   nxs_error *err);

/* The same run, pulled instead of pushed: for iterators and generators. Stop pulling to cancel: what has been pulled stays in `seq`, which
 * is in use until the close (other calls on it: BUSY); other sequences of the session are not. An error that ends the run is given again
 * by each further call. */
typedef struct nxs_stream nxs_stream;
NXS_API nxs_status nxs_stream_open(nxs_stream **out, nxs_seq *seq, const int32_t *prompt, size_t n_prompt,
                                   const nxs_decode_params *params, nxs_drafter *drafter, nxs_error *err);
/* *out = the next event, borrowed until the next call on the stream; NULL when the run has ended. */
NXS_API nxs_status nxs_stream_next(const nxs_event **out, nxs_stream *stream, nxs_error *err);
NXS_API nxs_status nxs_stream_result(nxs_result **out, nxs_stream *stream, nxs_error *err); /* so far; caller closes */
NXS_API void nxs_stream_close(nxs_stream *stream);

/* ---- Result: immutable, independent of session and model ------------------------------------------------------------------ */

/* When several apply at once, the first of these is given. A prompt that fills the context: STOP_CONTEXT, no token. */
enum { NXS_STOP_TOKEN = 1, NXS_STOP_TEXT = 2, NXS_STOP_MAX_NEW = 3, NXS_STOP_CONTEXT = 4, NXS_STOP_KV_FULL = 5, NXS_STOP_CANCELLED = 6 };

typedef struct nxs_stats {
  uint32_t struct_size;
  uint32_t stop;        /* NXS_STOP_*; 0 in the result of a stream that has not ended */
  int64_t n_prompt;     /* tokens of the sequence before the first emitted one (in the middle of a prompt: those reused and fed so far) */
  int64_t n_reused;     /* of those, already in the cache */
  int64_t n_forwards;   /* forwards, prefill chunks included */
  int64_t n_rows;       /* token rows in them, = (n_prompt - n_reused) + decode rows */
  int64_t n_drafted;    /* drafted rows that went through a forward; decode rows = n_drafted + decode forwards */
  int64_t n_accepted;   /* of those, emitted: n_emitted = n_accepted + tokens that the model's own row chose */
  int64_t n_emitted;
  double prefill_seconds, decode_seconds, draft_seconds; /* wall clock; drafting is part of decoding */
} nxs_stats;

NXS_API const int32_t *nxs_result_tokens(const nxs_result *result, size_t *n);  /* borrowed, as are the next five; n may be NULL */
NXS_API const uint8_t *nxs_result_flags(const nxs_result *result, size_t *n);   /* NXS_EVENT_DRAFTED or 0, per token */
NXS_API const float *nxs_result_logprobs(const nxs_result *result, size_t *n);  /* natural log, temperature 1; n = 0 if not asked for */
NXS_API const char *nxs_result_text(const nxs_result *result, size_t *len);     /* raw bytes, a NUL follows */
NXS_API const nxs_stats *nxs_result_stats(const nxs_result *result);
/* "1:" and 32 hex digits, over nxs_model_digest, kv_type, every token before the run, the effective nxs_decode_params, stop strings,
 * emitted tokens and the bits of each logits row that chose one, those of the stop included. docs/receipt.md has the recipe. The number in
 * front changes when the recipe does. Not a proof against forgery. */
NXS_API const char *nxs_result_receipt(const nxs_result *result);
NXS_API void nxs_result_close(nxs_result *result);

/* ---- Self-consistency: n samples of one prompt and a vote ---------------------------------------------------------------- */

/* LAST_INTEGER: ASCII digits of any length; ',' in strict groups of three; '-' or U+2212 is a sign unless a digit, a letter or a closing bracket stands right
 * before it; a decimal part of zeros, leading zeros and '+' go; numbers with another decimal part, an exponent or a fraction bar (\frac too) are passed over whole.
 * Text after "\n\nQuestion:" counts only if nothing before it does. LAST_NUMBER: the same, with decimal parts, without zeros at their end.
 * BOXED: the content of the last whole \boxed{}; a single number as LAST_NUMBER writes it. */
enum { NXS_EXTRACT_NONE = 0, NXS_EXTRACT_LAST_INTEGER = 1, NXS_EXTRACT_LAST_NUMBER = 2, NXS_EXTRACT_BOXED = 3 };
typedef struct nxs_vote_params {
  uint32_t struct_size;
  uint32_t n_samples;   /* 1 to 1048576; default 8 */
  uint32_t extractor;   /* NXS_EXTRACT_*; default LAST_INTEGER; NONE: set answers with nxs_vote_set_answer */
  uint32_t max_batch;   /* most samples in one forward; 0 = as many as the pool holds, up to 256; changes no bit */
  int64_t seed_stride;  /* sample s draws from seed + s * seed_stride (wraps); default 7919 */
  uint32_t flags;       /* NXS_VOTE_* */
  uint32_t reserved;    /* 0 */
} nxs_vote_params;

/* EARLY: stop as soon as samples 0..m have ended and no other can change the winner; those are skipped, the same ones in all three modes. */
enum { NXS_VOTE_EARLY = 1 };

typedef struct nxs_vote nxs_vote;
NXS_API void nxs_vote_params_init(nxs_vote_params *params, uint32_t struct_size);
/* Appends the prompt to `seq`, samples n continuations of it, and votes. `seq` keeps prefix and prompt, so that more samples cost no prefill (prompt of 0 tokens,
 * other seed). `params` NULL = temperature 0.7, top_k 40. All three give the same bytes and receipts, each sample those of nxs_plain_decode with its seed:
 * reset computes the prompt again for each sample (the baseline), paged forks it, batched advances all forks together. A sample begins once the pool has room for
 * all of its max_new; KV_FULL only where prompt and one sample do not fit (nxs_kv_tokens), before anything is computed. Events of one sample come in the order of
 * a single run, those of several mixed; each sample that began has an END. A cancelled sample casts no vote. Errors: as decode. */
NXS_API nxs_status nxs_selfconsist_reset(nxs_vote **out, nxs_seq *seq, const int32_t *prompt, size_t n_prompt, const nxs_decode_params *params,
                                         const nxs_vote_params *vote, nxs_event_fn on_event, void *user, nxs_error *err);
NXS_API nxs_status nxs_selfconsist_paged(nxs_vote **out, nxs_seq *seq, const int32_t *prompt, size_t n_prompt, const nxs_decode_params *params,
                                         const nxs_vote_params *vote, nxs_event_fn on_event, void *user, nxs_error *err);
NXS_API nxs_status nxs_selfconsist_batched(nxs_vote **out, nxs_seq *seq, const int32_t *prompt, size_t n_prompt, const nxs_decode_params *params,
                                         const nxs_vote_params *vote, nxs_event_fn on_event, void *user, nxs_error *err);
NXS_API int32_t nxs_vote_n_samples(const nxs_vote *vote);                         /* 0..n-1 have a result: all but those skipped */
NXS_API int32_t nxs_vote_n_skipped(const nxs_vote *vote);                         /* not needed: NXS_VOTE_EARLY */
NXS_API const nxs_result *nxs_vote_sample(const nxs_vote *vote, int32_t sample);  /* NULL = no such; borrowed, do not close */
NXS_API const char *nxs_vote_sample_answer(const nxs_vote *vote, int32_t sample); /* NULL = none; borrowed until an answer is set */
NXS_API int32_t nxs_vote_n_answers(const nxs_vote *vote);                         /* different ones: most votes first, then lowest sample */
NXS_API const char *nxs_vote_answer(const nxs_vote *vote, int32_t rank);          /* rank 0 won; NULL = no such; borrowed as above */
NXS_API int32_t nxs_vote_answer_count(const nxs_vote *vote, int32_t rank);
NXS_API int32_t nxs_vote_is_tie(const nxs_vote *vote);                            /* 1 if rank 1 has as many votes as rank 0 */
NXS_API nxs_status nxs_vote_winner_int64(int64_t *out, const nxs_vote *vote, nxs_error *err); /* Errors: NO_ANSWER, RANGE */
/* Replaces an answer (NULL = none; copied) and counts again: any extractor, in any language, without sampling again. One thread. */
NXS_API nxs_status nxs_vote_set_answer(nxs_vote *vote, int32_t sample, const char *answer, nxs_error *err);
/* Of the whole call: a shared prefill or forward counts once, n_emitted is the samples' sum, stop is CANCELLED or 0. Borrowed. */
NXS_API const nxs_stats *nxs_vote_stats(const nxs_vote *vote);
NXS_API const char *nxs_vote_receipt(const nxs_vote *vote);                       /* over the samples' receipts and answers; borrowed as above */
NXS_API void nxs_vote_close(nxs_vote *vote);
/* The extractors by themselves. *n = 0: no answer. Errors: BUFFER. */
NXS_API nxs_status nxs_extract(char *answer, size_t capacity, size_t *n, uint32_t extractor, const char *text, size_t text_len, nxs_error *err);

#ifdef __cplusplus
}
#endif
#endif /* NXS_H */
