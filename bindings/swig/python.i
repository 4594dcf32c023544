// SPDX-License-Identifier: Apache-2.0 OR MIT
// Typemaps for Python. Handles are proxies that close what they own when nothing refers to them any more; a call keeps its arguments alive,
// so closing on another thread is safe. NULL handles (None) reach the library, which answers them with an error.
%begin %{
#define PY_SSIZE_T_CLEAN
%}
%feature("autodoc", "1");

%{
#include <time.h>

// ---- Errors -------------------------------------------------------------------------------------------------------------------

// Raises the class of libnxs._errors for this status; a callback's own exception goes first.
static void nxs_raise(const nxs_error *err) {
  if (PyErr_Occurred()) return;
  PyObject *module = PyImport_ImportModule("libnxs._errors");
  PyObject *text = PyUnicode_DecodeUTF8(err->message, (Py_ssize_t)strlen(err->message), "replace");
  PyObject *made = module && text ? PyObject_CallMethod(module, "error_of", "iO", (int)err->status, text) : NULL;
  if (made) PyErr_SetObject((PyObject *)Py_TYPE(made), made);
  Py_XDECREF(made);
  Py_XDECREF(text);
  Py_XDECREF(module);
}

// The wrapper's result so far and one more output: None gives way, two make a tuple. Steals both.
static PyObject *nxs_with(PyObject *result, PyObject *more) {
  if (more == NULL || result == Py_None || result == NULL) {
    Py_XDECREF(result);
    return more;
  }
  PyObject *pair = PyTuple_Pack(2, result, more);
  Py_DECREF(result);
  Py_DECREF(more);
  return pair;
}

// ---- Arrays -------------------------------------------------------------------------------------------------------------------

static int nxs_is_text(PyObject *object) {
  return PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object);
}

static int nxs_int32_of(PyObject *object, int32_t *out) {
  PyObject *number = PyNumber_Index(object);
  if (number == NULL) return 0;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  if (value == -1 && PyErr_Occurred()) return 0;
  if (overflow != 0 || value < INT32_MIN || value > INT32_MAX) {
    PyErr_SetString(PyExc_OverflowError, "the number does not fit into 32 bits");
    return 0;
  }
  *out = (int32_t)value;
  return 1;
}

