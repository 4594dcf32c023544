// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs

// #include <stdlib.h>
// #include <nxs.h>
import "C"

import (
	"strings"
	"unsafe"
)

// TextFlags of Tokenize and Detokenize.
type TextFlags uint32

// The flags of text.
const (
	TextSpecial TextFlags = C.NXS_TEXT_SPECIAL // control tokens in the text are that; Detokenize writes them out
	TextBOS     TextFlags = C.NXS_TEXT_BOS     // put the model's begin token first, if it asks for one
	TextDrop    TextFlags = C.NXS_TEXT_DROP    // leave unencodable bytes out instead of failing
)

// Tokenize returns the tokens of a text. With TextDrop, TokenizeDrop says how many bytes were left out.
func (m *Model) Tokenize(text string, flags TextFlags) ([]Token, error) {
	tokens, _, err := m.tokenize(text, flags)
	return tokens, err
}

// TokenizeDrop is Tokenize with TextDrop, and the number of bytes that the vocabulary could not express.
func (m *Model) TokenizeDrop(text string, flags TextFlags) (tokens []Token, dropped int, err error) {
	return m.tokenize(text, flags|TextDrop)
}

func (m *Model) tokenize(text string, flags TextFlags) ([]Token, int, error) {
	c, err := m.acquire()
	if err != nil {
		return nil, 0, err
	}
	defer m.h.release()
	var dropped C.size_t
	data, size := chars(text)
	tokens, err := grown(len(text)/2+16, func(out []Token, n *C.size_t, e *C.nxs_error) C.nxs_status {
		to, capacity := ids(out)
		return C.nxs_tokenize(to, capacity, n, &dropped, c, data, size, C.uint32_t(flags), e)
	})
	return tokens, int(dropped), err
}

// Detokenize returns the bytes of tokens; the last one may end inside a UTF-8 character.
func (m *Model) Detokenize(tokens []Token, flags TextFlags) (string, error) {
	c, err := m.acquire()
	if err != nil {
		return "", err
	}
	defer m.h.release()
	from, count := ids(tokens)
	text, err := grown(8*len(tokens)+16, func(out []byte, n *C.size_t, e *C.nxs_error) C.nxs_status {
		to := (*C.char)(unsafe.Pointer(unsafe.SliceData(out)))
		return C.nxs_detokenize(to, C.size_t(len(out)), n, c, from, count, C.uint32_t(flags), e)
	})
	return string(text), err
}

// IsStop says whether the token ends a run.
func (m *Model) IsStop(token Token) bool {
	c, err := m.acquire()
	if err != nil {
		return false
	}
	defer m.h.release()
	return C.nxs_token_is_stop(c, C.int32_t(token)) != 0
}

// Message is one turn of a chat. Role is "system", "user", "assistant" or what the model's template knows.
type Message struct{ Role, Content string }

// ChatFlags of ChatFormat.
type ChatFlags uint32

// The flags of a chat.
const (
	ChatReply    ChatFlags = C.NXS_CHAT_REPLY    // end with the opening of an assistant turn
	ChatContinue ChatFlags = C.NXS_CHAT_CONTINUE // the sequence ends with a reply: give only what comes after it
)

// ChatFormat renders messages as the model's own template does.
func (m *Model) ChatFormat(messages []Message, flags ChatFlags) ([]Token, error) {
	c, err := m.acquire()
	if err != nil {
		return nil, err
	}
	defer m.h.release()
	list, free, err := cMessages(messages)
	if err != nil {
		return nil, err
	}
	defer free()
	return grown(256, func(out []Token, n *C.size_t, e *C.nxs_error) C.nxs_status {
		to, capacity := ids(out)
		return C.nxs_chat_format(to, capacity, n, c, list, C.size_t(len(messages)), C.uint32_t(flags), e)
	})
}

// cMessages copies messages into C memory: structs that hold pointers may not lie in Go's.
func cMessages(messages []Message) (list *C.nxs_message, free func(), err error) {
	if len(messages) == 0 {
		return nil, func() {}, nil
	}
	var blocks []unsafe.Pointer
	free = func() {
		for _, p := range blocks {
			C.free(p)
		}
	}
	list = (*C.nxs_message)(C.calloc(C.size_t(len(messages)), C.sizeof_nxs_message))
	blocks = append(blocks, unsafe.Pointer(list))
	for i := range messages {
		to := &unsafe.Slice(list, len(messages))[i]
		if strings.IndexByte(messages[i].Role, 0) >= 0 {
			free()
			return nil, nil, &Error{Status: ErrArgument, Message: "a role contains a NUL byte"}
		}
		to.role = C.CString(messages[i].Role)
		to.content = C.CString(messages[i].Content)
		to.content_len = C.size_t(len(messages[i].Content))
		blocks = append(blocks, unsafe.Pointer(to.role), unsafe.Pointer(to.content))
	}
	return list, free, nil
}

// Sample returns the token that a run with these parameters would choose from a row of logits to stand at index
// position of its sequence: for loops over Forward. context holds the tokens right before position; only a repeat
// penalty looks at them.
func (m *Model) Sample(logits []float32, position int64, context []Token, params *DecodeParams) (Token, error) {
	c, err := m.acquire()
	if err != nil {
		return 0, err
	}
	defer m.h.release()
	if vocab := int(C.nxs_model_get_info(c).n_vocab); len(logits) != vocab {
		return 0, &Error{Status: ErrArgument, Message: "logits is not one row of the vocabulary"}
	}
	var token C.int32_t
	var e C.nxs_error
	before, count := ids(context)
	status := C.nxs_sample(&token, c, (*C.float)(unsafe.SliceData(logits)), C.int64_t(position), before, count,
		params.c(), &e)
	return Token(token), check(status, &e)
}
