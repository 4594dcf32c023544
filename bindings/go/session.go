// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs

// #include <nxs.h>
import "C"

import (
	"context"
	"sync"
	"unsafe"
)

// Session holds threads, pages and scratch memory over one model.
type Session struct {
	h    *handle
	runs *runs
}

// SessionInfo says what a session has and uses.
type SessionInfo struct {
	Threads    uint32
	ISA        ISA
	PageTokens uint32
	Context    int64
	// Tokens in the page pool: its size now, what is free now, and the most that was ever in use.
	KVTokens, KVTokensFree, KVTokensPeak int64
	KVBytes, ScratchBytes                int64 // resident memory
}

// OpenSession opens a session, which keeps the model's memory alive. params may be nil.
func (m *Model) OpenSession(params *SessionParams) (*Session, error) {
	c, err := m.acquire()
	if err != nil {
		return nil, err
	}
	defer m.h.release()
	var out *C.nxs_session
	var e C.nxs_error
	if err := check(C.nxs_session_open(&out, c, params.c(), &e), &e); err != nil {
		return nil, err
	}
	free := func(p unsafe.Pointer) { C.nxs_session_close((*C.nxs_session)(p)) }
	return own(unsafe.Pointer(out), free, func(h *handle) *Session { return &Session{h, &runs{session: out}} }), nil
}

// Close gives the session back when its last sequence is closed too. It always returns nil.
func (s *Session) Close() error {
	if s != nil {
		s.h.close()
	}
	return nil
}

func (s *Session) acquire() (*C.nxs_session, error) {
	if s == nil {
		return nil, ErrClosed
	}
	p, err := s.h.acquire()
	return (*C.nxs_session)(p), err
}

// Info says what the session has and uses.
func (s *Session) Info() (SessionInfo, error) {
	c, err := s.acquire()
	if err != nil {
		return SessionInfo{}, err
	}
	defer s.h.release()
	i := C.nxs_session_info{struct_size: C.sizeof_nxs_session_info}
	var e C.nxs_error
	if err := check(C.nxs_session_get_info(&i, c, &e), &e); err != nil {
		return SessionInfo{}, err
	}
	return SessionInfo{Threads: uint32(i.n_threads), ISA: ISA(i.isa), PageTokens: uint32(i.page_tokens),
		Context: int64(i.n_ctx), KVTokens: int64(i.kv_tokens), KVTokensFree: int64(i.kv_tokens_free),
		KVTokensPeak: int64(i.kv_tokens_peak), KVBytes: int64(i.kv_bytes), ScratchBytes: int64(i.scratch_bytes)}, nil
}

// Cancel raises (true) or lowers (false) the session's cancel flag. While it is up, runs end with StopCancelled within
// one forward, and Forward fails with ErrCancelled. A context does the same for one call.
func (s *Session) Cancel(on bool) {
	if _, err := s.acquire(); err == nil {
		s.runs.cancel(on)
		s.h.release()
	}
}

// runs joins the two reasons for a session's cancel flag: the caller's wish, and the context of the call inside.
type runs struct {
	session *C.nxs_session // open as long as the session or one of its sequences is
	inside  sync.Mutex     // held by the call that a context may cancel

	mu             sync.Mutex
	byUser, byCall bool
}

func (r *runs) cancel(on bool) { r.raise(func() { r.byUser = on }) }

func (r *runs) raise(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	flag := C.int32_t(0)
	if r.byUser || r.byCall {
		flag = 1
	}
	C.nxs_session_cancel(r.session, flag)
}

// begin lets ctx cancel the call that follows; end must be called after it. Only one such call is inside at a time, so
// that a context never cancels somebody else's.
func (r *runs) begin(ctx context.Context) (end func(), err error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !r.inside.TryLock() {
		return nil, &Error{Status: ErrBusy, Message: "the session is inside another call"}
	}
	if ctx.Done() == nil {
		return r.inside.Unlock, nil
	}
	raised := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		r.raise(func() { r.byCall = true })
		close(raised)
	})
	return func() {
		if !stop() {
			<-raised
			r.raise(func() { r.byCall = false })
		}
		r.inside.Unlock()
	}, nil
}
