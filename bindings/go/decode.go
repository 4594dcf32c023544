// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs

// #include "callback.h"
import "C"

import (
	"context"
)

// RunOptions of a run; nil means the defaults.
type RunOptions struct {
	Params  *DecodeParams // nil = defaults
	Drafter *Drafter      // nil = prompt lookup with defaults; plain decoding has none
	// OnEvent is told of each event while the call lasts. Returning Stop ends the run and keeps its tokens; any other
	// error fails the call with ErrCallback and that error. Streams have none.
	OnEvent func(Event) error
}

// PlainDecode appends the prompt and decodes one token per forward: what SpecDecode must equal.
func (q *Seq) PlainDecode(ctx context.Context, prompt []Token, options *RunOptions) (*Result, error) {
	return q.decode(ctx, prompt, options, true)
}

// SpecDecode gives the tokens and the receipt of PlainDecode, faster: drafts are verified several tokens at a time.
// With an empty prompt it goes on from what the sequence holds.
func (q *Seq) SpecDecode(ctx context.Context, prompt []Token, options *RunOptions) (*Result, error) {
	return q.decode(ctx, prompt, options, false)
}

func (q *Seq) decode(ctx context.Context, prompt []Token, options *RunOptions, plain bool) (*Result, error) {
	if options == nil {
		options = &RunOptions{}
	}
	c, err := q.acquire()
	if err != nil {
		return nil, err
	}
	defer q.h.release()
	drafter, err := options.Drafter.acquire()
	if err != nil {
		return nil, err
	}
	defer options.Drafter.release()
	end, err := q.runs.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	w, number, done := watch(options.OnEvent)
	defer done()

	var out *C.nxs_result
	var e C.nxs_error
	var status C.nxs_status
	from, count := ids(prompt)
	if plain {
		status = C.nxs_go_plain_decode(&out, c, from, count, options.Params.c(), number, &e)
	} else {
		status = C.nxs_go_spec_decode(&out, c, from, count, options.Params.c(), drafter, number, &e)
	}
	if err := check(status, &e); err != nil {
		return nil, because(err, failureOf(w, options.Drafter, status))
	}
	r := newResult(out)
	return r, cancelledBy(ctx, r.Stats().Stop)
}

// failureOf returns what a callback of this run failed with.
func failureOf(w *watcher, d *Drafter, status C.nxs_status) error {
	switch {
	case status != C.NXS_ERR_CALLBACK:
		return nil
	case w != nil && w.failure != nil:
		return w.failure
	}
	return d.takeFailure()
}

// cancelledBy returns the context's error if it is what ended the run.
func cancelledBy(ctx context.Context, stop StopReason) error {
	if ctx == nil || stop != StopCancelled {
		return nil
	}
	return ctx.Err()
}
