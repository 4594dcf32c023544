// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs

import (
	"runtime"
	"sync"
	"unsafe"
)

// handle owns one object of the library. C may close a handle during a call, but not before one; so calls are counted
// here, and the last of them closes what was closed meanwhile.
type handle struct {
	mu     sync.Mutex
	ptr    unsafe.Pointer
	users  int
	closed bool
	free   func(unsafe.Pointer)
}

// own makes a handle whose object is closed when outer, the exported value around it, is no longer reachable.
func own[T any](ptr unsafe.Pointer, free func(unsafe.Pointer), wrap func(*handle) *T) *T {
	h := &handle{ptr: ptr, free: free}
	outer := wrap(h)
	runtime.AddCleanup(outer, func(h *handle) { h.close() }, h)
	return outer
}

// acquire keeps the object open until release.
func (h *handle) acquire() (unsafe.Pointer, error) {
	if h == nil {
		return nil, ErrClosed
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	h.users++
	return h.ptr, nil
}

// retain is acquire for one who holds the object already: it also works after Close.
func (h *handle) retain() {
	h.mu.Lock()
	h.users++
	h.mu.Unlock()
}

func (h *handle) release() {
	h.mu.Lock()
	h.users--
	h.unlockAndFree()
}

func (h *handle) close() {
	if h == nil {
		return
	}
	h.mu.Lock()
	h.closed = true
	h.unlockAndFree()
}

// unlockAndFree gives the object back once it is closed and nobody uses it.
func (h *handle) unlockAndFree() {
	ptr := h.ptr
	last := h.closed && h.users == 0 && ptr != nil
	if last {
		h.ptr = nil
	}
	h.mu.Unlock()
	if last {
		h.free(ptr)
	}
}
