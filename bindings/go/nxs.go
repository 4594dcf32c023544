// SPDX-License-Identifier: Apache-2.0 OR MIT

// Package nxs decodes with Llama-class language models on CPUs through libnxs: speculative decoding and
// self-consistency that give, bit for bit, what plain decoding gives.
//
// A [Model] is an open file and shared freely. A [Session] holds threads and memory for its sequences. A [Seq] holds
// tokens; [Seq.PlainDecode], [Seq.SpecDecode], [Seq.Stream] and [Seq.Vote] append a prompt to it and go on from there.
//
// # Errors
//
// A failed call returns an [*Error] with the library's message; errors.Is(err, nxs.ErrBusy) asks for its status. A
// closed handle gives [ErrClosed]. Failure changes nothing in the library.
//
// # Closing
//
// Every handle is an io.Closer. Close may be called more than once, in any order and from any goroutine, also while
// another one is inside a call on the same handle: memory is given back when that call ends. A handle that is not
// closed is closed some time after it became unreachable.
//
// # Goroutines
//
// Models, results and votes may be used from any number of goroutines. A session with all that belongs to it takes
// one call at a time; a second one, and one from a callback, gets [ErrBusy].
//
// # Contexts
//
// A context that ends stops the run within one forward. Unlike most functions, decoding then returns both what was
// decoded so far and the context's error; a caller that drops the result needs no special case.
//
// # Callbacks
//
// They run on the calling goroutine. A panic in one becomes a [*PanicError] of the call. A callback must not call
// runtime.Goexit (testing's FailNow does): the session would stay busy.
package nxs

// #cgo pkg-config: nxs
// #include <nxs.h>
import "C"

import "unsafe"

// Token is the id of a token, 0 <= id < [ModelInfo].Vocab.
type Token = int32

// Version returns the version of the library that is loaded, such as "0.1.0".
func Version() string { return C.GoString(C.nxs_version()) }

// BuildInfo returns one JSON object about how the library was built.
func BuildInfo() string { return C.GoString(C.nxs_build_info()) }

// SelfTest proves on this CPU that every kernel gives the bits of its definition. Level 0 takes below a second, 1 below
// a minute. The digest is the same on every machine for one version of the library.
func SelfTest(level uint32) (digest string, err error) {
	var text [33]C.char
	var e C.nxs_error
	if err := check(C.nxs_selftest(&text[0], C.uint32_t(level), &e), &e); err != nil {
		return "", err
	}
	return C.GoString(&text[0]), nil
}

// KVTokens returns a [SessionParams].KVTokens that is surely enough for a prompt and samples forks of it.
func KVTokens(prompt, maxNew, samples int64, pageTokens uint32) int64 {
	return int64(C.nxs_kv_tokens(C.int64_t(prompt), C.int64_t(maxNew), C.int64_t(samples), C.uint32_t(pageTokens)))
}

// Extract runs one of the answer extractors on a text; ok is false when the text has no answer.
func Extract(extractor Extractor, text string) (answer string, ok bool, err error) {
	data, size := chars(text)
	buffer, err := grown(len(text), func(out []byte, n *C.size_t, e *C.nxs_error) C.nxs_status {
		return C.nxs_extract((*C.char)(unsafe.Pointer(unsafe.SliceData(out))), C.size_t(len(out)), n,
			C.uint32_t(extractor), data, size, e)
	})
	return string(buffer), err == nil && len(buffer) > 0, err
}

// grown runs a call of the form (data, capacity, *n): with a guess first, again if the library asks for more.
func grown[T any](guess int, call func(out []T, n *C.size_t, e *C.nxs_error) C.nxs_status) ([]T, error) {
	out := make([]T, max(guess, 1))
	for {
		var n C.size_t
		var e C.nxs_error
		status := call(out, &n, &e)
		if status == C.NXS_ERR_BUFFER && int(n) > len(out) {
			out = make([]T, int(n))
			continue
		}
		if err := check(status, &e); err != nil {
			return nil, err
		}
		return out[:int(n)], nil
	}
}

// chars gives the bytes of a string as C takes them, without a copy: for arguments that are only read.
func chars(s string) (*C.char, C.size_t) {
	return (*C.char)(unsafe.Pointer(unsafe.StringData(s))), C.size_t(len(s))
}

// ids gives tokens as C takes them, without a copy.
func ids(tokens []Token) (*C.int32_t, C.size_t) {
	return (*C.int32_t)(unsafe.Pointer(unsafe.SliceData(tokens))), C.size_t(len(tokens))
}

// copied takes over n elements that the library lends.
func copied[T any, From any](from *From, n C.size_t) []T {
	if from == nil || n == 0 {
		return nil
	}
	return append([]T(nil), unsafe.Slice((*T)(unsafe.Pointer(from)), int(n))...)
}
