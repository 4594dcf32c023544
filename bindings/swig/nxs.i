// SPDX-License-Identifier: Apache-2.0 OR MIT
// What SWIG makes of nxs.h, for every language: one function per C function. The languages' own typemaps (python.i, java.i, go.i) say how
// handles, arrays, text and callbacks look; this file says what is common. The meson.build of each binding runs it; nothing generated is kept.
%module nxs

%{
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nxs.h"

#if defined(SWIGPYTHON)
#define NXS_UNLOCK Py_BEGIN_ALLOW_THREADS
#define NXS_LOCK Py_END_ALLOW_THREADS
#else
#define NXS_UNLOCK
#define NXS_LOCK
#endif

// Fills the caller's error as the library does.
static nxs_status nxs_failed(nxs_error *err, nxs_status status, const char *message) {
  err->status = status;
  strncpy(err->message, message, sizeof err->message - 1);
  err->message[sizeof err->message - 1] = '\0';
  return status;
}

// Memory for a buffer that the library fills: room for more than `wanted` elements.
static nxs_status nxs_reserve(void **data, size_t *capacity, size_t element, size_t wanted, nxs_error *err) {
  void *grown = wanted < SIZE_MAX / 2 / element ? realloc(*data, (wanted + 1) * element) : NULL;
  if (grown == NULL) return nxs_failed(err, NXS_ERR_MEMORY, "no memory for the output");
  *data = grown;
  *capacity = wanted + 1;
  return NXS_OK;
}
%}

%include <stdint.i>

// Errors: each call gets a place for its error, which the `out` typemap of nxs_status turns into the language's exception. That typemap
// finds it by its name, so it stands in the wrapper's own scope (noblock).
%typemap(in, numinputs=0, noblock=1) nxs_error *err {
  nxs_error nxs_err;
  nxs_err.status = NXS_OK;
  nxs_err.message[0] = '\0';
  $1 = &nxs_err;
}

// Buffers (data, capacity, *n) become return values: the wrapper makes room for `guess` elements, and calls again when more is needed.
// They are always the first three parameters, hence arg1 to arg3.
%typemap(in, numinputs=0) (int32_t *tokens, size_t capacity, size_t *n) (size_t needed) "needed = 0; $3 = &needed;"
%typemap(in, numinputs=0) (char *text, size_t capacity, size_t *n) (size_t needed) "needed = 0; $3 = &needed;"
%typemap(freearg) (int32_t *tokens, size_t capacity, size_t *n), (char *text, size_t capacity, size_t *n) "free($1);"
%apply (char *text, size_t capacity, size_t *n) { (char *answer, size_t capacity, size_t *n) };

%define NXS_GROWING(function, type, guess)
%exception function {
  result = nxs_reserve((void **)&arg1, &arg2, sizeof(type), guess, &nxs_err);
  if (result == NXS_OK) { NXS_UNLOCK $action NXS_LOCK }
  if (result == NXS_ERR_BUFFER) {
    result = nxs_reserve((void **)&arg1, &arg2, sizeof(type), *arg3, &nxs_err);
    if (result == NXS_OK) { NXS_UNLOCK $action NXS_LOCK }
  }
}
%enddef
NXS_GROWING(nxs_tokenize, int32_t, arg7)
NXS_GROWING(nxs_detokenize, char, 8 * arg6)
NXS_GROWING(nxs_chat_format, int32_t, 256)
NXS_GROWING(nxs_seq_tokens, int32_t, (size_t)nxs_seq_length(arg4))
NXS_GROWING(nxs_extract, char, 64)

// Calls that compute, read files or wait do so without the interpreter's lock, where there is one.
%define NXS_LONG(function)
%exception function { NXS_UNLOCK $action NXS_LOCK }
%enddef
NXS_LONG(nxs_selftest)
NXS_LONG(nxs_model_open)
NXS_LONG(nxs_model_open_memory)
NXS_LONG(nxs_session_open)
NXS_LONG(nxs_forward_sized)
NXS_LONG(nxs_plain_decode)
NXS_LONG(nxs_spec_decode)
NXS_LONG(nxs_stream_open)
NXS_LONG(nxs_stream_next)
NXS_LONG(nxs_selfconsist_reset)
NXS_LONG(nxs_selfconsist_paged)
NXS_LONG(nxs_selfconsist_batched)