// Whole arrays of 32-bit integers (NumPy, array.array) in one copy: 1 done, 0 not such an array, -1 failed.
static int nxs_int32s_of_buffer(PyObject *object, int32_t **data, size_t *n) {
  Py_buffer view;
  if (!PyObject_CheckBuffer(object)) return 0;
  if (PyObject_GetBuffer(object, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    return 0;
  }
  int done = 0;
  if (view.ndim == 1 && view.itemsize == 4 && view.format && strcmp(view.format, "i") == 0) {
    *data = (int32_t *)malloc((size_t)view.len + 1);
    done = *data ? 1 : -1;
    if (done == 1) memcpy(*data, view.buf, (size_t)view.len);
    if (done == 1) *n = (size_t)view.len / 4;
    if (done == -1) PyErr_NoMemory();
  }
  PyBuffer_Release(&view);
  return done;
}

// Any iterable of integers, copied; None is no integers. The caller frees.
static int nxs_int32s_of(PyObject *object, int32_t **data, size_t *n) {
  *n = 0;
  if (object == Py_None) return 1;
  if (nxs_is_text(object)) {
    PyErr_SetString(PyExc_TypeError, "token ids are expected, not text: Model.tokenize() or Model.chat() make them");
    return 0;
  }
  const int done = nxs_int32s_of_buffer(object, data, n);
  if (done != 0) return done > 0;
  PyObject *items = PySequence_Tuple(object);
  if (items == NULL) return 0;
  const Py_ssize_t size = PyTuple_GET_SIZE(items);
  *data = (int32_t *)malloc((size_t)size * 4 + 1);
  int good = *data != NULL;
  if (!good) PyErr_NoMemory();
  for (Py_ssize_t i = 0; good && i < size; ++i) good = nxs_int32_of(PyTuple_GET_ITEM(items, i), *data + i);
  Py_DECREF(items);
  if (good) *n = (size_t)size;
  return good;
}

static PyObject *nxs_list(const int32_t *data, size_t n) {
  PyObject *list = PyList_New((Py_ssize_t)n);
  for (size_t i = 0; list && i < n; ++i) {
    PyObject *number = PyLong_FromLong(data[i]);
    if (number == NULL) Py_CLEAR(list);
    else PyList_SET_ITEM(list, (Py_ssize_t)i, number);
  }
  return list;
}

static PyObject *nxs_bytes(const char *data, size_t n) {
  return PyBytes_FromStringAndSize(data ? data : "", data ? (Py_ssize_t)n : 0);
}

// str (as UTF-8) or bytes, borrowed from the object. A str that is no text (lone surrogates) raises.
static int nxs_text_of(PyObject *object, const char **text, size_t *n) {
  Py_ssize_t size = 0;
  if (PyBytes_Check(object)) {
    *text = PyBytes_AS_STRING(object);
    size = PyBytes_GET_SIZE(object);
  } else if (PyUnicode_Check(object)) {
    *text = PyUnicode_AsUTF8AndSize(object, &size);
  } else {
    PyErr_Format(PyExc_TypeError, "str or bytes expected, not %s", Py_TYPE(object)->tp_name);
    return 0;
  }
  *n = (size_t)size;
  return *text != NULL;
}

// The same for C strings: None is NULL, and NUL is no character.
static int nxs_c_string_of(PyObject *object, const char **text) {
  size_t n = 0;
  *text = NULL;
  if (object == Py_None) return 1;
  if (!nxs_text_of(object, text, &n)) return 0;
  if (strlen(*text) == n) return 1;
  PyErr_SetString(PyExc_ValueError, "embedded null character");
  return 0;
}

// C-contiguous 32-bit floats of any shape, in place.
static int nxs_floats_of(PyObject *object, Py_buffer *view, int flags) {
  if (PyObject_GetBuffer(object, view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | flags) != 0) return 0;
  if (view->itemsize == 4 && view->format && strcmp(view->format, "f") == 0) return 1;
  PyErr_SetString(PyExc_TypeError, "a contiguous array of 32-bit floats is expected");
  return 0;
}

// ---- Callbacks: on the calling thread, which takes the GIL back for them. An exception stays set in that thread, the library is told to
// fail, and nxs_raise finds the exception after the call.

typedef struct { PyObject *callable; int64_t next_check; } nxs_watch;

static int64_t nxs_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static PyObject *nxs_event_tuple(const nxs_event *event) {
  return Py_BuildValue("iLiINN", (int)event->sample, (long long)event->index, (int)event->token, (unsigned)event->flags,
                       nxs_bytes(event->text, event->text_len), nxs_bytes(event->piece, event->piece_len));
}

// What the callback gave: None goes on, True (or a positive number) stops.
static int32_t nxs_answer_of(PyObject *answer) {
  int32_t number = 0;
  if (answer == NULL) return -1;
  const int good = answer == Py_None || nxs_int32_of(answer, &number);
  Py_DECREF(answer);
  return good ? number : -1;
}

// Always set, also without a callable: then it looks for signals now and then, so that Ctrl-C ends a run.
static int32_t nxs_on_event(void *user, const nxs_event *event) {
  nxs_watch *watch = (nxs_watch *)user;
  const int64_t now = nxs_milliseconds();
  if (watch->callable == NULL && now < watch->next_check) return 0;
  watch->next_check = now + 50;
  const PyGILState_STATE gil = PyGILState_Ensure();
  int32_t answer = PyErr_Occurred() || PyErr_CheckSignals() != 0 ? -1 : 0;
  if (answer == 0 && watch->callable != NULL) {
    PyObject *arguments = nxs_event_tuple(event);
    answer = arguments ? nxs_answer_of(PyObject_CallObject(watch->callable, arguments)) : -1;
    Py_XDECREF(arguments);
  }
  PyGILState_Release(gil);
  return answer;
}

// `user` is the callable, which libnxs._drafter keeps as long as the drafter. The context goes as bytes: one copy, nothing borrowed.
static int32_t nxs_on_draft(void *user, const int32_t *context, size_t n_context, int32_t *draft, size_t capacity) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  int32_t *data = NULL;
  size_t n = 0;
  PyObject *answer = NULL;
  if (!PyErr_Occurred())
    answer = PyObject_CallFunction((PyObject *)user, "Nn", nxs_bytes((const char *)context, n_context * 4), (Py_ssize_t)capacity);
  const int good = answer && nxs_int32s_of(answer, &data, &n);
  if (n > capacity) n = capacity;
  if (good && n != 0) memcpy(draft, data, n * 4);
  free(data);
  Py_XDECREF(answer);
  PyGILState_Release(gil);
  return good ? (int32_t)n : -1;
}

