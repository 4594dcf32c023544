// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs_test

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nxs"
)

func TestLibrary(t *testing.T) {
	if nxs.Version() == "" || !strings.HasPrefix(nxs.BuildInfo(), "{") {
		t.Fatal(nxs.Version(), nxs.BuildInfo())
	}
	if digest, err := nxs.SelfTest(0); err != nil || len(digest) != 32 {
		t.Fatal(digest, err)
	}
	if _, err := nxs.SelfTest(99); !errors.Is(err, nxs.ErrArgument) {
		t.Fatal(err)
	}
	if nxs.KVTokens(10, 20, 3, 64) < 70 || nxs.KVTokens(-1, 0, 0, 64) != 0 {
		t.Fatal("KVTokens")
	}
	if answer, ok, err := nxs.Extract(nxs.ExtractLastInteger, "It is 1,042."); answer != "1042" || !ok || err != nil {
		t.Fatal(answer, ok, err)
	}
	if _, ok, err := nxs.Extract(nxs.ExtractBoxed, ""); ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, _, err := nxs.Extract(77, "1"); !errors.Is(err, nxs.ErrArgument) {
		t.Fatal(err)
	}
	if nxs.ErrKVFull.String() != "NXS_ERR_KV_FULL" || nxs.Status(-999).Error() == "" {
		t.Fatal("names of statuses")
	}
}

