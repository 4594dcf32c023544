// SPDX-License-Identifier: Apache-2.0 OR MIT

// The promise, seen through the package that SWIG generates: test.sh puts it beside this file.
package nxs

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

var failure = func() Nxs_error { return NewNxs_error() }

// good fails the test when the call before it has failed.
func good(t *testing.T, e Nxs_error) {
	t.Helper()
	if e.GetStatus() != NXS_OK {
		t.Fatalf("%s: %s", Nxs_status_name(e.GetStatus()), e.Text())
	}
}

func fails(t *testing.T, e Nxs_error, status int, word string) {
	t.Helper()
	if e.GetStatus() != status || e.Text() == "" || !strings.Contains(e.Text(), word) {
		t.Fatalf("%s: %q, expected %s with %q", Nxs_status_name(e.GetStatus()), e.Text(), Nxs_status_name(status), word)
	}
}

func open(t *testing.T, variable string) uintptr {
	path := os.Getenv(variable)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s names no model, and CI=true", variable)
		}
		t.Skipf("SKIPPED: %s names no model", variable)
	}
	e := failure()
	defer DeleteNxs_error(e)
	params := NewNxs_model_params()
	defer DeleteNxs_model_params(params)
	model := Nxs_model_open(path, params, e)
	good(t, e)
	return model
}

func session(t *testing.T, model uintptr, threads uint) uintptr {
	e, params := failure(), NewNxs_session_params()
	defer DeleteNxs_error(e)
	defer DeleteNxs_session_params(params)
	params.SetN_threads(threads)
	s := Nxs_session_open(model, params, e)
	good(t, e)
	return s
}

func sequence(t *testing.T, s uintptr) uintptr {
	e := failure()
	defer DeleteNxs_error(e)
	q := Nxs_seq_new(s, e)
	good(t, e)
	return q
}

func decodeParams(maxNew int64, temperature float32) Nxs_decode_params {
	p := NewNxs_decode_params()
	p.SetMax_new(maxNew)
	p.SetTemperature(temperature)
	p.SetSeed(7)
	return p
}

// taken copies a result and closes it.
func taken(result uintptr) string {
	defer Nxs_result_close(result)
	return fmt.Sprint(Nxs_result_tokens(result), Nxs_result_text(result), Nxs_result_receipt(result), Nxs_result_stats(result).GetStop())
}

func prompts(t *testing.T, model uintptr) [][]int32 {
	if Nxs_model_get_info(model).GetN_vocab() > 1000 {
		e := failure()
		defer DeleteNxs_error(e)
		tokens := Nxs_chat_user(model, "Write the numbers from one to ten, then write them again.", e)
		good(t, e)
		return [][]int32{tokens}
	}
	var all [][]int32
	for i, n := range []int{5, 64, 1020} {
		tokens, x := make([]int32, n), uint32(i+1)
		for j := range tokens {
			x = x*1664525 + 1013904223
			tokens[j] = int32(x >> 24 % 250)
			if j > 20 && j%40 < 12 {
				tokens[j] = tokens[j-20]
			}
		}
		all = append(all, tokens)
	}
	return all
}

func equivalence(t *testing.T, model uintptr) {
	for _, temperature := range []float32{0, 0.9} {
		for _, prompt := range prompts(t, model) {
			var found []string
			for threads := uint(1); threads <= 2; threads++ {
				s, e, p := session(t, model, threads), failure(), decodeParams(32, temperature)
				plain := taken(Nxs_plain_decode(sequence(t, s), prompt, p, e))
				good(t, e)
				spec := taken(Nxs_spec_decode(sequence(t, s), prompt, p, 0, e))
				good(t, e)
				stream := Nxs_stream_open(sequence(t, s), prompt, p, 0, e)
				good(t, e)
				var pulled []int32
				for event := Nxs_stream_next(stream, e); event != 0; event = Nxs_stream_next(stream, e) {
					if token := Nxs_event_token(event); token >= 0 {
						pulled = append(pulled, int32(token))
					}
				}
				good(t, e)
				result := Nxs_stream_result(stream, e)
				if !slices.Equal(pulled, Nxs_result_tokens(result)) {
					t.Fatal("the stream's tokens are not its result's")
				}
				found = append(found, plain, spec, taken(result))
				Nxs_session_close(s)
			}
			for _, other := range found {
				if other != found[0] {
					t.Fatalf("%s\n%s", found[0], other)
				}
			}
		}
	}
}

func votes(t *testing.T, model uintptr) {
	prompt := prompts(t, model)[0]
	var found []string
	modes := []func(uintptr, []int32, Nxs_decode_params, Nxs_vote_params, Nxs_error) uintptr{
		Nxs_selfconsist_reset, Nxs_selfconsist_paged, Nxs_selfconsist_batched}
	for i, mode := range modes {
		s, e, v := session(t, model, uint(1+i%2)), failure(), NewNxs_vote_params()
		v.SetN_samples(4)
		vote := mode(sequence(t, s), prompt, decodeParams(16, 0.8), v, e)
		good(t, e)
		text := Nxs_vote_receipt(vote)
		for i := 0; i < 4; i++ {
			sample := Nxs_vote_sample(vote, i)
			text += fmt.Sprint(Nxs_result_tokens(sample), Nxs_result_receipt(sample), Nxs_vote_sample_answer(vote, i))
		}
		found = append(found, text)
		Nxs_vote_close(vote)
		Nxs_session_close(s)
	}
	if found[0] != found[1] || found[0] != found[2] {
		t.Fatal(found)
	}
}