static int nxs_callable(PyObject *object, int or_none) {
  if ((or_none && object == Py_None) || PyCallable_Check(object)) return 1;
  PyErr_Format(PyExc_TypeError, "a callable is expected, not %s", Py_TYPE(object)->tp_name);
  return 0;
}

// ---- Chat messages: (role, content) tuples. The outer tuple is kept during the call, the strings belong to the inner ones.

static int nxs_messages_of(PyObject *object, PyObject **keep, nxs_message **messages, size_t *n) {
  *keep = PySequence_Tuple(object);
  if (*keep == NULL) return 0;
  *n = (size_t)PyTuple_GET_SIZE(*keep);
  *messages = (nxs_message *)calloc(*n + 1, sizeof(nxs_message));
  if (*messages == NULL) return PyErr_NoMemory() != NULL;
  for (size_t i = 0; i < *n; ++i) {
    PyObject *item = PyTuple_GET_ITEM(*keep, (Py_ssize_t)i);
    if (!PyTuple_Check(item) || PyTuple_GET_SIZE(item) != 2) {
      PyErr_SetString(PyExc_TypeError, "a message is a (role, content) tuple");
      return 0;
    }
    nxs_message *message = *messages + i;
    if (!nxs_c_string_of(PyTuple_GET_ITEM(item, 0), &message->role) ||
        !nxs_text_of(PyTuple_GET_ITEM(item, 1), &message->content, &message->content_len)) return 0;
  }
  return 1;
}

static int nxs_truths_of(PyObject *object, uint8_t **data, size_t *n) {
  *n = 0;
  if (object == Py_None) return 1;
  PyObject *items = PySequence_Tuple(object);
  if (items == NULL) return 0;
  const Py_ssize_t size = PyTuple_GET_SIZE(items);
  *data = (uint8_t *)malloc((size_t)size + 1);
  int truth = *data ? 0 : -1;
  if (truth < 0) PyErr_NoMemory();
  for (Py_ssize_t i = 0; truth >= 0 && i < size; ++i) {
    truth = PyObject_IsTrue(PyTuple_GET_ITEM(items, i));
    (*data)[i] = truth > 0;
  }
  Py_DECREF(items);
  if (truth >= 0) *n = (size_t)size;
  return truth >= 0;
}
%}

