// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs

// #include "callback.h"
import "C"

import (
	"runtime/cgo"
	"sync/atomic"
	"unsafe"
)

// Drafter proposes tokens for verification: it changes the speed, never the output. One run at a time may use it.
type Drafter struct {
	h      *handle
	custom *customDrafter
}

// DraftFunc writes at most len(draft) tokens that may follow context and returns how many. Both slices are valid until
// it returns. An error ends the run with ErrCallback and that error.
type DraftFunc func(context, draft []Token) (n int, err error)

// customDrafter is what a cgo.Handle stands for.
type customDrafter struct {
	draft   DraftFunc
	failure atomic.Pointer[error] // of the last call
}

// takeFailure returns what went wrong in the drafter, once.
func (d *Drafter) takeFailure() error {
	if d == nil || d.custom == nil {
		return nil
	}
	if err := d.custom.failure.Swap(nil); err != nil {
		return *err
	}
	return nil
}

// NewLookup makes a drafter that looks the last tokens up in the text so far. params may be nil.
func NewLookup(params *LookupParams) (*Drafter, error) {
	var out *C.nxs_drafter
	var e C.nxs_error
	if err := check(C.nxs_drafter_lookup(&out, params.c(), &e), &e); err != nil {
		return nil, err
	}
	free := func(p unsafe.Pointer) { C.nxs_drafter_close((*C.nxs_drafter)(p)) }
	return own(unsafe.Pointer(out), free, func(h *handle) *Drafter { return &Drafter{h: h} }), nil
}

// NewDrafter makes a drafter of a function; draftMax is at most 256.
func NewDrafter(draft DraftFunc, draftMax uint32) (*Drafter, error) {
	if draft == nil {
		return nil, &Error{Status: ErrArgument, Message: "draft is nil"}
	}
	custom := &customDrafter{draft: draft}
	number := cgo.NewHandle(custom)
	var out *C.nxs_drafter
	var e C.nxs_error
	if err := check(C.nxs_go_drafter_custom(&out, C.uintptr_t(number), C.uint32_t(draftMax), &e), &e); err != nil {
		number.Delete()
		return nil, err
	}
	free := func(p unsafe.Pointer) {
		C.nxs_drafter_close((*C.nxs_drafter)(p))
		number.Delete()
	}
	return own(unsafe.Pointer(out), free, func(h *handle) *Drafter { return &Drafter{h, custom} }), nil
}

// acquire returns NULL, which stands for the default drafter, for a nil drafter.
func (d *Drafter) acquire() (*C.nxs_drafter, error) {
	if d == nil {
		return nil, nil
	}
	p, err := d.h.acquire()
	return (*C.nxs_drafter)(p), err
}

func (d *Drafter) release() {
	if d != nil {
		d.h.release()
	}
}

// AddText gives a lookup drafter more text to look in, after the sequence itself.
func (d *Drafter) AddText(tokens []Token) error {
	if d == nil {
		return ErrClosed
	}
	c, err := d.acquire()
	if err != nil {
		return err
	}
	defer d.release()
	var e C.nxs_error
	from, count := ids(tokens)
	return check(C.nxs_drafter_add_text(c, from, count, &e), &e)
}

// Close gives the drafter back, once the run or stream that uses it has ended. It always returns nil.
func (d *Drafter) Close() error {
	if d != nil {
		d.h.close()
	}
	return nil
}
