// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs_test

import (
	"fmt"
	"testing"

	"nxs"
)

// prompts returns a few for a model: random tokens for a tiny one, chats for a real one.
func prompts(t *testing.T, model *nxs.Model, real bool) [][]nxs.Token {
	if !real {
		return [][]nxs.Token{randomPrompt(1, 3), randomPrompt(2, 40), randomPrompt(3, 130)}
	}
	var list [][]nxs.Token
	for _, text := range []string{
		"Repeat these words three times: red green blue yellow.",
		"A farmer has 17 sheep and buys 25 more. How many sheep has he?",
	} {
		tokens, err := model.ChatFormat([]nxs.Message{{Role: "user", Content: text}}, nxs.ChatReply)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, tokens)
	}
	return list
}

// onModels runs a test on the tiny model and, where there is one, on the real one.
func onModels(t *testing.T, test func(t *testing.T, model *nxs.Model, prompts [][]nxs.Token)) {
	for _, variable := range []string{"NXS_TINY_MODEL", "NXS_TEST_MODEL"} {
		t.Run(variable, func(t *testing.T) {
			model := openModel(t, variable)
			test(t, model, prompts(t, model, variable == "NXS_TEST_MODEL"))
		})
	}
}

// settings are greedy and sampled; short on a real model, whose time is the test's.
func settings(model *nxs.Model) []*nxs.DecodeParams {
	n := int64(48)
	if model.Info().WeightBytes > 1<<24 {
		n = 16
	}
	greedy, sampled := maxNew(n), maxNew(n)
	sampled.Temperature, sampled.TopK, sampled.Seed, sampled.RepeatPenalty = 0.8, 40, 7, 1.1
	return []*nxs.DecodeParams{greedy, sampled}
}

// drafters returns the default one (nil), lookups of other sizes and one that guesses.
func drafters(t *testing.T) map[string]*nxs.Drafter {
	eager := nxs.LookupParams{DraftMax: 8, NgramMax: 4, NgramMin: 1}
	none := nxs.LookupParams{DraftMax: 0, NgramMax: 3, NgramMin: 2}
	list := map[string]*nxs.Drafter{"default": nil}
	for name, params := range map[string]*nxs.LookupParams{"eager": &eager, "none": &none} {
		drafter, err := nxs.NewLookup(params)
		list[name] = closing(t, drafter, err)
	}
	guess, err := nxs.NewDrafter(func(context, draft []nxs.Token) (int, error) {
		return copy(draft, context[:len(context)/2]), nil
	}, 5)
	list["guess"] = closing(t, guess, err)
	return list
}

func TestPlainEqualsSpeculative(t *testing.T) {
	onModels(t, func(t *testing.T, model *nxs.Model, prompts [][]nxs.Token) {
		one := nxs.NewSessionParams()
		one.Threads, one.PrefillChunk = 1, 64
		other, err := model.OpenSession(&one)
		closing(t, other, err)
		sessions := []*nxs.Session{openSession(t, model), other}
		for i, prompt := range prompts {
			for j, params := range settings(model) {
				plain, err := newSeq(t, sessions[0]).PlainDecode(background, prompt, &nxs.RunOptions{Params: params})
				closing(t, plain, err)
				for name, drafter := range drafters(t) {
					for k, session := range sessions {
						seq := newSeq(t, session)
						options := &nxs.RunOptions{Params: params, Drafter: drafter}
						spec, err := seq.SpecDecode(background, prompt, options)
						closing(t, spec, err)
						sameResult(t, plain, spec)
						if want := int64(len(prompt) + len(spec.Tokens())); seq.Len() != want {
							t.Fatalf("prompt %d, params %d, %s, session %d: the sequence has %d, not %d",
								i, j, name, k, seq.Len(), want)
						}
						seq.Close()
					}
				}
			}
		}
	})
}