// ---- Handles: opaque to SWIG but for how they end.
%define NXS_HANDLE(type)
%nodefaultctor type;
typedef struct type {} type;
%extend type { ~type() { type ## _close($self); } }
%ignore type ## _close;
%typemap(argout) type **out "$result = nxs_with($result, SWIG_NewPointerObj(*$1, $*1_descriptor, SWIG_POINTER_OWN));"
%enddef
NXS_HANDLE(nxs_model)
NXS_HANDLE(nxs_session)
NXS_HANDLE(nxs_seq)
NXS_HANDLE(nxs_drafter)
NXS_HANDLE(nxs_stream)
NXS_HANDLE(nxs_result)
NXS_HANDLE(nxs_vote)

%typemap(in) (nxs_seq *const *seqs, size_t n_seqs) (PyObject *items, void *seq) {
  items = PySequence_Tuple($input);
  if (items == NULL) SWIG_fail;
  $2 = (size_t)PyTuple_GET_SIZE(items);
  $1 = (nxs_seq **)calloc($2 + 1, sizeof(nxs_seq *));
  for (size_t i = 0; $1 && i < $2; ++i) {
    if (!SWIG_IsOK(SWIG_ConvertPtr(PyTuple_GET_ITEM(items, (Py_ssize_t)i), &seq, $descriptor(nxs_seq *), 0))) {
      PyErr_SetString(PyExc_TypeError, "sequences are expected");
      SWIG_fail;
    }
    (($*1_ltype *)$1)[i] = (nxs_seq *)seq;
  }
}
%typemap(arginit) (nxs_seq *const *seqs, size_t n_seqs) "items$argnum = NULL;"
%typemap(freearg) (nxs_seq *const *seqs, size_t n_seqs) "free((void *)$1); Py_XDECREF(items$argnum);"

// ---- Results of a call.
%typemap(out, noblock=1) nxs_status {
  if (result != NXS_OK || PyErr_Occurred()) {
    nxs_raise(&nxs_err);
    SWIG_fail;
  }
  $result = SWIG_Py_Void();
}
%typemap(argout) (int32_t *tokens, size_t capacity, size_t *n) "$result = nxs_with($result, nxs_list($1, *$3));"
%typemap(argout) (char *text, size_t capacity, size_t *n), (char *answer, size_t capacity, size_t *n)
  "$result = nxs_with($result, nxs_bytes($1, *$3));"
%typemap(argout) size_t *n_dropped "$result = nxs_with($result, PyLong_FromSize_t(*$1));"
%typemap(argout) int64_t *out "$result = nxs_with($result, PyLong_FromLongLong(*$1));"
%typemap(argout) int32_t *token "$result = nxs_with($result, PyLong_FromLong(*$1));"
%typemap(argout) char *digest "$result = nxs_with($result, PyUnicode_FromString($1));"
%typemap(argout) const nxs_event **out
  "$result = nxs_with($result, *$1 ? nxs_event_tuple(*$1) : SWIG_Py_Void());"
%typemap(out) const int32_t *nxs_result_tokens "$result = nxs_list($1, *arg2);"
%typemap(out) const uint8_t *nxs_result_flags "$result = nxs_bytes((const char *)$1, *arg2);"
%typemap(out) const float *nxs_result_logprobs "$result = nxs_bytes((const char *)$1, *arg2 * sizeof(float));"
%typemap(out) const char *nxs_result_text "$result = nxs_bytes($1, *arg2);"

// ---- Arguments.
%typemap(in) (const int32_t *tokens, size_t n_tokens) { if (!nxs_int32s_of($input, (int32_t **)&$1, &$2)) SWIG_fail; }
%typemap(freearg) (const int32_t *tokens, size_t n_tokens) "free((void *)$1);"
%apply (const int32_t *tokens, size_t n_tokens) {
  (const int32_t *prompt, size_t n_prompt), (const int32_t *context, size_t n_context), (const int32_t *counts, size_t n_counts)
};
%typemap(in) (const uint8_t *want, size_t n_want) { if (!nxs_truths_of($input, (uint8_t **)&$1, &$2)) SWIG_fail; }
%typemap(freearg) (const uint8_t *want, size_t n_want) "free((void *)$1);"
%typemap(in) (const char *text, size_t text_len) { if (!nxs_text_of($input, (const char **)&$1, &$2)) SWIG_fail; }
%typemap(in) const char *path, const char *key, const char *answer { if (!nxs_c_string_of($input, (const char **)&$1)) SWIG_fail; }
%typemap(freearg) const char *path, const char *key, const char *answer ""
%typemap(in) (const nxs_message *messages, size_t n_messages) (PyObject *keep) {
  if (!nxs_messages_of($input, &keep, (nxs_message **)&$1, &$2)) SWIG_fail;
}
%typemap(arginit) (const nxs_message *messages, size_t n_messages) "keep$argnum = NULL;"
%typemap(freearg) (const nxs_message *messages, size_t n_messages) "free((void *)$1); Py_XDECREF(keep$argnum);"

%define NXS_BUFFER(parameters, type, flags)
%typemap(in) parameters (Py_buffer view) {
  if (!nxs_floats_of($input, &view, flags)) SWIG_fail;
  $1 = (type)view.buf;
  $2 = (size_t)view.len / sizeof(float);
}
%typemap(arginit) parameters "memset(&view$argnum, 0, sizeof view$argnum);"
%typemap(freearg) parameters "if (view$argnum.obj) PyBuffer_Release(&view$argnum);"
%enddef
NXS_BUFFER((float *logits, size_t capacity), float *, PyBUF_WRITABLE)
NXS_BUFFER((const float *logits, size_t n_logits), float *, 0)
%typemap(in) (const void *data, size_t size) (Py_buffer view) {
  if (PyObject_GetBuffer($input, &view, PyBUF_SIMPLE) != 0) SWIG_fail;
  $1 = view.buf;
  $2 = (size_t)view.len;
}
%typemap(arginit) (const void *data, size_t size) "memset(&view$argnum, 0, sizeof view$argnum);"
%typemap(freearg) (const void *data, size_t size) "if (view$argnum.obj) PyBuffer_Release(&view$argnum);"

%typemap(in) (nxs_event_fn on_event, void *user) (nxs_watch watch) {
  if (!nxs_callable($input, 1)) SWIG_fail;
  watch.callable = $input == Py_None ? NULL : $input;
  watch.next_check = 0;
  $1 = nxs_on_event;
  $2 = &watch;
}
%typemap(in) (nxs_draft_fn draft, void *user) {
  if (!nxs_callable($input, 0)) SWIG_fail;
  $1 = nxs_on_draft;
  $2 = $input;
}
