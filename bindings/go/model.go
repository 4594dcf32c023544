// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs

// #include <stdlib.h>
// #include <nxs.h>
import "C"

import (
	"strings"
	"unsafe"
)

// Model is an open model file: immutable, shared by any number of goroutines and sessions.
type Model struct{ h *handle }

// ModelInfo describes a model.
type ModelInfo struct {
	Vocab, Layers, Embd, Heads, HeadsKV uint32
	Context                             int64 // tokens that the model was trained for
	WeightBytes                         int64
	KVBytesPerToken                     int64 // with F16 keys and values
	StepBytes                           int64 // weights that one decoding step reads
}

func newModel(c *C.nxs_model) *Model {
	free := func(p unsafe.Pointer) { C.nxs_model_close((*C.nxs_model)(p)) }
	return own(unsafe.Pointer(c), free, func(h *handle) *Model { return &Model{h} })
}

func (p *ModelParams) c() *C.nxs_model_params {
	if p == nil {
		return nil
	}
	return &C.nxs_model_params{struct_size: C.sizeof_nxs_model_params, n_threads: C.uint32_t(p.Threads),
		max_bytes: C.int64_t(p.MaxBytes)}
}

// OpenModel reads, checks and packs a GGUF file, which is not needed afterwards. params may be nil.
func OpenModel(path string, params *ModelParams) (*Model, error) {
	if strings.IndexByte(path, 0) >= 0 {
		return nil, &Error{Status: ErrArgument, Message: "path contains a NUL byte"}
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var out *C.nxs_model
	var e C.nxs_error
	if err := check(C.nxs_model_open(&out, name, params.c(), &e), &e); err != nil {
		return nil, err
	}
	return newModel(out), nil
}

// OpenModelMemory is OpenModel on bytes, which are copied.
func OpenModelMemory(data []byte, params *ModelParams) (*Model, error) {
	var out *C.nxs_model
	var e C.nxs_error
	status := C.nxs_model_open_memory(&out, unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data)), params.c(), &e)
	if err := check(status, &e); err != nil {
		return nil, err
	}
	return newModel(out), nil
}

func (m *Model) acquire() (*C.nxs_model, error) {
	if m == nil {
		return nil, ErrClosed
	}
	p, err := m.h.acquire()
	return (*C.nxs_model)(p), err
}

// Close gives the model back; sessions on it go on. It always returns nil.
func (m *Model) Close() error {
	if m != nil {
		m.h.close()
	}
	return nil
}

// Info describes the model; all zero once it is closed.
func (m *Model) Info() ModelInfo {
	c, err := m.acquire()
	if err != nil {
		return ModelInfo{}
	}
	defer m.h.release()
	i := C.nxs_model_get_info(c)
	return ModelInfo{Vocab: uint32(i.n_vocab), Layers: uint32(i.n_layers), Embd: uint32(i.n_embd),
		Heads: uint32(i.n_heads), HeadsKV: uint32(i.n_heads_kv), Context: int64(i.n_ctx),
		WeightBytes: int64(i.weight_bytes), KVBytesPerToken: int64(i.kv_bytes_per_token),
		StepBytes: int64(i.step_bytes)}
}

// Metadata returns a string value of the file, such as that of "general.name".
func (m *Model) Metadata(key string) (value string, ok bool) {
	c, err := m.acquire()
	if err != nil || strings.IndexByte(key, 0) >= 0 {
		return "", false
	}
	defer m.h.release()
	name := C.CString(key)
	defer C.free(unsafe.Pointer(name))
	text := C.nxs_model_string(c, name)
	return C.GoString(text), text != nil
}

// Notes returns what a log would have said while the model was opened.
func (m *Model) Notes() []string {
	c, err := m.acquire()
	if err != nil {
		return nil
	}
	defer m.h.release()
	var notes []string
	for i := C.size_t(0); ; i++ {
		note := C.nxs_model_note(c, i)
		if note == nil {
			return notes
		}
		notes = append(notes, C.GoString(note))
	}
}

// Digest identifies weights, vocabulary and hyper-parameters: 32 hex digits, "" once the model is closed.
func (m *Model) Digest() string {
	c, err := m.acquire()
	if err != nil {
		return ""
	}
	defer m.h.release()
	return C.GoString(C.nxs_model_digest(c))
}