func TestStreamEqualsPlain(t *testing.T) {
	onModels(t, func(t *testing.T, model *nxs.Model, prompts [][]nxs.Token) {
		session := openSession(t, model)
		for _, prompt := range prompts {
			options := &nxs.RunOptions{Params: settings(model)[0]}
			plain, err := newSeq(t, session).PlainDecode(background, prompt, options)
			closing(t, plain, err)
			stream, err := newSeq(t, session).Stream(prompt, options)
			closing(t, stream, err)
			text, tokens := "", []nxs.Token{}
			for event, err := range stream.Events(background) {
				if err != nil {
					t.Fatal(err)
				}
				if text += event.Text; event.Token >= 0 {
					tokens = append(tokens, event.Token)
				}
			}
			pulled, err := stream.Result()
			closing(t, pulled, err)
			sameResult(t, plain, pulled)
			if text != plain.Text() || fmt.Sprint(tokens) != fmt.Sprint(plain.Tokens()) {
				t.Fatalf("events give %q, the result %q", text, plain.Text())
			}
		}
	})
}

func TestVoteModesAreEqual(t *testing.T) {
	onModels(t, func(t *testing.T, model *nxs.Model, prompts [][]nxs.Token) {
		session := openSession(t, model)
		prompt := prompts[1]
		params, votes := settings(model)[1], nxs.NewVoteParams()
		votes.Samples = 4
		first, err := newSeq(t, session).Vote(background, prompt, &nxs.VoteOptions{Params: params, Vote: &votes})
		closing(t, first, err)
		for _, mode := range []nxs.VoteMode{nxs.Paged, nxs.Reset} {
			vote, err := newSeq(t, session).Vote(background, prompt, &nxs.VoteOptions{mode, params, &votes, nil})
			closing(t, vote, err)
			if vote.Receipt() != first.Receipt() || vote.Samples() != 4 || fmt.Sprint(vote.Answers()) != fmt.Sprint(first.Answers()) {
				t.Fatalf("mode %d: %q, %q", mode, vote.Receipt(), first.Receipt())
			}
			for i := range 4 {
				sameResult(t, first.Sample(i), vote.Sample(i))
			}
		}
		for i := range 4 {
			alone := *params
			alone.Seed += int64(i) * votes.SeedStride
			plain, err := newSeq(t, session).PlainDecode(background, prompt, &nxs.RunOptions{Params: &alone})
			closing(t, plain, err)
			sameResult(t, plain, first.Sample(i))
		}
	})
}

func TestDefaultsOfVotes(t *testing.T) {
	session := openSession(t, tinyModel(t))
	prompt, sampled := randomPrompt(1, 8), nxs.NewSampledParams()
	byDefault, err := newSeq(t, session).Vote(background, prompt, nil)
	closing(t, byDefault, err)
	said, err := newSeq(t, session).Vote(background, prompt, &nxs.VoteOptions{Params: &sampled})
	closing(t, said, err)
	if byDefault.Receipt() != said.Receipt() {
		t.Fatalf("%q, %q", byDefault.Receipt(), said.Receipt())
	}
}

// A loop over Forward and Sample chooses what a run chooses, whatever the rows that are asked for.
func TestForwardEqualsDecode(t *testing.T) {
	onModels(t, func(t *testing.T, model *nxs.Model, prompts [][]nxs.Token) {
		session := openSession(t, model)
		params := settings(model)[1]
		prompt := prompts[0]
		plain, err := newSeq(t, session).PlainDecode(background, prompt, &nxs.RunOptions{Params: params})
		closing(t, plain, err)
		vocab := int(model.Info().Vocab)
		logits := make([]float32, 2*vocab)
		a, b := newSeq(t, session), newSeq(t, session)
		inputs := []nxs.Input{{Seq: a, Tokens: prompt}, {Seq: b, Tokens: prompt, Want: make([]bool, len(prompt))}}
		inputs[1].Want[len(prompt)-1] = true
		context := append([]nxs.Token(nil), prompt...)
		for _, want := range plain.Tokens() {
			if err := session.Forward(background, logits, inputs...); err != nil {
				t.Fatal(err)
			}
			for row := range 2 {
				got, err := model.Sample(logits[row*vocab:(row+1)*vocab], int64(len(context)), context, params)
				if err != nil || got != want {
					t.Fatalf("row %d at %d: %d (%v), not %d", row, len(context), got, err, want)
				}
			}
			context = append(context, want)
			inputs = []nxs.Input{{Seq: b, Tokens: context[len(context)-1:]}, {Seq: a, Tokens: context[len(context)-1:]}}
		}
	})
}