// Single outputs.
%typemap(in, numinputs=0) size_t *n_dropped (size_t number), size_t *n (size_t number), size_t *len (size_t number) "number = 0; $1 = &number;"
%typemap(in, numinputs=0) int64_t *out (int64_t number) "number = 0; $1 = &number;"
%typemap(in, numinputs=0) int32_t *token (int32_t number) "number = 0; $1 = &number;"
%typemap(in, numinputs=0) char *digest (char text[33]) "text[0] = 0; $1 = text;"

%define NXS_HANDLE_OUT(type)
%typemap(in, numinputs=0) type **out (type *handle) "handle = NULL; $1 = &handle;"
%enddef
NXS_HANDLE_OUT(nxs_model)
NXS_HANDLE_OUT(nxs_session)
NXS_HANDLE_OUT(nxs_seq)
NXS_HANDLE_OUT(nxs_drafter)
NXS_HANDLE_OUT(nxs_stream)
NXS_HANDLE_OUT(nxs_result)
NXS_HANDLE_OUT(nxs_vote)
%typemap(in, numinputs=0) const nxs_event **out (const nxs_event *event) "event = NULL; $1 = ($1_ltype)&event;"

// Structs: made with the library's defaults, so that no language repeats them. struct_size is not the caller's business.
%ignore struct_size;
%ignore reserved;
%define NXS_PARAMS(type)
%extend type {
  type() {
    type *made = (type *)malloc(sizeof(type));
    if (made != NULL) type ## _init(made, sizeof(type));
    return made;
  }
  ~type() { free($self); }
}
%ignore type ## _init;
%enddef
NXS_PARAMS(nxs_model_params)
NXS_PARAMS(nxs_session_params)
NXS_PARAMS(nxs_decode_params)
NXS_PARAMS(nxs_lookup_params)
NXS_PARAMS(nxs_vote_params)
%extend nxs_session_info {
  nxs_session_info() {
    nxs_session_info *made = (nxs_session_info *)calloc(1, sizeof(nxs_session_info));
    if (made != NULL) made->struct_size = sizeof(nxs_session_info);
    return made;
  }
  ~nxs_session_info() { free($self); }
}
%nodefaultctor nxs_model_info;
%nodefaultdtor nxs_model_info;
%nodefaultctor nxs_stats;
%nodefaultdtor nxs_stats;
// Typemaps take these apart.
#ifndef SWIGGO
%ignore nxs_error;
#endif
%ignore nxs_message;
%ignore nxs_event;

#if defined(SWIGPYTHON)
%include "python.i"
#elif defined(SWIGJAVA)
%include "java.i"
#elif defined(SWIGGO)
%include "go.i"
#endif

// Two functions know the sizes of their arrays from other arrays. Here each array brings its own, so that no language can pass a wrong one.
%ignore nxs_forward;
%ignore nxs_sample;
%inline %{
nxs_status nxs_forward_sized(float *logits, size_t capacity, nxs_seq *const *seqs, size_t n_seqs, const int32_t *counts, size_t n_counts,
                             const int32_t *tokens, size_t n_tokens, const uint8_t *want, size_t n_want, nxs_error *err) {
  size_t sum = n_counts == 0 ? n_seqs : 0;
  if (n_counts != 0 && n_counts != n_seqs) return nxs_failed(err, NXS_ERR_ARGUMENT, "counts must have one number per sequence");
  for (size_t i = 0; i < n_counts; ++i) {
    if (counts[i] < 1) return nxs_failed(err, NXS_ERR_ARGUMENT, "counts must be 1 or more");
    sum += (size_t)counts[i];
  }
  if (sum != n_tokens) return nxs_failed(err, NXS_ERR_ARGUMENT, "the number of tokens must be the sum of counts");
  if (n_want != 0 && n_want != n_tokens) return nxs_failed(err, NXS_ERR_ARGUMENT, "want must have one number per token");
  return nxs_forward(logits, capacity, seqs, n_counts ? counts : NULL, n_seqs, tokens, n_want ? want : NULL, err);
}
nxs_status nxs_sample_sized(int32_t *token, const nxs_model *model, const float *logits, size_t n_logits, int64_t position,
                            const int32_t *context, size_t n_context, const nxs_decode_params *params, nxs_error *err) {
  const nxs_model_info *info = nxs_model_get_info(model);
  if (info != NULL && n_logits != info->n_vocab) return nxs_failed(err, NXS_ERR_ARGUMENT, "logits must be one row of n_vocab floats");
  return nxs_sample(token, model, logits, position, context, n_context, params, err);
}
%}

%include "nxs.h"
