// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs

// #include <stdlib.h>
// #include "callback.h"
import "C"

import (
	"context"
	"strings"
	"sync"
	"unsafe"
)

// VoteMode says how samples are computed. All modes give the same bytes and receipts.
type VoteMode uint32

// The modes.
const (
	Batched VoteMode = 0 // all samples advance together
	Paged   VoteMode = 1 // one after another, on forks of the prompt
	Reset   VoteMode = 2 // one after another, the prompt computed again for each: the baseline
)

// VoteOptions of a vote; nil means the defaults.
type VoteOptions struct {
	Mode    VoteMode
	Params  *DecodeParams // nil = NewSampledParams
	Vote    *VoteParams   // nil = defaults
	OnEvent func(Event) error
}

// Vote is the outcome of a self-consistency run: independent of session and model. SetAnswer and the other methods may
// be called from any number of goroutines.
type Vote struct {
	h  *handle
	mu sync.RWMutex // SetAnswer against readers
}

// Answer is one of the different answers, and the number of samples that gave it.
type Answer struct {
	Text  string
	Votes int
}

// Vote appends the prompt, draws samples of its continuation, and counts their answers. The sequence keeps the prompt.
func (q *Seq) Vote(ctx context.Context, prompt []Token, options *VoteOptions) (*Vote, error) {
	if options == nil {
		options = &VoteOptions{}
	}
	if options.Mode > Reset {
		return nil, &Error{Status: ErrArgument, Message: "mode is none of Batched, Paged, Reset"}
	}
	c, err := q.acquire()
	if err != nil {
		return nil, err
	}
	defer q.h.release()
	end, err := q.runs.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	w, number, done := watch(options.OnEvent)
	defer done()

	var out *C.nxs_vote
	var e C.nxs_error
	from, count := ids(prompt)
	status := C.nxs_go_vote(&out, C.uint32_t(options.Mode), c, from, count, options.Params.c(), options.Vote.c(),
		number, &e)
	if err := check(status, &e); err != nil {
		return nil, because(err, failureOf(w, nil, status))
	}
	free := func(p unsafe.Pointer) { C.nxs_vote_close((*C.nxs_vote)(p)) }
	v := own(unsafe.Pointer(out), free, func(h *handle) *Vote { return &Vote{h: h} })
	return v, cancelledBy(ctx, v.Stats().Stop)
}

// Close gives the vote and its samples back. It always returns nil.
func (v *Vote) Close() error {
	if v != nil {
		v.h.close()
	}
	return nil
}

// look calls a getter unless the vote is closed.
func look[T any](v *Vote, get func(*C.nxs_vote) T) (value T) {
	if v == nil {
		return value
	}
	p, err := v.h.acquire()
	if err != nil {
		return value
	}
	defer v.h.release()
	v.mu.RLock()
	defer v.mu.RUnlock()
	return get((*C.nxs_vote)(p))
}

// Samples returns how many samples have a result; Skipped how many were not needed (VoteParams.Early).
func (v *Vote) Samples() int {
	return look(v, func(c *C.nxs_vote) int { return int(C.nxs_vote_n_samples(c)) })
}

// Skipped returns how many samples were not needed.
func (v *Vote) Skipped() int {
	return look(v, func(c *C.nxs_vote) int { return int(C.nxs_vote_n_skipped(c)) })
}

// Sample returns the result of a sample, nil if there is none. It belongs to the vote.
func (v *Vote) Sample(sample int) *Result {
	return look(v, func(c *C.nxs_vote) *Result {
		result := C.nxs_vote_sample(c, index(sample))
		if result == nil {
			return nil
		}
		return &Result{h: v.h, c: result, vote: v}
	})
}

// SampleAnswer returns the answer of a sample.
func (v *Vote) SampleAnswer(sample int) (answer string, ok bool) {
	text := look(v, func(c *C.nxs_vote) *string { return text(C.nxs_vote_sample_answer(c, index(sample))) })
	if text == nil {
		return "", false
	}
	return *text, true
}

// Answers returns the different answers: most votes first, then the lowest sample.
func (v *Vote) Answers() []Answer {
	return look(v, func(c *C.nxs_vote) []Answer {
		var answers []Answer
		for rank := C.int32_t(0); rank < C.nxs_vote_n_answers(c); rank++ {
			answers = append(answers, Answer{C.GoString(C.nxs_vote_answer(c, rank)), int(C.nxs_vote_answer_count(c, rank))})
		}
		return answers
	})
}

// Winner returns the answer with most votes; ok is false when no sample gave one.
func (v *Vote) Winner() (answer string, ok bool) {
	text := look(v, func(c *C.nxs_vote) *string { return text(C.nxs_vote_answer(c, 0)) })
	if text == nil {
		return "", false
	}
	return *text, true
}

// WinnerInt64 returns the winner as a number: ErrNoAnswer if there is none, ErrRange if it is no 64-bit integer.
func (v *Vote) WinnerInt64() (int64, error) {
	var winner C.int64_t
	err := ErrClosed
	look(v, func(c *C.nxs_vote) struct{} {
		var e C.nxs_error
		err = check(C.nxs_vote_winner_int64(&winner, c, &e), &e)
		return struct{}{}
	})
	return int64(winner), err
}

// Tie says whether the second answer has as many votes as the first.
func (v *Vote) Tie() bool {
	return look(v, func(c *C.nxs_vote) bool { return C.nxs_vote_is_tie(c) != 0 })
}

// SetAnswer replaces the answer of a sample and counts again; ClearAnswer takes it away.
func (v *Vote) SetAnswer(sample int, answer string) error {
	if strings.IndexByte(answer, 0) >= 0 {
		return &Error{Status: ErrArgument, Message: "answer contains a NUL byte"}
	}
	text := C.CString(answer)
	defer C.free(unsafe.Pointer(text))
	return v.setAnswer(sample, text)
}

// ClearAnswer takes the answer of a sample away and counts again.
func (v *Vote) ClearAnswer(sample int) error { return v.setAnswer(sample, nil) }

func (v *Vote) setAnswer(sample int, answer *C.char) error {
	if v == nil {
		return ErrClosed
	}
	p, err := v.h.acquire()
	if err != nil {
		return err
	}
	defer v.h.release()
	v.mu.Lock()
	defer v.mu.Unlock()
	var e C.nxs_error
	return check(C.nxs_vote_set_answer((*C.nxs_vote)(p), index(sample), answer, &e), &e)
}

// Stats counts the whole call: a shared forward counts once.
func (v *Vote) Stats() Stats {
	return look(v, func(c *C.nxs_vote) Stats { return newStats(C.nxs_vote_stats(c)) })
}

// Receipt is over the samples' receipts and answers.
func (v *Vote) Receipt() string {
	return look(v, func(c *C.nxs_vote) string { return C.GoString(C.nxs_vote_receipt(c)) })
}

// index narrows the number of a sample; one that does not fit is none.
func index(sample int) C.int32_t {
	if int(int32(sample)) != sample {
		return -1
	}
	return C.int32_t(sample)
}

func text(s *C.char) *string {
	if s == nil {
		return nil
	}
	copy := C.GoString(s)
	return &copy
}
