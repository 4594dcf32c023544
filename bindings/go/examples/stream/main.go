// SPDX-License-Identifier: Apache-2.0 OR MIT

// Usage: stream MODEL.gguf [QUESTION]. Prints the answer as it comes; Ctrl-C ends it and keeps what was said.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"

	"nxs"
)

func run(ctx context.Context, path, question string) error {
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
	stream, err := seq.Stream(prompt, nil)
	if err != nil {
		return err
	}
	defer stream.Close()
	for event, err := range stream.Events(ctx) {
		if errors.Is(err, context.Canceled) {
			break
		} else if err != nil {
			return err
		}
		fmt.Print(event.Text)
	}
	result, err := stream.Result()
	if err != nil {
		return err
	}
	defer result.Close()
	fmt.Printf("\n%s\n", result.Receipt())
	return nil
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: stream MODEL.gguf [QUESTION]")
	}
	question := "List the planets."
	if len(os.Args) > 2 {
		question = os.Args[2]
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1], question); err != nil {
		log.Fatal(err)
	}
}
