// SPDX-License-Identifier: Apache-2.0 OR MIT
// Typemaps for Java. The generated classes (Raw, RawDecodeParams ...) are seen inside the package alone: handles are long there, and libnxs.Handle
// counts their uses. Text is byte[] in UTF-8, since JNI's own strings are no UTF-8. No typemap returns early: freearg must run. JNI calls that
// may run with an exception pending are the only ones after a callback.
%rename("%(lowercamelcase)s", %$ismember) "";
%rename(RawModelParams) nxs_model_params;
%rename(RawSessionParams) nxs_session_params;
%rename(RawDecodeParams) nxs_decode_params;
%rename(RawLookupParams) nxs_lookup_params;
%rename(RawVoteParams) nxs_vote_params;
%rename(RawModelInfo) nxs_model_info;
%rename(RawSessionInfo) nxs_session_info;
%rename(RawStats) nxs_stats;
%pragma(java) moduleclassmodifiers = "final class"
%pragma(java) jniclassclassmodifiers = "final class"
%pragma(java) jniclasscode = "static { NativeLibrary.load(); }"
%typemap(javaclassmodifiers) SWIGTYPE "final class"
%typemap(javafinalize) SWIGTYPE ""
%javaconst(1);
%ignore nxs_status_name;

%{
// ---- Errors -------------------------------------------------------------------------------------------------------------------

static jbyteArray nxs_bytes(JNIEnv *env, const char *text, size_t n) {
  jbyteArray bytes = text != NULL ? (*env)->NewByteArray(env, (jsize)n) : NULL;
  if (bytes != NULL) (*env)->SetByteArrayRegion(env, bytes, 0, (jsize)n, (const jbyte *)text);
  return bytes;
}

static jbyteArray nxs_c_string(JNIEnv *env, const char *text) { return text ? nxs_bytes(env, text, strlen(text)) : NULL; }

static void nxs_throw(JNIEnv *env, nxs_status status, const char *message) {
  if ((*env)->ExceptionCheck(env)) return;
  jclass kind = (*env)->FindClass(env, "libnxs/NxsException");
  jmethodID make = kind ? (*env)->GetMethodID(env, kind, "<init>", "(I[B)V") : NULL;
  jbyteArray text = make ? nxs_c_string(env, message) : NULL;
  jobject made = text ? (*env)->NewObject(env, kind, make, (jint)status, text) : NULL;
  if (made != NULL) (*env)->Throw(env, (jthrowable)made);
}

// Whether the call may give its output: a callback's exception stays as it is.
static int nxs_good(JNIEnv *env, nxs_status status, const nxs_error *err) {
  if (status != NXS_OK) nxs_throw(env, status, err->message);
  return !(*env)->ExceptionCheck(env);
}

// ---- Arrays -------------------------------------------------------------------------------------------------------------------

static jintArray nxs_ints(JNIEnv *env, const int32_t *data, size_t n) {
  jintArray array = (*env)->NewIntArray(env, (jsize)n);
  if (array != NULL && n != 0) (*env)->SetIntArrayRegion(env, array, 0, (jsize)n, (const jint *)data);
  return array;
}

// A copy of an array's elements with a zero after them; null is an empty one. The caller frees. NULL with an exception pending.
static void *nxs_copy(JNIEnv *env, jarray array, size_t element, size_t *n) {
  *n = array ? (size_t)(*env)->GetArrayLength(env, array) : 0;
  char *copy = (char *)calloc(*n + 1, element);
  void *elements = copy && *n ? (*env)->GetPrimitiveArrayCritical(env, array, NULL) : NULL;
  if (copy != NULL && elements != NULL) memcpy(copy, elements, *n * element);
  if (elements != NULL) (*env)->ReleasePrimitiveArrayCritical(env, array, elements, JNI_ABORT);
  if (copy == NULL || (*n && elements == NULL)) {
    nxs_throw(env, NXS_ERR_MEMORY, "no memory for an argument");
    *n = 0;
  }
  return copy;
}

// The memory of a direct FloatBuffer, from its element 0.
static float *nxs_floats(JNIEnv *env, jobject buffer, size_t *n) {
  float *address = buffer ? (float *)(*env)->GetDirectBufferAddress(env, buffer) : NULL;
  *n = address ? (size_t)(*env)->GetDirectBufferCapacity(env, buffer) : 0;
  return address;
}

// Pairs of role and content become messages; each element is a byte[].
static nxs_message *nxs_messages(JNIEnv *env, jobjectArray parts, size_t *n) {
  *n = parts ? (size_t)(*env)->GetArrayLength(env, parts) / 2 : 0;
  nxs_message *messages = (nxs_message *)calloc(*n + 1, sizeof(nxs_message));
  for (size_t i = 0; messages && i < 2 * *n && !(*env)->ExceptionCheck(env); ++i) {
    size_t size = 0;
    jbyteArray part = (jbyteArray)(*env)->GetObjectArrayElement(env, parts, (jsize)i);
    char *text = (char *)nxs_copy(env, part, 1, &size);
    (*env)->DeleteLocalRef(env, part);
    if (i % 2 == 0) messages[i / 2].role = text;
    else messages[i / 2].content = text, messages[i / 2].content_len = size;
  }
  return messages;
}

static void nxs_free_messages(nxs_message *messages, size_t n) {
  for (size_t i = 0; messages && i < n; ++i) {
    free((void *)messages[i].role);
    free((void *)messages[i].content);
  }
  free(messages);
}

// ---- Callbacks: on the calling thread, so with its JNIEnv. An exception stays pending and the library is told to fail.

typedef struct { JNIEnv *env; jobject listener; jmethodID method; } nxs_watch;

static jobject nxs_new_event(JNIEnv *env, const nxs_event *event) {
  jclass kind = (*env)->FindClass(env, "libnxs/Event");
  jmethodID make = kind ? (*env)->GetMethodID(env, kind, "<init>", "(IJII[B[B)V") : NULL;
  jbyteArray text = make ? nxs_bytes(env, event->text ? event->text : "", event->text ? event->text_len : 0) : NULL;
  jbyteArray piece = text ? nxs_bytes(env, event->piece ? event->piece : "", event->piece ? event->piece_len : 0) : NULL;
  jobject made = piece ? (*env)->NewObject(env, kind, make, (jint)event->sample, (jlong)event->index, (jint)event->token,
                                           (jint)event->flags, text, piece) : NULL;
  (*env)->DeleteLocalRef(env, kind);
  (*env)->DeleteLocalRef(env, text);
  (*env)->DeleteLocalRef(env, piece);
  return made;
}

static int32_t nxs_on_event(void *user, const nxs_event *event) {
  const nxs_watch *watch = (const nxs_watch *)user;
  JNIEnv *env = watch->env;
  if ((*env)->ExceptionCheck(env)) return -1;
  jobject made = nxs_new_event(env, event);
  const jboolean go_on = made ? (*env)->CallBooleanMethod(env, watch->listener, watch->method, made) : JNI_FALSE;
  (*env)->DeleteLocalRef(env, made);
  return (*env)->ExceptionCheck(env) ? -1 : go_on ? 0 : 1;
}

static nxs_event_fn nxs_watch_by(nxs_watch *watch, JNIEnv *env, jobject listener) {
  watch->env = env;
  watch->listener = listener;
  if (listener == NULL) return NULL;
  jclass kind = (*env)->FindClass(env, "libnxs/EventListener");
  watch->method = kind ? (*env)->GetMethodID(env, kind, "onEvent", "(Llibnxs/Event;)Z") : NULL;
  return nxs_on_event;
}

// A drafter's function: libnxs.Drafter makes it and frees it after the drafter.
typedef struct { JavaVM *vm; jobject function; jmethodID method; } nxs_draft_function;

static int32_t nxs_on_draft(void *user, const int32_t *context, size_t n_context, int32_t *draft, size_t capacity) {
  const nxs_draft_function *function = (const nxs_draft_function *)user;
  JNIEnv *env = NULL;
  if ((*function->vm)->GetEnv(function->vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK || (*env)->ExceptionCheck(env)) return -1;
  jintArray seen = nxs_ints(env, context, n_context);
  jintArray found = seen ? (jintArray)(*env)->CallObjectMethod(env, function->function, function->method, seen, (jint)capacity) : NULL;
  int32_t n = (*env)->ExceptionCheck(env) ? -1 : 0;
  if (n == 0 && found != NULL) {
    n = (*env)->GetArrayLength(env, found);
    if ((size_t)n > capacity) n = (int32_t)capacity;
    (*env)->GetIntArrayRegion(env, found, 0, n, (jint *)draft);
  }
  (*env)->DeleteLocalRef(env, seen);
  (*env)->DeleteLocalRef(env, found);
  return n;
}
%}

%typemap(in, numinputs=0) JNIEnv *env "$1 = jenv;"
%inline %{
jlong nxs_draft_new(JNIEnv *env, jobject function) {
  nxs_draft_function *made = (nxs_draft_function *)calloc(1, sizeof(nxs_draft_function));
  jclass kind = made ? (*env)->FindClass(env, "libnxs/DraftFunction") : NULL;
  if (kind != NULL) made->method = (*env)->GetMethodID(env, kind, "draft", "([II)[I");
  if (kind != NULL) made->function = (*env)->NewGlobalRef(env, function);
  if (made == NULL || made->method == NULL || made->function == NULL || (*env)->GetJavaVM(env, &made->vm) != 0) {
    nxs_throw(env, NXS_ERR_MEMORY, "no memory for a drafter");
    free(made);
    return 0;
  }
  return (jlong)(intptr_t)made;
}
void nxs_draft_free(JNIEnv *env, jlong draft) {
  nxs_draft_function *function = (nxs_draft_function *)(intptr_t)draft;
  if (function != NULL) (*env)->DeleteGlobalRef(env, function->function);
  free(function);
}
%}

// ---- How C types look: in JNI, in the JNI class, in Raw.
%define NXS_TYPE(pattern, jni_type, java_type)
%typemap(jni) pattern "jni_type"
%typemap(jtype) pattern "java_type"
%typemap(jstype) pattern "java_type"
%typemap(javain) pattern "$javainput"
%typemap(javaout) pattern { return $jnicall; }
%enddef

%define NXS_HANDLE(type)
NXS_TYPE(type *, jlong, long)
NXS_TYPE(const type *, jlong, long)
%typemap(in) type *, const type * "$1 = ($1_ltype)(intptr_t)$input;"
%typemap(out) type *, const type * "$result = (jlong)(intptr_t)$1;"
%typemap(freearg) type *, const type * ""
%enddef
NXS_HANDLE(nxs_model)
NXS_HANDLE(nxs_session)
NXS_HANDLE(nxs_seq)
NXS_HANDLE(nxs_drafter)
NXS_HANDLE(nxs_stream)
NXS_HANDLE(nxs_result)
NXS_HANDLE(nxs_vote)

// What a call that can fail returns: nothing, or its one output.
NXS_TYPE(nxs_status, void, void)
%typemap(javaout) nxs_status { $jnicall; }
%typemap(out) nxs_status "nxs_good(jenv, $1, &nxs_err);"
%define NXS_RETURNS(function, jni_type, java_type, value)
NXS_TYPE(nxs_status function, jni_type, java_type)
%typemap(out) nxs_status function "$result = nxs_good(jenv, $1, &nxs_err) ? value : 0;"
%enddef
%define NXS_RETURNS_HANDLE(function)
NXS_RETURNS(function, jlong, long, (jlong)(intptr_t)*arg1)
%enddef
NXS_RETURNS_HANDLE(nxs_model_open)
NXS_RETURNS_HANDLE(nxs_model_open_memory)
NXS_RETURNS_HANDLE(nxs_session_open)
NXS_RETURNS_HANDLE(nxs_seq_new)
NXS_RETURNS_HANDLE(nxs_seq_fork)
NXS_RETURNS_HANDLE(nxs_drafter_lookup)
NXS_RETURNS_HANDLE(nxs_drafter_custom)
NXS_RETURNS_HANDLE(nxs_plain_decode)
NXS_RETURNS_HANDLE(nxs_spec_decode)
NXS_RETURNS_HANDLE(nxs_stream_open)
NXS_RETURNS_HANDLE(nxs_stream_result)
NXS_RETURNS_HANDLE(nxs_selfconsist_reset)
NXS_RETURNS_HANDLE(nxs_selfconsist_paged)
NXS_RETURNS_HANDLE(nxs_selfconsist_batched)
NXS_RETURNS(nxs_tokenize, jintArray, int[], nxs_ints(jenv, arg1, *arg3))
NXS_RETURNS(nxs_chat_format, jintArray, int[], nxs_ints(jenv, arg1, *arg3))
NXS_RETURNS(nxs_seq_tokens, jintArray, int[], nxs_ints(jenv, arg1, *arg3))
NXS_RETURNS(nxs_detokenize, jbyteArray, byte[], nxs_bytes(jenv, arg1, *arg3))
NXS_RETURNS(nxs_extract, jbyteArray, byte[], nxs_bytes(jenv, arg1, *arg3))
NXS_RETURNS(nxs_selftest, jbyteArray, byte[], nxs_c_string(jenv, arg1))
NXS_RETURNS(nxs_sample_sized, jint, int, *arg1)
NXS_RETURNS(nxs_vote_winner_int64, jlong, long, *arg1)
NXS_RETURNS(nxs_stream_next, jobject, Event, (*arg1 ? nxs_new_event(jenv, *arg1) : NULL))

%typemap(freearg) char *digest ""
NXS_TYPE(const char *, jbyteArray, byte[])
%typemap(out) const char * "$result = nxs_c_string(jenv, $1);"
%typemap(in) const char * (size_t size) "$1 = $input ? ($1_ltype)nxs_copy(jenv, $input, 1, &size) : NULL;"
%typemap(freearg) const char * "free((void *)$1);"
NXS_TYPE(const char *nxs_result_text, jbyteArray, byte[])
%typemap(out) const char *nxs_result_text "$result = nxs_bytes(jenv, $1, *arg2);"
NXS_TYPE(const int32_t *nxs_result_tokens, jintArray, int[])
%typemap(out) const int32_t *nxs_result_tokens "$result = nxs_ints(jenv, $1, *arg2);"
NXS_TYPE(const uint8_t *nxs_result_flags, jbyteArray, byte[])
%typemap(out) const uint8_t *nxs_result_flags { $result = nxs_bytes(jenv, $1 ? (const char *)$1 : "", *arg2); }
NXS_TYPE(const float *nxs_result_logprobs, jfloatArray, float[])
%typemap(out) const float *nxs_result_logprobs {
  $result = (*jenv)->NewFloatArray(jenv, (jsize)*arg2);
  if ($result != NULL && *arg2 != 0) (*jenv)->SetFloatArrayRegion(jenv, $result, 0, (jsize)*arg2, $1);
}

// ---- Arguments.
%define NXS_COPIED(parameters, element)
%typemap(in) parameters "$1 = nxs_copy(jenv, $input, element, &$2);"
%typemap(freearg) parameters "free((void *)$1);"
%enddef
NXS_TYPE((const int32_t *tokens, size_t n_tokens), jintArray, int[])
NXS_COPIED((const int32_t *tokens, size_t n_tokens), 4)
%apply (const int32_t *tokens, size_t n_tokens) {
  (const int32_t *prompt, size_t n_prompt), (const int32_t *context, size_t n_context), (const int32_t *counts, size_t n_counts)
};
NXS_TYPE((const uint8_t *want, size_t n_want), jbooleanArray, boolean[])
NXS_COPIED((const uint8_t *want, size_t n_want), 1)
NXS_TYPE((const char *text, size_t text_len), jbyteArray, byte[])
NXS_COPIED((const char *text, size_t text_len), 1)
%apply (const char *text, size_t text_len) { (const void *data, size_t size) };
NXS_TYPE((nxs_seq *const *seqs, size_t n_seqs), jlongArray, long[])
NXS_COPIED((nxs_seq *const *seqs, size_t n_seqs), 8)
NXS_TYPE((float *logits, size_t capacity), jobject, java.nio.FloatBuffer)
%typemap(in) (float *logits, size_t capacity) "$1 = nxs_floats(jenv, $input, &$2);"
%apply (float *logits, size_t capacity) { (const float *logits, size_t n_logits) };
NXS_TYPE((const nxs_message *messages, size_t n_messages), jobjectArray, byte[][])
%typemap(in) (const nxs_message *messages, size_t n_messages) "$1 = nxs_messages(jenv, $input, &$2);"
%typemap(freearg) (const nxs_message *messages, size_t n_messages) "nxs_free_messages((nxs_message *)$1, $2);"
NXS_TYPE((nxs_event_fn on_event, void *user), jobject, EventListener)
%typemap(in) (nxs_event_fn on_event, void *user) (nxs_watch watch) "$1 = nxs_watch_by(&watch, jenv, $input); $2 = &watch;"
NXS_TYPE((nxs_draft_fn draft, void *user), jlong, long)
%typemap(in) (nxs_draft_fn draft, void *user) "$1 = nxs_on_draft; $2 = (void *)(intptr_t)$input;"
