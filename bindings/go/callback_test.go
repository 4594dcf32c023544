// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"nxs"
)

var errMine = errors.New("mine")

func TestEvents(t *testing.T) {
	seq := tinySeq(t)
	var events []nxs.Event
	result, err := seq.SpecDecode(background, randomPrompt(2, 17), &nxs.RunOptions{Params: maxNew(20),
		OnEvent: func(e nxs.Event) error { events = append(events, e); return nil }})
	closing(t, result, err)
	var tokens []nxs.Token
	var drafted []bool
	text := ""
	for _, e := range events {
		if text += e.Text; e.Token >= 0 {
			tokens, drafted = append(tokens, e.Token), append(drafted, e.Flags&nxs.EventDrafted != 0)
		}
	}
	if !slices.Equal(tokens, result.Tokens()) || !slices.Equal(drafted, result.Drafted()) || text != result.Text() {
		t.Fatal("events and result differ")
	}
	if events[0].Flags != nxs.EventPrefill || events[0].Index != 7 || events[len(events)-1].Flags != nxs.EventEnd {
		t.Fatalf("%+v", events)
	}
}

func TestEventsMayEndARun(t *testing.T) {
	seq := tinySeq(t)
	after := func(n int, err error) func(nxs.Event) error {
		return func(e nxs.Event) error {
			if n--; n <= 0 {
				return err
			}
			return nil
		}
	}
	result, err := seq.SpecDecode(background, randomPrompt(2, 5), &nxs.RunOptions{OnEvent: after(6, nxs.Stop)})
	closing(t, result, err)
	if result.Stats().Stop != nxs.StopCancelled || len(result.Tokens()) != 5 {
		t.Fatalf("%+v", result.Stats())
	}
	before := seq.Len()
	_, err = seq.PlainDecode(background, nil, &nxs.RunOptions{OnEvent: after(3, errMine)})
	wantError(t, err, nxs.ErrCallback, "")
	if !errors.Is(err, errMine) || seq.Len() != before {
		t.Fatal(err, seq.Len())
	}
	_, err = seq.Vote(background, nil, &nxs.VoteOptions{OnEvent: after(9, errMine)})
	if wantError(t, err, nxs.ErrCallback, ""); !errors.Is(err, errMine) {
		t.Fatal(err)
	}
	vote, err := seq.Vote(background, nil, &nxs.VoteOptions{OnEvent: after(9, nxs.Stop)})
	closing(t, vote, err)
	if vote.Stats().Stop != nxs.StopCancelled {
		t.Fatal(vote.Stats())
	}
}

// wantPanic checks that a panic of a callback came out as an error.
func wantPanic(t *testing.T, err error) {
	t.Helper()
	wantError(t, err, nxs.ErrCallback, "")
	var p *nxs.PanicError
	if !errors.As(err, &p) || p.Value != errMine || !errors.Is(err, errMine) || !strings.Contains(string(p.Stack), "callback_test") {
		t.Fatal(err)
	}
}

func TestPanics(t *testing.T) {
	seq := tinySeq(t)
	prompt := randomPrompt(2, 9)
	events := &nxs.RunOptions{OnEvent: func(nxs.Event) error { panic(errMine) }}
	drafter, err := nxs.NewDrafter(func(_, _ []nxs.Token) (int, error) { panic(errMine) }, 4)
	closing(t, drafter, err)
	for range 3 {
		_, err := seq.PlainDecode(background, prompt, events)
		wantPanic(t, err)
		_, err = seq.SpecDecode(background, prompt, &nxs.RunOptions{Drafter: drafter})
		wantPanic(t, err)
		_, err = seq.Vote(background, prompt, &nxs.VoteOptions{OnEvent: events.OnEvent})
		wantPanic(t, err)
		stream, err := seq.Stream(prompt, &nxs.RunOptions{Drafter: drafter})
		closing(t, stream, err)
		var last error
		for _, last = range stream.Events(background) {
		}
		wantPanic(t, last)
		_, err = stream.Next(background)
		wantError(t, err, nxs.ErrCallback, "")
		stream.Close()
	}
	if seq.Len() != 0 {
		t.Fatal("a run that failed left something behind")
	}
	result, err := seq.SpecDecode(background, prompt, nil)
	closing(t, result, err)
}

func TestDrafterErrors(t *testing.T) {
	seq := tinySeq(t)
	for _, bad := range []struct {
		draft nxs.DraftFunc
		word  string
	}{
		{func(_, draft []nxs.Token) (int, error) { return len(draft) + 1, nil }, "impossible"},
		{func(_, _ []nxs.Token) (int, error) { return -3, nil }, "impossible"},
		{func(_, draft []nxs.Token) (int, error) { draft[0] = 1 << 20; return 1, nil }, "1048576"},
		{func(_, _ []nxs.Token) (int, error) { return 0, errMine }, "mine"},
	} {
		drafter, err := nxs.NewDrafter(bad.draft, 4)
		closing(t, drafter, err)
		_, err = seq.SpecDecode(background, randomPrompt(1, 4), &nxs.RunOptions{Drafter: drafter})
		if !errors.Is(err, nxs.ErrCallback) || !strings.Contains(err.Error(), bad.word) {
			t.Fatalf("%v does not say %q", err, bad.word)
		}
		wantError(t, drafter.AddText(randomPrompt(1, 3)), nxs.ErrArgument, "lookup")
	}
	lookup, err := nxs.NewLookup(nil)
	closing(t, lookup, err)
	if err := lookup.AddText(randomPrompt(1, 50)); err != nil {
		t.Fatal(err)
	}
	if err := lookup.AddText([]nxs.Token{9999}); err != nil {
		t.Fatal(err)
	}
	_, err = seq.SpecDecode(background, randomPrompt(1, 4), &nxs.RunOptions{Drafter: lookup})
	wantError(t, err, nxs.ErrArgument, "9999")
}

// A call from a callback of the same session is refused; one on another session is not.
func TestCallsFromCallbacks(t *testing.T) {
	seq, other := tinySeq(t), tinySeq(t)
	var inside, length, elsewhere error
	result, err := seq.SpecDecode(background, randomPrompt(1, 4), &nxs.RunOptions{OnEvent: func(nxs.Event) error {
		_, inside = seq.SpecDecode(background, randomPrompt(1, 4), nil)
		length = seq.Truncate(0)
		_, elsewhere = other.SpecDecode(background, randomPrompt(1, 4), &nxs.RunOptions{Params: maxNew(2)})
		seq.Len()
		return nxs.Stop
	}})
	closing(t, result, err)
	wantError(t, inside, nxs.ErrBusy, "session")
	wantError(t, length, nxs.ErrBusy, "session")
	if elsewhere != nil {
		t.Fatal(elsewhere)
	}
}
