// SPDX-License-Identifier: Apache-2.0 OR MIT

// Usage: vote MODEL.gguf [QUESTION]. Draws 16 answers at once and prints the votes.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"nxs"
)

func run(path, question string) error {
	model, err := nxs.OpenModel(path, nil)
	if err != nil {
		return err
	}
	defer model.Close()
	session, err := model.OpenSession(nil)
	if err != nil {
		return err
	}
	defer session.Close()
	seq, err := session.NewSeq()
	if err != nil {
		return err
	}
	defer seq.Close()
	prompt, err := model.ChatFormat([]nxs.Message{{Role: "user", Content: question}}, nxs.ChatReply)
	if err != nil {
		return err
	}
	decode, votes := nxs.NewSampledParams(), nxs.NewVoteParams()
	decode.MaxNew, votes.Samples, votes.Early = 64, 16, true
	vote, err := seq.Vote(context.Background(), prompt, &nxs.VoteOptions{Params: &decode, Vote: &votes})
	if err != nil {
		return err
	}
	defer vote.Close()
	for _, answer := range vote.Answers() {
		fmt.Printf("%3d  %s\n", answer.Votes, answer.Text)
	}
	winner, err := vote.WinnerInt64()
	switch {
	case errors.Is(err, nxs.ErrNoAnswer):
		fmt.Println("no answer")
	case err != nil:
		return err
	default:
		fmt.Println("winner:", winner)
	}
	fmt.Println(vote.Receipt())
	return nil
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: vote MODEL.gguf [QUESTION]")
	}
	question := "What is 17 + 25?"
	if len(os.Args) > 2 {
		question = os.Args[2]
	}
	if err := run(os.Args[1], question); err != nil {
		log.Fatal(err)
	}
}
