// SPDX-License-Identifier: Apache-2.0 OR MIT

// Usage: decode MODEL.gguf [QUESTION]. Asks a chat model and prints its answer, both ways of decoding compared.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"nxs"
)

func run(path, question string) error {
	ctx := context.Background()
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
	prompt, err := model.ChatFormat([]nxs.Message{{Role: "user", Content: question}}, nxs.ChatReply)
	if err != nil {
		return err
	}
	params := nxs.NewDecodeParams()
	params.MaxNew = 128
	receipts := make(map[string]bool)
	for _, decode := range []func(*nxs.Seq, context.Context, []nxs.Token, *nxs.RunOptions) (*nxs.Result, error){
		(*nxs.Seq).SpecDecode, (*nxs.Seq).PlainDecode,
	} {
		seq, err := session.NewSeq()
		if err != nil {
			return err
		}
		defer seq.Close()
		result, err := decode(seq, ctx, prompt, &nxs.RunOptions{Params: &params})
		if err != nil {
			return err
		}
		defer result.Close()
		if len(receipts) == 0 {
			fmt.Println(result.Text())
		}
		stats := result.Stats()
		fmt.Printf("%s: %d tokens in %d forwards, %.0f tokens/s\n", result.Receipt(), stats.Emitted, stats.Forwards,
			float64(stats.Emitted)/stats.DecodeSeconds)
		receipts[result.Receipt()] = true
	}
	fmt.Println("same receipt:", len(receipts) == 1)
	return nil
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: decode MODEL.gguf [QUESTION]")
	}
	question := "List the planets."
	if len(os.Args) > 2 {
		question = os.Args[2]
	}
	if err := run(os.Args[1], question); err != nil {
		log.Fatal(err)
	}
}
