// SPDX-License-Identifier: Apache-2.0 OR MIT
// Typemaps for Go, as thin as they can be (bindings/go is the package for use): handles are uintptr, slices and strings go straight in, a call
// that can fail returns its output, or nothing, and fills an NxsError that its caller made. No callbacks: streams are pulled.
%insert(go_wrapper) %{
// The int32s that a string's bytes are.
func int32sOf(bytes string) []int32 {
  numbers := make([]int32, len(bytes)/4)
  for i := range numbers {
    numbers[i] = int32(uint32(bytes[4*i]) | uint32(bytes[4*i+1])<<8 | uint32(bytes[4*i+2])<<16 | uint32(bytes[4*i+3])<<24)
  }
  return numbers
}
%}

%typemap(in, noblock=1) nxs_error *err {
  nxs_error nxs_err;
  nxs_err.status = NXS_OK;
  nxs_err.message[0] = 0;
  $1 = &nxs_err;
}
%typemap(freearg) nxs_error *err { if ($input != NULL) *(nxs_error *)$input = nxs_err; }
%ignore nxs_error::message;
%extend nxs_error {
  nxs_error() { return (nxs_error *)calloc(1, sizeof(nxs_error)); }
  ~nxs_error() { free($self); }
  const char *text() { return $self->message; }
}

// ---- Handles.
%define NXS_HANDLE(type)
%typemap(gotype) type *, const type * "uintptr"
%typemap(in) type *, const type * "$1 = ($1_ltype)$input;"
%typemap(out) type *, const type * "$result = ($1_ltype)$1;"
%typemap(goout) type *, const type * ""
%enddef
NXS_HANDLE(nxs_model)
NXS_HANDLE(nxs_session)
NXS_HANDLE(nxs_seq)
NXS_HANDLE(nxs_drafter)
NXS_HANDLE(nxs_stream)
NXS_HANDLE(nxs_result)
NXS_HANDLE(nxs_vote)
NXS_HANDLE(nxs_event)

// ---- What a call that can fail returns.
%define NXS_RETURNS(function, go_type, value)
%typemap(gotype) nxs_status function "go_type"
%typemap(out) nxs_status function "$result = $1 == NXS_OK ? value : 0;"
%enddef
// By way of int64: SWIG would have the wrapper of a uintptr return the 32 bits of an nxs_status.
%define NXS_RETURNS_HANDLE(function)
NXS_RETURNS(function, uintptr, (long long)(intptr_t)*arg1)
%typemap(imtype) nxs_status function "int64"
%typemap(goout) nxs_status function "$result = uintptr($1)"
%enddef
NXS_RETURNS_HANDLE(nxs_model_open)
NXS_RETURNS_HANDLE(nxs_model_open_memory)
NXS_RETURNS_HANDLE(nxs_session_open)
NXS_RETURNS_HANDLE(nxs_seq_new)
NXS_RETURNS_HANDLE(nxs_seq_fork)
NXS_RETURNS_HANDLE(nxs_drafter_lookup)
NXS_RETURNS_HANDLE(nxs_plain_decode)
NXS_RETURNS_HANDLE(nxs_spec_decode)
NXS_RETURNS_HANDLE(nxs_stream_open)
NXS_RETURNS_HANDLE(nxs_stream_next)
NXS_RETURNS_HANDLE(nxs_stream_result)
NXS_RETURNS_HANDLE(nxs_selfconsist_reset)
NXS_RETURNS_HANDLE(nxs_selfconsist_paged)
NXS_RETURNS_HANDLE(nxs_selfconsist_batched)
NXS_RETURNS(nxs_sample_sized, int32, *arg1)
NXS_RETURNS(nxs_vote_winner_int64, int64, *arg1)

%define NXS_RETURNS_STRING(function, bytes, size)
%typemap(gotype) nxs_status function "string"
%typemap(imtype) nxs_status function "string"
%typemap(out) nxs_status function "$result = Swig_AllocateString((const char *)bytes, $1 == NXS_OK ? size : 0);"
%typemap(goout) nxs_status function "$result = swigCopyString($1)"
%enddef
%define NXS_RETURNS_INTS(function)
NXS_RETURNS_STRING(function, arg1, 4 * *arg3)
%typemap(gotype) nxs_status function "[]int32"
%typemap(goout) nxs_status function "$result = int32sOf(swigCopyString($1))"
%enddef
NXS_RETURNS_STRING(nxs_detokenize, arg1, *arg3)
NXS_RETURNS_STRING(nxs_extract, arg1, *arg3)
NXS_RETURNS_STRING(nxs_selftest, arg1, 32)
NXS_RETURNS_INTS(nxs_tokenize)
NXS_RETURNS_INTS(nxs_chat_user)
NXS_RETURNS_INTS(nxs_seq_tokens)
%typemap(gotype) const int32_t *nxs_result_tokens "[]int32"
%typemap(imtype) const int32_t *nxs_result_tokens "string"
%typemap(out) const int32_t *nxs_result_tokens "$result = Swig_AllocateString((const char *)$1, $1 ? 4 * *arg2 : 0);"
%typemap(goout) const int32_t *nxs_result_tokens "$result = int32sOf(swigCopyString($1))"
%typemap(out) const char *nxs_result_text "$result = Swig_AllocateString($1, $1 ? *arg2 : 0);"
%typemap(freearg) char *digest ""

// ---- Arguments. Slices and strings are lent for the call.
%define NXS_SLICE(parameters, element, type)
%typemap(gotype) parameters "[]element"
%typemap(in) parameters "$1 = (type)$input.array; $2 = (size_t)$input.len;"
%typemap(freearg) parameters ""
%enddef
NXS_SLICE((const int32_t *tokens, size_t n_tokens), int32, int32_t *)
NXS_SLICE((const int32_t *prompt, size_t n_prompt), int32, int32_t *)
NXS_SLICE((const int32_t *context, size_t n_context), int32, int32_t *)
NXS_SLICE((const int32_t *counts, size_t n_counts), int32, int32_t *)
NXS_SLICE((const uint8_t *want, size_t n_want), bool, uint8_t *)
NXS_SLICE((nxs_seq *const *seqs, size_t n_seqs), uintptr, nxs_seq **)
NXS_SLICE((float *logits, size_t capacity), float32, float *)
NXS_SLICE((const float *logits, size_t n_logits), float32, float *)
NXS_SLICE((const void *data, size_t size), byte, void *)
%typemap(gotype) (const char *text, size_t text_len) "string"
%typemap(in) (const char *text, size_t text_len) "$1 = $input.p; $2 = (size_t)$input.n;"
%typemap(freearg) (const char *text, size_t text_len) ""
%typemap(in, numinputs=0) (nxs_event_fn on_event, void *user) "$1 = NULL; $2 = NULL;"
%ignore nxs_drafter_custom;
%ignore nxs_chat_format;
%ignore nxs_result_flags;
%ignore nxs_result_logprobs;

NXS_GROWING(nxs_chat_user, int32_t, 256)
%inline %{
// One message of a user, as the model's template writes it, with the opening of the reply.
nxs_status nxs_chat_user(int32_t *tokens, size_t capacity, size_t *n, const nxs_model *model, const char *text, size_t text_len, nxs_error *err) {
  const nxs_message message = {"user", text, text_len};
  return nxs_chat_format(tokens, capacity, n, model, &message, 1, NXS_CHAT_REPLY, err);
}
// Of an event, which is lent until the next call on its stream.
int32_t nxs_event_token(const nxs_event *event) { return event ? event->token : -1; }
uint32_t nxs_event_flags(const nxs_event *event) { return event ? event->flags : 0; }
%}