func TestModelErrors(t *testing.T) {
	_, err := nxs.OpenModel("/no/such/model.gguf", nil)
	wantError(t, err, nxs.ErrIO, "/no/such/model.gguf")
	_, err = nxs.OpenModel("a\x00b", nil)
	wantError(t, err, nxs.ErrArgument, "path")
	rubbish := filepath.Join(t.TempDir(), "rubbish.gguf")
	if err := os.WriteFile(rubbish, []byte("GGUF\x03\x00\x00\x00 and more that is none"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = nxs.OpenModel(rubbish, nil)
	wantError(t, err, nxs.ErrFormat, "")
	_, err = nxs.OpenModelMemory(nil, nil)
	if err == nil {
		t.Fatal("a model of no bytes")
	}
	path := modelFile(t, "NXS_TINY_MODEL")
	_, err = nxs.OpenModel(path, &nxs.ModelParams{MaxBytes: 1})
	wantError(t, err, nxs.ErrMemory, "1")
	_, err = nxs.OpenModel(path, &nxs.ModelParams{Threads: 5000})
	wantError(t, err, nxs.ErrArgument, "n_threads")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fromMemory, err := nxs.OpenModelMemory(data, nil)
	closing(t, fromMemory, err)
	if fromMemory.Digest() != tinyModel(t).Digest() || len(fromMemory.Digest()) != 32 {
		t.Fatal("the digest of a model from memory")
	}
}

func TestModel(t *testing.T) {
	model := tinyModel(t)
	info := model.Info()
	if info.Vocab == 0 || info.Layers == 0 || info.Context == 0 || info.WeightBytes == 0 {
		t.Fatalf("%+v", info)
	}
	if arch, ok := model.Metadata("general.architecture"); arch != "llama" || !ok {
		t.Fatal(arch, ok)
	}
	if _, ok := model.Metadata("no.such.key"); ok {
		t.Fatal("a key that is not there")
	}
	model.Notes()
	for _, text := range []string{"", "hello", strings.Repeat("long and longer ", 300), "é\x00\xf0\x9f\xa6\x99"} {
		tokens, err := model.Tokenize(text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := model.Detokenize(tokens, 0); back != text || err != nil {
			t.Fatalf("%q, %v", back, err)
		}
	}
	tokens, dropped, err := model.TokenizeDrop("abc", 0)
	if len(tokens) == 0 || dropped != 0 || err != nil {
		t.Fatal(tokens, dropped, err)
	}
	_, err = model.Tokenize("a", 1<<30)
	wantError(t, err, nxs.ErrUnsupported, "flags")
	_, err = model.Detokenize([]nxs.Token{-5}, 0)
	wantError(t, err, nxs.ErrArgument, "-5")
	end, err := model.Tokenize("<|im_end|>", nxs.TextSpecial)
	if err != nil || len(end) != 1 || !model.IsStop(end[0]) || model.IsStop(-1) {
		t.Fatal(end, err)
	}
	chat, err := model.ChatFormat([]nxs.Message{{"system", ""}, {"user", "a\x00b"}}, nxs.ChatReply)
	if err != nil || len(chat) < 4 {
		t.Fatal(chat, err)
	}
	_, err = model.ChatFormat([]nxs.Message{{"u\x00", ""}}, 0)
	wantError(t, err, nxs.ErrArgument, "role")
	_, err = model.ChatFormat(nil, 1<<30)
	if err == nil {
		t.Fatal("flags of a chat")
	}
	_, err = model.Sample(make([]float32, 3), 0, nil, nil)
	wantError(t, err, nxs.ErrArgument, "logits")
}

func TestArguments(t *testing.T) {
	model := tinyModel(t)
	wrong := nxs.NewSessionParams()
	wrong.PageTokens = 3
	_, err := model.OpenSession(&wrong)
	wantError(t, err, nxs.ErrArgument, "page_tokens")
	session := openSession(t, model)
	seq := newSeq(t, session)
	_, err = seq.SpecDecode(background, nil, nil)
	wantError(t, err, nxs.ErrArgument, "")
	_, err = seq.SpecDecode(background, []nxs.Token{-1}, nil)
	wantError(t, err, nxs.ErrArgument, "-1")
	hot := nxs.NewDecodeParams()
	hot.Temperature = float32(math.NaN())
	_, err = seq.PlainDecode(background, randomPrompt(1, 3), &nxs.RunOptions{Params: &hot})
	wantError(t, err, nxs.ErrArgument, "temperature")
	_, err = seq.PlainDecode(background, randomPrompt(1, 3), &nxs.RunOptions{Params: &nxs.DecodeParams{}})
	wantError(t, err, nxs.ErrArgument, "repeat_penalty")
	_, err = seq.SpecDecode(background, randomPrompt(1, 5000), nil)
	wantError(t, err, nxs.ErrContext, "5000")
	_, err = seq.Stream(randomPrompt(1, 3), &nxs.RunOptions{OnEvent: func(nxs.Event) error { return nil }})
	wantError(t, err, nxs.ErrArgument, "OnEvent")
	_, err = seq.Vote(background, randomPrompt(1, 3), &nxs.VoteOptions{Mode: 3})
	wantError(t, err, nxs.ErrArgument, "mode")
	_, err = seq.Vote(background, randomPrompt(1, 3), &nxs.VoteOptions{Vote: &nxs.VoteParams{}})
	wantError(t, err, nxs.ErrArgument, "n_samples")
	wantError(t, seq.Truncate(1), nxs.ErrArgument, "length")
	_, err = seq.Fork(9)
	wantError(t, err, nxs.ErrArgument, "length")
	_, err = nxs.NewDrafter(nil, 4)
	wantError(t, err, nxs.ErrArgument, "draft")
	_, err = nxs.NewDrafter(func(_, _ []nxs.Token) (int, error) { return 0, nil }, 1000)
	wantError(t, err, nxs.ErrArgument, "draft_max")
	_, err = nxs.NewLookup(&nxs.LookupParams{DraftMax: 999, NgramMax: 3, NgramMin: 2})
	wantError(t, err, nxs.ErrArgument, "draft_max")
	logits := make([]float32, model.Info().Vocab)
	wantError(t, session.Forward(background, logits[:3], nxs.Input{Seq: seq, Tokens: []nxs.Token{1}}), nxs.ErrBuffer, "3")
	wantError(t, session.Forward(background, logits), nxs.ErrArgument, "")
	wantError(t, session.Forward(background, logits, nxs.Input{Seq: seq}), nxs.ErrArgument, "")
	wantError(t, session.Forward(background, logits, nxs.Input{seq, []nxs.Token{1}, []bool{}}), nxs.ErrArgument, "want")
	wantError(t, session.Forward(background, logits, nxs.Input{Seq: tinySeq(t), Tokens: []nxs.Token{1}}), nxs.ErrArgument, "session")
	if seq.Len() != 0 {
		t.Fatal("a failed call left something behind")
	}
}

func TestFullPool(t *testing.T) {
	params := nxs.NewSessionParams()
	params.Threads, params.PageTokens, params.KVTokens = 1, 4, 16
	session, err := tinyModel(t).OpenSession(&params)
	closing(t, session, err)
	seq := newSeq(t, session)
	_, err = seq.SpecDecode(background, randomPrompt(1, 40), nil)
	wantError(t, err, nxs.ErrKVFull, "40")
	info, err := session.Info()
	if err != nil || info.KVTokens != 16 || info.KVTokensFree != 16 || info.Threads != 1 {
		t.Fatalf("%+v, %v", info, err)
	}
}

func TestSequences(t *testing.T) {
	seq := tinySeq(t)
	prompt := randomPrompt(4, 30)
	result, err := seq.SpecDecode(background, prompt, &nxs.RunOptions{Params: maxNew(10)})
	closing(t, result, err)
	tokens, err := seq.Tokens()
	if err != nil || !slices.Equal(tokens, append(prompt, result.Tokens()...)) {
		t.Fatal(tokens, err)
	}
	fork, err := seq.Fork(30)
	closing(t, fork, err)
	again, err := fork.PlainDecode(background, nil, &nxs.RunOptions{Params: maxNew(10)})
	closing(t, again, err)
	if !slices.Equal(again.Tokens(), result.Tokens()) {
		t.Fatal("a fork decodes something else")
	}
	if err := fork.Truncate(30); err != nil || fork.Len() != 30 {
		t.Fatal(err, fork.Len())
	}
	piece, err := fork.SpecDecode(background, nil, &nxs.RunOptions{Params: maxNew(1)})
	closing(t, piece, err)
	other := tinySeq(t)
	if err := other.AddStop(piece.Text()); err != nil {
		t.Fatal(err)
	}
	stopped, err := other.SpecDecode(background, prompt, &nxs.RunOptions{Params: maxNew(10)})
	closing(t, stopped, err)
	if stopped.Stats().Stop != nxs.StopText || stopped.Text() != "" || stopped.Stats().Stop.String() != "stop text" {
		t.Fatal(stopped.Stats(), stopped.Text())
	}
	scored := maxNew(5)
	scored.Flags = nxs.Logprobs | nxs.IgnoreStop
	result, err = other.SpecDecode(background, prompt, &nxs.RunOptions{Params: scored})
	closing(t, result, err)
	if n := len(result.Tokens()); len(result.Logprobs()) != n || len(result.Drafted()) != n {
		t.Fatal("lengths of a result")
	}
}

func TestVoteAnswers(t *testing.T) {
	seq := tinySeq(t)
	params := nxs.NewVoteParams()
	params.Samples, params.Extractor = 4, nxs.ExtractNone
	vote, err := seq.Vote(background, randomPrompt(3, 9), &nxs.VoteOptions{Params: maxNew(3), Vote: &params})
	closing(t, vote, err)
	_, err = vote.WinnerInt64()
	wantError(t, err, nxs.ErrNoAnswer, "")
	if _, ok := vote.Winner(); ok || vote.Sample(4) != nil || vote.Sample(-1) != nil || vote.Sample(1<<40) != nil {
		t.Fatal("answers and samples that are not there")
	}
	for i, answer := range []string{"5", "7", "5", "7"} {
		if err := vote.SetAnswer(i, answer); err != nil {
			t.Fatal(err)
		}
	}
	if winner, err := vote.WinnerInt64(); winner != 5 || err != nil || !vote.Tie() || vote.Skipped() != 0 {
		t.Fatal(winner, err)
	}
	if err := vote.ClearAnswer(0); err != nil {
		t.Fatal(err)
	}
	if winner, ok := vote.Winner(); winner != "7" || !ok || !slices.Equal(vote.Answers(), []nxs.Answer{{"7", 2}, {"5", 1}}) {
		t.Fatal(winner, vote.Answers())
	}
	if _, ok := vote.SampleAnswer(0); ok {
		t.Fatal("an answer that was taken away")
	}
	if answer, ok := vote.SampleAnswer(1); answer != "7" || !ok {
		t.Fatal(answer)
	}
	for i := range 4 {
		vote.SetAnswer(i, "9223372036854775808")
	}
	_, err = vote.WinnerInt64()
	wantError(t, err, nxs.ErrRange, "9223372036854775808")
	wantError(t, vote.SetAnswer(4, "1"), nxs.ErrArgument, "sample")
	wantError(t, vote.SetAnswer(1<<33, "1"), nxs.ErrArgument, "sample")
	wantError(t, vote.SetAnswer(0, "\x00"), nxs.ErrArgument, "answer")
}

func TestClosedHandles(t *testing.T) {
	model, err := nxs.OpenModel(modelFile(t, "NXS_TINY_MODEL"), nil)
	if err != nil {
		t.Fatal(err)
	}
	session := openSession(t, model)
	seq, stream := newSeq(t, session), (*nxs.Stream)(nil)
	result, err := seq.SpecDecode(background, randomPrompt(1, 3), nil)
	closing(t, result, err)
	vote, err := newSeq(t, session).Vote(background, randomPrompt(1, 3), &nxs.VoteOptions{Params: maxNew(2)})
	closing(t, vote, err)
	sample := vote.Sample(0)
	stream, err = newSeq(t, session).Stream(randomPrompt(1, 3), nil)
	closing(t, stream, err)
	drafter, err := nxs.NewLookup(nil)
	closing(t, drafter, err)
	for _, handle := range []io.Closer{model, session, seq, result, vote, sample, stream, drafter} {
		for range 2 {
			if err := handle.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	closedEverywhere(t, model, session, seq, stream, drafter, vote)
	closedEverywhere(t, nil, nil, nil, nil, nil, nil)
	closedEverywhere(t, &nxs.Model{}, &nxs.Session{}, &nxs.Seq{}, &nxs.Stream{}, &nxs.Drafter{}, &nxs.Vote{})
	for _, r := range []*nxs.Result{result, sample, nil} {
		if r.Tokens() != nil || r.Text() != "" || r.Receipt() != "" || r.Stats() != (nxs.Stats{}) || r.Drafted() != nil {
			t.Fatal("a closed result says something")
		}
	}
}

func closedEverywhere(t *testing.T, model *nxs.Model, session *nxs.Session, seq *nxs.Seq, stream *nxs.Stream,
	drafter *nxs.Drafter, vote *nxs.Vote) {
	t.Helper()
	var errs []error
	note := func(_ any, err error) { errs = append(errs, err) }
	note(model.Tokenize("a", 0))
	note(model.Detokenize(nil, 0))
	note(model.ChatFormat(nil, 0))
	note(model.OpenSession(nil))
	note(model.Sample(nil, 0, nil, nil))
	note(session.NewSeq())
	note(session.Info())
	note(nil, session.Forward(background, nil))
	note(seq.Fork(-1))
	note(seq.Tokens())
	note(nil, seq.Truncate(0))
	note(nil, seq.AddStop("a"))
	note(seq.PlainDecode(background, nil, nil))
	note(seq.SpecDecode(background, nil, nil))
	note(seq.Stream(nil, nil))
	note(seq.Vote(background, nil, nil))
	note(stream.Next(background))
	note(stream.Result())
	note(nil, drafter.AddText(nil))
	note(vote.WinnerInt64())
	note(nil, vote.SetAnswer(0, "1"))
	for i, err := range errs {
		if !errors.Is(err, nxs.ErrClosed) {
			t.Fatalf("call %d on a closed handle: %v", i, err)
		}
	}
	session.Cancel(true)
	if model.Digest() != "" || model.Info() != (nxs.ModelInfo{}) || model.IsStop(0) || model.Notes() != nil ||
		seq.Len() != 0 || vote.Samples() != 0 || vote.Sample(0) != nil || vote.Answers() != nil || vote.Receipt() != "" {
		t.Fatal("a closed handle says something")
	}
	for event, err := range stream.Events(background) {
		if !errors.Is(err, nxs.ErrClosed) {
			t.Fatal(event, err)
		}
	}
}
