// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs

// #include <nxs.h>
import "C"

import "unsafe"

// StopReason says why a run ended; 0 in the result of a stream that has not ended.
type StopReason uint32

// The reasons, in the order in which they count.
const (
	StopToken     StopReason = C.NXS_STOP_TOKEN
	StopText      StopReason = C.NXS_STOP_TEXT
	StopMaxNew    StopReason = C.NXS_STOP_MAX_NEW
	StopContext   StopReason = C.NXS_STOP_CONTEXT
	StopKVFull    StopReason = C.NXS_STOP_KV_FULL
	StopCancelled StopReason = C.NXS_STOP_CANCELLED
)

func (s StopReason) String() string {
	names := [...]string{"running", "stop token", "stop text", "max_new", "context full", "pages full", "cancelled"}
	if int(s) < len(names) {
		return names[s]
	}
	return "unknown"
}

// Stats counts what a run did. Rows = (Prompt - Reused) + decode rows; Emitted = Accepted + the model's own.
type Stats struct {
	Stop                                        StopReason
	Prompt, Reused                              int64
	Forwards, Rows                              int64
	Drafted, Accepted, Emitted                  int64
	PrefillSeconds, DecodeSeconds, DraftSeconds float64
}

func newStats(s *C.nxs_stats) Stats {
	if s == nil {
		return Stats{}
	}
	return Stats{Stop: StopReason(s.stop), Prompt: int64(s.n_prompt), Reused: int64(s.n_reused),
		Forwards: int64(s.n_forwards), Rows: int64(s.n_rows), Drafted: int64(s.n_drafted),
		Accepted: int64(s.n_accepted), Emitted: int64(s.n_emitted), PrefillSeconds: float64(s.prefill_seconds),
		DecodeSeconds: float64(s.decode_seconds), DraftSeconds: float64(s.draft_seconds)}
}

// Result is what a run emitted: immutable, independent of session and model. Its methods return copies, and zero
// values once it is closed. A Vote's samples belong to the vote: closing one does nothing.
type Result struct {
	h    *handle // of the result, or of the vote that lends it
	c    *C.nxs_result
	vote *Vote
}

func newResult(c *C.nxs_result) *Result {
	free := func(p unsafe.Pointer) { C.nxs_result_close((*C.nxs_result)(p)) }
	return own(unsafe.Pointer(c), free, func(h *handle) *Result { return &Result{h: h, c: c} })
}

// Close gives the result back. It always returns nil.
func (r *Result) Close() error {
	if r != nil && r.vote == nil {
		r.h.close()
	}
	return nil
}

// read calls a getter unless the result is closed.
func read[T any](r *Result, get func(*C.nxs_result) T) (value T) {
	if r == nil {
		return value
	}
	if _, err := r.h.acquire(); err != nil {
		return value
	}
	defer r.h.release()
	return get(r.c)
}

// Tokens returns the emitted tokens.
func (r *Result) Tokens() []Token {
	return read(r, func(c *C.nxs_result) []Token {
		var n C.size_t
		tokens := C.nxs_result_tokens(c, &n)
		return copied[Token](tokens, n)
	})
}

// Drafted says of each token whether it was drafted and accepted.
func (r *Result) Drafted() []bool {
	return read(r, func(c *C.nxs_result) []bool {
		var n C.size_t
		flags := C.nxs_result_flags(c, &n)
		drafted := make([]bool, int(n))
		for i, flag := range copied[uint8](flags, n) {
			drafted[i] = flag&uint8(C.NXS_EVENT_DRAFTED) != 0
		}
		return drafted
	})
}

// Logprobs returns the natural logarithm of each token's probability at temperature 1; nil if not asked for.
func (r *Result) Logprobs() []float32 {
	return read(r, func(c *C.nxs_result) []float32 {
		var n C.size_t
		logprobs := C.nxs_result_logprobs(c, &n)
		return copied[float32](logprobs, n)
	})
}

// Text returns the bytes of the emitted tokens, cut where a stop text began.
func (r *Result) Text() string {
	return read(r, func(c *C.nxs_result) string {
		var n C.size_t
		text := C.nxs_result_text(c, &n)
		return string(copied[byte](text, n))
	})
}

// Stats returns the counts and times of the run.
func (r *Result) Stats() Stats {
	return read(r, func(c *C.nxs_result) Stats { return newStats(C.nxs_result_stats(c)) })
}

// Receipt returns "1:" and 32 hex digits: two runs with one receipt computed the same thing.
func (r *Result) Receipt() string {
	return read(r, func(c *C.nxs_result) string { return C.GoString(C.nxs_result_receipt(c)) })
}
