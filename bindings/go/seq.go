// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs

// #include <nxs.h>
import "C"

import (
	"context"
	"slices"
	"unsafe"
)

// Seq is a sequence of tokens with their keys and values.
type Seq struct {
	h    *handle
	s    *handle // the session's, held open for its cancel flag
	runs *runs
}

// newSeq takes over a reference on the session's handle.
func newSeq(c *C.nxs_seq, session *handle, r *runs) *Seq {
	free := func(p unsafe.Pointer) {
		C.nxs_seq_close((*C.nxs_seq)(p))
		session.release()
	}
	return own(unsafe.Pointer(c), free, func(h *handle) *Seq { return &Seq{h, session, r} })
}

// NewSeq makes an empty sequence.
func (s *Session) NewSeq() (*Seq, error) {
	c, err := s.acquire()
	if err != nil {
		return nil, err
	}
	var out *C.nxs_seq
	var e C.nxs_error
	if err := check(C.nxs_seq_new(&out, c, &e), &e); err != nil {
		s.h.release()
		return nil, err
	}
	return newSeq(out, s.h, s.runs), nil
}

func (q *Seq) acquire() (*C.nxs_seq, error) {
	if q == nil {
		return nil, ErrClosed
	}
	p, err := q.h.acquire()
	return (*C.nxs_seq)(p), err
}

// Close gives the sequence back. It always returns nil.
func (q *Seq) Close() error {
	if q != nil {
		q.h.close()
	}
	return nil
}

// Fork makes the first length tokens (-1 = all) a sequence of its own. Pages are shared, nothing is computed.
func (q *Seq) Fork(length int64) (*Seq, error) {
	c, err := q.acquire()
	if err != nil {
		return nil, err
	}
	defer q.h.release()
	var out *C.nxs_seq
	var e C.nxs_error
	if err := check(C.nxs_seq_fork(&out, c, C.int64_t(length), &e), &e); err != nil {
		return nil, err
	}
	q.s.retain() // q has one already
	return newSeq(out, q.s, q.runs), nil
}

// Truncate keeps the first length tokens.
func (q *Seq) Truncate(length int64) error {
	c, err := q.acquire()
	if err != nil {
		return err
	}
	defer q.h.release()
	var e C.nxs_error
	return check(C.nxs_seq_truncate(c, C.int64_t(length), &e), &e)
}

// Len returns the number of tokens, at any time; 0 once the sequence is closed.
func (q *Seq) Len() int64 {
	c, err := q.acquire()
	if err != nil {
		return 0
	}
	defer q.h.release()
	return int64(C.nxs_seq_length(c))
}

// Tokens returns a copy of the tokens.
func (q *Seq) Tokens() ([]Token, error) {
	c, err := q.acquire()
	if err != nil {
		return nil, err
	}
	defer q.h.release()
	return grown(int(C.nxs_seq_length(c)), func(out []Token, n *C.size_t, e *C.nxs_error) C.nxs_status {
		to, capacity := ids(out)
		return C.nxs_seq_tokens(to, capacity, n, c, e)
	})
}

// AddStop makes runs on this sequence end before the text, which is not emitted. "" removes all such texts.
func (q *Seq) AddStop(text string) error {
	c, err := q.acquire()
	if err != nil {
		return err
	}
	defer q.h.release()
	data, size := chars(text)
	var e C.nxs_error
	return check(C.nxs_seq_add_stop(c, data, size, &e), &e)
}

// Input is one sequence of a Forward, and the tokens that it gets. Want[j] asks for the logits after Tokens[j]; a nil
// Want for those after the last one.
type Input struct {
	Seq    *Seq
	Tokens []Token
	Want   []bool
}

func (in *Input) wants(j int) bool {
	if in.Want == nil {
		return j == len(in.Tokens)-1
	}
	return in.Want[j]
}

// Forward appends tokens to sequences of this session, all different, in one forward. The library writes the wanted
// rows of logits, each as long as the vocabulary, straight into logits, in the order of the tokens.
func (s *Session) Forward(ctx context.Context, logits []float32, inputs ...Input) error {
	if _, err := s.acquire(); err != nil {
		return err
	}
	defer s.h.release()
	seqs := make([]*C.nxs_seq, len(inputs))
	counts := make([]C.int32_t, len(inputs))
	var tokens []Token
	var want []C.uint8_t
	for i := range inputs {
		in := &inputs[i]
		c, err := in.Seq.acquire()
		if err != nil {
			return err
		}
		defer in.Seq.h.release()
		if in.Seq.runs != s.runs {
			return &Error{Status: ErrArgument, Message: "a sequence belongs to another session"}
		}
		if in.Want != nil && len(in.Want) != len(in.Tokens) {
			return &Error{Status: ErrArgument, Message: "want and tokens differ in length"}
		}
		seqs[i], counts[i] = c, C.int32_t(len(in.Tokens))
		tokens = slices.Concat(tokens, in.Tokens)
		for j := range in.Tokens {
			wanted := C.uint8_t(0)
			if in.wants(j) {
				wanted = 1
			}
			want = append(want, wanted)
		}
	}
	end, err := s.runs.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	var e C.nxs_error
	from, _ := ids(tokens)
	status := C.nxs_forward((*C.float)(unsafe.SliceData(logits)), C.size_t(len(logits)), unsafe.SliceData(seqs),
		unsafe.SliceData(counts), C.size_t(len(seqs)), from, unsafe.SliceData(want), &e)
	err = check(status, &e)
	if status == C.NXS_ERR_CANCELLED && ctx != nil {
		err = because(err, ctx.Err())
	}
	return err
}
