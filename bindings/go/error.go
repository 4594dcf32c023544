// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs

// #include <nxs.h>
import "C"

import (
	"errors"
	"fmt"
)

// Status says why a call failed. It is an error itself, so that errors.Is(err, nxs.ErrKVFull) works.
type Status int32

// The statuses, each with the meaning it has in nxs.h.
const (
	ErrInternal    Status = C.NXS_ERR_INTERNAL
	ErrArgument    Status = C.NXS_ERR_ARGUMENT
	ErrMemory      Status = C.NXS_ERR_MEMORY
	ErrBuffer      Status = C.NXS_ERR_BUFFER
	ErrBusy        Status = C.NXS_ERR_BUSY
	ErrForked      Status = C.NXS_ERR_FORKED
	ErrCancelled   Status = C.NXS_ERR_CANCELLED
	ErrUnsupported Status = C.NXS_ERR_UNSUPPORTED
	ErrIO          Status = C.NXS_ERR_IO
	ErrFormat      Status = C.NXS_ERR_FORMAT
	ErrUnencodable Status = C.NXS_ERR_UNENCODABLE
	ErrTemplate    Status = C.NXS_ERR_TEMPLATE
	ErrContext     Status = C.NXS_ERR_CONTEXT
	ErrKVFull      Status = C.NXS_ERR_KV_FULL
	ErrCallback    Status = C.NXS_ERR_CALLBACK
	ErrNumeric     Status = C.NXS_ERR_NUMERIC
	ErrNoAnswer    Status = C.NXS_ERR_NO_ANSWER
	ErrRange       Status = C.NXS_ERR_RANGE
	ErrSelfTest    Status = C.NXS_ERR_SELFTEST
)

// String returns the name that the status has in C, such as "NXS_ERR_KV_FULL".
func (s Status) String() string { return C.GoString(C.nxs_status_name(C.nxs_status(s))) }

// Error makes a Status an error.
func (s Status) Error() string { return s.String() }

// ErrClosed is what any call on a closed handle gives, one that is nil or a zero value included.
var ErrClosed = errors.New("nxs: the handle is closed")

// Error is a failed call: the status, the library's message, and what caused it where that came from Go (the error of
// a callback, of a context, a *PanicError).
type Error struct {
	Status  Status
	Message string
	Cause   error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("nxs: %s (%s)", e.Message, e.Status)
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap lets errors.Is find the status and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Status}
	}
	return []error{e.Status, e.Cause}
}

// PanicError is a panic in a callback, caught there.
type PanicError struct {
	Value any
	Stack []byte
}

func (p *PanicError) Error() string { return fmt.Sprintf("panic in a callback: %v", p.Value) }

// Unwrap returns the value if it was an error.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

func check(status C.nxs_status, e *C.nxs_error) error {
	if status == C.NXS_OK {
		return nil
	}
	return &Error{Status: Status(status), Message: C.GoString(&e.message[0])}
}

// because adds what happened on the Go side to an error of the library.
func because(err, cause error) error {
	var e *Error
	if cause == nil || !errors.As(err, &e) {
		return err
	}
	e.Cause = cause
	return e
}
