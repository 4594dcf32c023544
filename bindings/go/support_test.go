// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"nxs"
)

var background = context.Background()

// modelFile returns the file that an environment variable names. Without it the test skips, and fails in CI.
func modelFile(t testing.TB, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s names no model", variable)
		}
		t.Skipf("SKIPPED: %s names no model", variable)
	}
	return path
}

// closing closes a handle when the test ends.
func closing[T interface{ Close() error }](t testing.TB, handle T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { handle.Close() })
	return handle
}

func openModel(t testing.TB, variable string) *nxs.Model {
	t.Helper()
	model, err := nxs.OpenModel(modelFile(t, variable), nil)
	return closing(t, model, err)
}

func tinyModel(t testing.TB) *nxs.Model { return openModel(t, "NXS_TINY_MODEL") }

// openSession makes a session with small pages and chunks, so that short prompts cross both.
func openSession(t testing.TB, model *nxs.Model) *nxs.Session {
	t.Helper()
	params := nxs.NewSessionParams()
	params.Threads, params.PageTokens, params.PrefillChunk = 2, 4, 7
	session, err := model.OpenSession(&params)
	return closing(t, session, err)
}

func newSeq(t testing.TB, session *nxs.Session) *nxs.Seq {
	t.Helper()
	seq, err := session.NewSeq()
	return closing(t, seq, err)
}

// tinySeq is a sequence on a session and model of its own.
func tinySeq(t testing.TB) *nxs.Seq {
	t.Helper()
	return newSeq(t, openSession(t, tinyModel(t)))
}

func maxNew(n int64) *nxs.DecodeParams {
	params := nxs.NewDecodeParams()
	params.MaxNew = n
	return &params
}

// randomPrompt is reproducible; numbers differ, prompts differ.
func randomPrompt(number uint64, n int) []nxs.Token {
	state := number*0x9E3779B97F4A7C15 + 1
	tokens := make([]nxs.Token, n)
	for i := range tokens {
		state = state*6364136223846793005 + 1442695040888963407
		tokens[i] = nxs.Token((state >> 33) % 300)
	}
	return tokens
}

func sameResult(t testing.TB, a, b *nxs.Result) {
	t.Helper()
	if !slices.Equal(a.Tokens(), b.Tokens()) || a.Text() != b.Text() {
		t.Fatalf("tokens differ: %v, %v", a.Tokens(), b.Tokens())
	}
	if a.Receipt() != b.Receipt() || len(a.Receipt()) != 34 {
		t.Fatalf("receipts differ: %q, %q", a.Receipt(), b.Receipt())
	}
	if a.Stats().Stop != b.Stats().Stop || a.Stats().Prompt != b.Stats().Prompt {
		t.Fatalf("stats differ: %+v, %+v", a.Stats(), b.Stats())
	}
}

// wantError checks status and message of an error.
func wantError(t testing.TB, err error, status nxs.Status, word string) {
	t.Helper()
	var e *nxs.Error
	if !errors.Is(err, status) || !errors.As(err, &e) || e.Status != status {
		t.Fatalf("%v, expected %v", err, status)
	}
	if !strings.Contains(e.Message, word) || !strings.Contains(err.Error(), e.Message) {
		t.Fatalf("%q does not say %q", err, word)
	}
}
