// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs

// #include <nxs.h>
import "C"

import (
	"context"
	"errors"
	"io"
	"iter"
	"unsafe"
)

// Stream is a run that is pulled, event by event. The sequence and the drafter are in use until it is closed.
type Stream struct {
	h       *handle
	runs    *runs
	drafter *Drafter
}

// Stream begins a run. Nothing is computed before the first event is asked for.
func (q *Seq) Stream(prompt []Token, options *RunOptions) (*Stream, error) {
	if options == nil {
		options = &RunOptions{}
	}
	if options.OnEvent != nil {
		return nil, &Error{Status: ErrArgument, Message: "a stream has no OnEvent"}
	}
	c, err := q.acquire()
	if err != nil {
		return nil, err
	}
	defer q.h.release()
	d := options.Drafter
	drafter, err := d.acquire() // until the stream is closed, as the library calls a custom one until then
	if err != nil {
		return nil, err
	}
	var out *C.nxs_stream
	var e C.nxs_error
	from, count := ids(prompt)
	status := C.nxs_stream_open(&out, c, from, count, options.Params.c(), drafter, &e)
	if err := check(status, &e); err != nil {
		d.release()
		return nil, err
	}
	session := q.s
	session.retain()
	free := func(p unsafe.Pointer) {
		C.nxs_stream_close((*C.nxs_stream)(p))
		d.release()
		session.release()
	}
	return own(unsafe.Pointer(out), free, func(h *handle) *Stream { return &Stream{h, q.runs, d} }), nil
}

func (s *Stream) acquire() (*C.nxs_stream, error) {
	if s == nil {
		return nil, ErrClosed
	}
	p, err := s.h.acquire()
	return (*C.nxs_stream)(p), err
}

// Close ends the run, if it has not ended; what was pulled stays in the sequence. It always returns nil.
func (s *Stream) Close() error {
	if s != nil {
		s.h.close()
	}
	return nil
}

// Next returns the next event, and io.EOF after the last one. When ctx ends it returns the context's error; what came
// before stays in the sequence. An error of the library ends the stream and is given again by each further call.
func (s *Stream) Next(ctx context.Context) (Event, error) {
	c, err := s.acquire()
	if err != nil {
		return Event{}, err
	}
	defer s.h.release()
	end, err := s.runs.begin(ctx)
	if err != nil {
		return Event{}, err
	}
	defer end()
	var event *C.nxs_event
	var e C.nxs_error
	status := C.nxs_stream_next(&event, c, &e)
	if err := check(status, &e); err != nil {
		return Event{}, because(err, failureOf(nil, s.drafter, status))
	}
	switch {
	case event == nil:
		return Event{}, io.EOF
	case event.flags&C.NXS_EVENT_END != 0 && ctx != nil && ctx.Err() != nil:
		return newEvent(event), cancelledBy(ctx, s.stop(c))
	}
	return newEvent(event), nil
}

// stop returns why the run has ended.
func (s *Stream) stop(c *C.nxs_stream) StopReason {
	var out *C.nxs_result
	if C.nxs_stream_result(&out, c, nil) != C.NXS_OK {
		return 0
	}
	defer C.nxs_result_close(out)
	return StopReason(C.nxs_result_stats(out).stop)
}

// Events iterates over the events that are left. An error is the last pair. Leaving the loop leaves the stream as it
// is: Result gives the tokens so far, another loop goes on.
func (s *Stream) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			event, err := s.Next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

// Result returns what has been pulled so far.
func (s *Stream) Result() (*Result, error) {
	c, err := s.acquire()
	if err != nil {
		return nil, err
	}
	defer s.h.release()
	var out *C.nxs_result
	var e C.nxs_error
	if err := check(C.nxs_stream_result(&out, c, &e), &e); err != nil {
		return nil, err
	}
	return newResult(out), nil
}
