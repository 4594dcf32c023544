// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs

// #include <nxs.h>
import "C"

import (
	"errors"
	"runtime/cgo"
	"runtime/debug"
	"unsafe"
)

// EventFlags say what an event is about.
type EventFlags uint32

// The flags of an event; none: a token that the model's own row chose.
const (
	EventDrafted EventFlags = C.NXS_EVENT_DRAFTED // the token was drafted and accepted
	EventPrefill EventFlags = C.NXS_EVENT_PREFILL // a chunk of the prompt was taken in
	EventEnd     EventFlags = C.NXS_EVENT_END     // the run has ended
)

// Event is what a run tells: once per prefill chunk, once per emitted token, and once at its end.
type Event struct {
	Sample int32 // of a vote; 0 in a single run
	Index  int64 // of the token in its run; of the prompt's tokens those in the cache (EventPrefill); tokens emitted (EventEnd)
	Token  Token // -1 in EventPrefill and EventEnd
	Flags  EventFlags
	Text   string // UTF-8 characters that this token completed, and bytes that are in none; at the end the unfinished rest
	Piece  string // this token's own bytes
}

// Stop ends a run from an OnEvent callback: the tokens so far are kept, with StopCancelled.
var Stop = errors.New("nxs: stop the run")

func newEvent(e *C.nxs_event) Event {
	return Event{Sample: int32(e.sample), Index: int64(e.index), Token: Token(e.token), Flags: EventFlags(e.flags),
		Text: C.GoStringN(e.text, C.int(e.text_len)), Piece: C.GoStringN(e.piece, C.int(e.piece_len))}
}

// watcher carries a callback through C, and what went wrong in it back.
type watcher struct {
	onEvent func(Event) error
	failure error
}

// watch returns the number that C passes on to nxsGoEvent, 0 without a callback; done must be called after the run.
func watch(onEvent func(Event) error) (w *watcher, number C.uintptr_t, done func()) {
	w = &watcher{onEvent: onEvent}
	if onEvent == nil {
		return w, 0, func() {}
	}
	h := cgo.NewHandle(w)
	return w, C.uintptr_t(h), h.Delete
}

// guarded runs user code that C waits for: a panic must not pass through C.
func guarded(code func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return code()
}

//export nxsGoEvent
func nxsGoEvent(number C.uintptr_t, event *C.nxs_event) C.int32_t {
	w := cgo.Handle(number).Value().(*watcher)
	if w.failure != nil {
		return -1 // it has failed, and is not called again
	}
	err := guarded(func() error { return w.onEvent(newEvent(event)) })
	switch {
	case err == nil:
		return 0
	case err == Stop: // not errors.Is: a wrapped one is somebody's failure
		return 1
	}
	w.failure = err
	return -1
}

//export nxsGoDraft
func nxsGoDraft(number C.uintptr_t, context *C.int32_t, length C.size_t, draft *C.int32_t, capacity C.size_t) C.int32_t {
	d := cgo.Handle(number).Value().(*customDrafter)
	n := 0
	err := guarded(func() (err error) {
		before := unsafe.Slice((*Token)(unsafe.Pointer(context)), int(length))
		n, err = d.draft(before, unsafe.Slice((*Token)(unsafe.Pointer(draft)), int(capacity)))
		if err == nil && (n < 0 || n > int(capacity)) {
			err = errors.New("nxs: a drafter returned an impossible number of tokens")
		}
		return err
	})
	if err != nil {
		d.failure.Store(&err)
		return -1
	}
	return C.int32_t(n)
}