func TestEquivalenceTiny(t *testing.T) { equivalence(t, open(t, "NXS_TINY_MODEL")) }
func TestEquivalenceReal(t *testing.T) { equivalence(t, open(t, "NXS_TEST_MODEL")) }
func TestVotesTiny(t *testing.T)       { votes(t, open(t, "NXS_TINY_MODEL")) }
func TestVotesReal(t *testing.T)       { votes(t, open(t, "NXS_TEST_MODEL")) }

func TestErrorsAndClosedHandles(t *testing.T) {
	model, e := open(t, "NXS_TINY_MODEL"), failure()
	s := session(t, model, 1)
	q := sequence(t, s)
	if Nxs_model_open("/no/such/file", NewNxs_model_params(), e) != 0 {
		t.Fatal("a model of no file")
	}
	fails(t, e, NXS_ERR_IO, "/no/such/file")
	Nxs_model_open_memory([]byte("not a model"), NewNxs_model_params(), e)
	fails(t, e, NXS_ERR_FORMAT, "")
	Nxs_plain_decode(q, nil, decodeParams(1, 0), e)
	fails(t, e, NXS_ERR_ARGUMENT, "")
	Nxs_plain_decode(q, []int32{1}, decodeParams(1, -1), e)
	fails(t, e, NXS_ERR_ARGUMENT, "temperature")
	Nxs_plain_decode(q, make([]int32, 5000), decodeParams(1, 0), e)
	fails(t, e, NXS_ERR_CONTEXT, "")
	row := make([]float32, Nxs_model_get_info(model).GetN_vocab())
	Nxs_forward_sized(row[1:], []uintptr{q}, nil, []int32{1}, nil, e)
	fails(t, e, NXS_ERR_BUFFER, "")
	Nxs_forward_sized(row, []uintptr{q}, nil, []int32{1, 2}, nil, e)
	fails(t, e, NXS_ERR_ARGUMENT, "")
	Nxs_forward_sized(row, []uintptr{q}, nil, []int32{1}, nil, e)
	good(t, e)
	Nxs_sample_sized(model, row[1:], 1, nil, decodeParams(1, 0), e)
	fails(t, e, NXS_ERR_ARGUMENT, "n_vocab")
	if token := Nxs_sample_sized(model, row, 1, nil, decodeParams(1, 0), e); row[token] != slices.Max(row) || math.IsNaN(float64(row[0])) {
		t.Fatal("greedy is the largest")
	}
	// A handle that its owner closed and forgot is 0.
	Nxs_plain_decode(0, []int32{1}, decodeParams(1, 0), e)
	fails(t, e, NXS_ERR_ARGUMENT, "")
	Nxs_stream_next(0, e)
	fails(t, e, NXS_ERR_ARGUMENT, "")
	Nxs_model_close(0)
	if Nxs_seq_length(0) != 0 || Nxs_result_text(0) != "" || len(Nxs_result_tokens(0)) != 0 || Nxs_vote_answer(0, 0) != "" {
		t.Fatal("something of nothing")
	}
	text := "naïve → 12"
	if back := Nxs_detokenize(model, Nxs_tokenize(model, text, 0, e), 0, e); back != text {
		t.Fatal(back)
	}
}

func TestCancelledStream(t *testing.T) {
	model, e := open(t, "NXS_TINY_MODEL"), failure()
	s := session(t, model, 1)
	q := sequence(t, s)
	stream := Nxs_stream_open(q, []int32{1, 2, 3}, decodeParams(100, 0), 0, e)
	Nxs_stream_next(stream, e)
	Nxs_session_cancel(s, 1)
	for Nxs_stream_next(stream, e) != 0 {
	}
	good(t, e)
	if stop := Nxs_result_stats(Nxs_stream_result(stream, e)).GetStop(); stop != uint(NXS_STOP_CANCELLED) {
		t.Fatal(stop)
	}
	Nxs_session_close(s) // with the stream open
	Nxs_stream_close(stream)
	Nxs_seq_close(q)
}

func resident(t *testing.T) int {
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int
	fmt.Sscan(string(text), &size, &pages)
	return pages * os.Getpagesize()
}

func TestAThousandCyclesLeaveNothing(t *testing.T) {
	cycle := func() {
		e, p := failure(), decodeParams(2, 0)
		model := open(t, "NXS_TINY_MODEL")
		s := session(t, model, 2)
		q := sequence(t, s)
		taken(Nxs_spec_decode(q, []int32{1, 2, 3}, p, 0, e))
		good(t, e)
		Nxs_model_close(model)
		Nxs_session_close(s)
		Nxs_seq_close(q)
		DeleteNxs_decode_params(p)
		DeleteNxs_error(e)
	}
	for i := 0; i < 300; i++ {
		cycle()
	}
	before := resident(t)
	for i := 0; i < 1000; i++ {
		cycle()
	}
	if grown := resident(t) - before; grown > 8<<20 {
		t.Fatalf("%d bytes more", grown)
	}
}

func TestEightSessionsOnOneModel(t *testing.T) {
	model, prompt := open(t, "NXS_TINY_MODEL"), []int32{5, 6, 7, 5, 6, 7}
	var group sync.WaitGroup
	found := make([]string, 8)
	for i := range found {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			e, s := failure(), session(t, model, uint(1+i%2))
			for round := 0; round < 5; round++ {
				found[i] = taken(Nxs_spec_decode(sequence(t, s), prompt, decodeParams(64, 0), 0, e))
			}
			Nxs_session_close(s)
		}(i)
	}
	group.Wait()
	for _, other := range found {
		if other != found[0] || other == "" {
			t.Fatal(found)
		}
	}
}
