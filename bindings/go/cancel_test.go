// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"nxs"
)

func endless() *nxs.DecodeParams {
	params := maxNew(-1)
	params.Flags = nxs.IgnoreStop
	return params
}

func TestContextCancelsARun(t *testing.T) {
	seq := tinySeq(t)
	for _, plain := range []bool{true, false} {
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		n := 0
		options := &nxs.RunOptions{Params: endless(), OnEvent: func(e nxs.Event) error {
			if n++; n == 10 {
				cancel()
				time.Sleep(50 * time.Millisecond) // the context's goroutine raises the flag meanwhile
			}
			return nil
		}}
		run := seq.SpecDecode
		if plain {
			run = seq.PlainDecode
		}
		result, err := run(ctx, randomPrompt(1, 4), options)
		if !errors.Is(err, context.Canceled) || result == nil || result.Stats().Stop != nxs.StopCancelled {
			t.Fatal(err, result.Stats())
		}
		if len(result.Tokens()) < 9 || len(result.Tokens()) > 40 {
			t.Fatal(len(result.Tokens()))
		}
		_, err = run(ctx, randomPrompt(1, 4), options)
		if !errors.Is(err, context.Canceled) {
			t.Fatal("a run with a context that had ended:", err)
		}
		// The flag is down again, and the tokens are in the sequence.
		result, err = run(background, nil, &nxs.RunOptions{Params: maxNew(3)})
		if err != nil || result.Stats().Stop == nxs.StopCancelled {
			t.Fatal(err, result.Stats())
		}
	}
}

func TestDeadline(t *testing.T) {
	seq := tinySeq(t)
	ctx, cancel := context.WithTimeout(background, 30*time.Millisecond)
	defer cancel()
	params := nxs.NewVoteParams()
	params.Samples = 64
	vote, err := seq.Vote(ctx, randomPrompt(1, 40), &nxs.VoteOptions{Params: endless(), Vote: &params,
		OnEvent: func(nxs.Event) error { time.Sleep(100 * time.Microsecond); return nil }})
	if !errors.Is(err, context.DeadlineExceeded) || vote.Stats().Stop != nxs.StopCancelled {
		t.Fatal(err, vote.Stats())
	}
	session := openSession(t, tinyModel(t))
	err = session.Forward(ctx, make([]float32, 320), nxs.Input{Seq: newSeq(t, session), Tokens: randomPrompt(1, 9)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

func TestSessionCancel(t *testing.T) {
	session := openSession(t, tinyModel(t))
	seq := newSeq(t, session)
	session.Cancel(true)
	for range 2 { // a context that ends does not lower the caller's flag
		ctx, cancel := context.WithTimeout(background, time.Hour)
		result, err := seq.SpecDecode(ctx, randomPrompt(1, 4), nil)
		if err != nil || result.Stats().Stop != nxs.StopCancelled || len(result.Tokens()) != 0 || seq.Len() != 0 {
			t.Fatal(err, result.Stats())
		}
		cancel()
	}
	err := session.Forward(background, make([]float32, 320), nxs.Input{Seq: seq, Tokens: randomPrompt(1, 9)})
	wantError(t, err, nxs.ErrCancelled, "")
	session.Cancel(false)
	result, err := seq.SpecDecode(background, randomPrompt(1, 4), &nxs.RunOptions{Params: endless(),
		OnEvent: func(e nxs.Event) error { session.Cancel(e.Index == 5); return nil }})
	closing(t, result, err)
	if n := len(result.Tokens()); result.Stats().Stop != nxs.StopCancelled || n < 6 {
		t.Fatal(result.Stats())
	}
}

func TestStreamCancelled(t *testing.T) {
	session := openSession(t, tinyModel(t))
	seq := newSeq(t, session)
	stream, err := seq.Stream(randomPrompt(1, 4), &nxs.RunOptions{Params: endless()})
	closing(t, stream, err)
	wantError(t, seq.Truncate(0), nxs.ErrBusy, "stream")
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	n := 0
	for _, err := range stream.Events(ctx) {
		if n++; n == 7 {
			cancel()
		}
		if err != nil && (n != 8 || !errors.Is(err, context.Canceled)) {
			t.Fatal(n, err)
		}
	}
	if n != 8 {
		t.Fatal(n)
	}
	for range stream.Events(background) { // leaving a loop leaves the stream where it is
		break
	}
	result, err := stream.Result()
	closing(t, result, err)
	if len(result.Tokens()) != 7 || result.Stats().Stop != 0 {
		t.Fatal(len(result.Tokens()), result.Stats())
	}
	session.Cancel(true)
	var last nxs.Event
	for event, err := range stream.Events(background) {
		if last = event; err != nil {
			t.Fatal(err)
		}
	}
	session.Cancel(false)
	if _, err := stream.Next(background); last.Flags != nxs.EventEnd || !errors.Is(err, io.EOF) {
		t.Fatal(last, err)
	}
	stream.Close()
	if err := seq.Truncate(0); err != nil {
		t.Fatal(err)
	}
}
