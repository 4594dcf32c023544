// SPDX-License-Identifier: Apache-2.0 OR MIT

package nxs_test

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"nxs"
)

// resident returns the resident memory of this process in KiB.
func resident(t *testing.T) int {
	t.Helper()
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(data))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize() / 1024
}

// cycle opens one of each handle and closes them all, in an order that depends on turn.
func cycle(t *testing.T, path string, turn int) {
	t.Helper()
	fail := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	model, err := nxs.OpenModel(path, nil)
	fail(err)
	params := nxs.NewSessionParams()
	params.Threads, params.KVTokens = 1+uint32(turn%2), 256
	session, err := model.OpenSession(&params)
	fail(err)
	seq, err := session.NewSeq()
	fail(err)
	drafter, err := nxs.NewDrafter(func(_, _ []nxs.Token) (int, error) { return 0, nil }, 4)
	fail(err)
	options := &nxs.RunOptions{Params: maxNew(3), Drafter: drafter}
	result, err := seq.SpecDecode(background, randomPrompt(1, 5), options)
	fail(err)
	vote, err := seq.Vote(background, nil, &nxs.VoteOptions{Params: maxNew(2)})
	fail(err)
	stream, err := seq.Stream(nil, options)
	fail(err)
	_, err = stream.Next(background)
	fail(err)
	handles := []interface{ Close() error }{model, session, seq, drafter, result, vote, stream}
	for i := range handles {
		handles[(i+turn)%len(handles)].Close()
	}
}

// A KiB in each cycle would be seen; what the runtimes keep varies by about one MiB.
func TestThousandsOfCyclesLeakNothing(t *testing.T) {
	path := modelFile(t, "NXS_TINY_MODEL")
	if raceDetector { // its own memory grows with what it has seen
		for turn := range 1000 {
			cycle(t, path, turn)
		}
		return
	}
	for turn := range 2000 {
		cycle(t, path, turn)
	}
	before := resident(t)
	for turn := range 4000 {
		cycle(t, path, turn)
	}
	after := resident(t)
	t.Logf("resident: %d KiB, after 4,000 more cycles %d KiB", before, after)
	if after-before > 3072 {
		t.Fatalf("resident memory grew from %d to %d KiB", before, after)
	}
}

// Handles that nobody closes are closed when they are garbage.
func TestForgottenHandles(t *testing.T) {
	path := modelFile(t, "NXS_TINY_MODEL")
	forget := func() {
		model, err := nxs.OpenModel(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		params := nxs.NewSessionParams()
		params.Threads = 3
		session, err := model.OpenSession(&params)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := session.NewSeq(); err != nil {
			t.Fatal(err)
		}
	}
	workers := func() (n int) {
		tasks, _ := os.ReadDir("/proc/self/task")
		for _, task := range tasks {
			name, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/comm")
			if strings.HasPrefix(string(name), "nxs-worker") {
				n++
			}
		}
		return n
	}
	before := workers()
	for range 20 {
		forget()
	}
	for range 200 {
		if runtime.GC(); workers() == before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%d workers, %d before", workers(), before)
}

// Eight goroutines with a session each on one model give what one gives.
func TestGoroutinesShareAModel(t *testing.T) {
	onModels(t, func(t *testing.T, model *nxs.Model, prompts [][]nxs.Token) {
		params := nxs.NewSessionParams()
		params.Threads = 1
		decode := func(prompt []nxs.Token) (string, error) {
			session, err := model.OpenSession(&params)
			if err != nil {
				return "", err
			}
			defer session.Close()
			seq, err := session.NewSeq()
			if err != nil {
				return "", err
			}
			defer seq.Close()
			result, err := seq.SpecDecode(background, prompt, &nxs.RunOptions{Params: maxNew(16)})
			if err != nil {
				return "", err
			}
			defer result.Close()
			return result.Receipt(), nil
		}
		prompt := prompts[1]
		want, err := decode(prompt)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 2 {
					if got, err := decode(prompt); got != want || err != nil {
						t.Errorf("%s (%v), not %s", got, err, want)
					}
				}
			})
		}
		all.Wait()
	})
}

// Calls, cancels and closes of one session from many goroutines at once: errors, never a race or a crash.
func TestOneSessionFromManyGoroutines(t *testing.T) {
	model := tinyModel(t)
	for range 20 {
		session := openSession(t, model)
		seq := newSeq(t, session)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for range 5 {
					result, err := seq.SpecDecode(background, randomPrompt(uint64(i), 4), &nxs.RunOptions{Params: maxNew(4)})
					if err != nil && !errors.Is(err, nxs.ErrBusy) && !errors.Is(err, nxs.ErrClosed) {
						t.Error(err)
					}
					result.Close()
					seq.Len()
					session.Cancel(i%2 == 0)
				}
				if i == 7 {
					session.Close()
					seq.Close()
				}
			})
		}
		all.Wait()
	}
}

func TestExamplesRun(t *testing.T) {
	path := modelFile(t, "NXS_TINY_MODEL")
	for _, name := range []string{"decode", "stream", "vote"} {
		t.Run(name, func(t *testing.T) {
			out, err := exec.Command("go", "run", "./examples/"+name, path, "What is 17 + 25?").CombinedOutput()
			if err != nil || len(out) == 0 {
				t.Fatalf("%v: %s", err, out)
			}
			out, err = exec.Command("go", "run", "./examples/"+name, "/no/such/file").CombinedOutput()
			if err == nil || !strings.Contains(string(out), "/no/such/file") {
				t.Fatalf("%v: %s", err, out)
			}
		})
	}
}
