#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""tokenizer_peer.py MODEL TOKENIZE_LINES [COUNT]: the library's tokens of random texts equal those of Hugging Face
`tokenizers` built from the same file. With NXS_TEST_VOCABS (a folder), its ggml-vocab-{gpt-2,llama-bpe,qwen2}.gguf
too. Without the package it skips (77), and fails where CI=true."""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data"))
import make_tokenizer_reference as reference  # noqa: E402

VOCABULARIES = ("gpt-2", "llama-bpe", "qwen2")


def our_tokens(helper, model, texts, special):
    data = b"".join(struct.pack("<I", len(t)) + t for t in (text.encode() for text in texts))
    command = [helper, model] + (["special"] if special else [])
    out = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout.decode()
    return [[int(i) for i in line.split()] for line in out.splitlines()]


def compare(helper, model, count):
    values = reference.read_gguf(model)
    tokenizer = reference.build(values)
    pairs = reference.random_texts(values, count, seed=1)
    different = 0
    for special in (False, True):
        texts = [text for text, s in pairs if s == special]
        ours = our_tokens(helper, model, texts, special)
        if len(ours) != len(texts):
            sys.exit(f"{model}: {len(ours)} lines for {len(texts)} texts")
        for text, tokens in zip(texts, ours):
            expected = reference.encode(tokenizer, text, special)
            if tokens != expected:
                different += 1
                if different <= 5:
                    print(f"{text!r} special={special}\n  peer {expected}\n  nxs  {tokens}")
    print(f"{os.path.basename(model)}: {len(pairs)} texts, {different} differ")
    return different


def main():
    try:
        import tokenizers
    except ImportError:
        print("SKIPPED: the Python package 'tokenizers' is not installed")
        return 1 if os.environ.get("CI") == "true" else 77
    print("tokenizers " + tokenizers.__version__)
    model, helper = sys.argv[1], sys.argv[2]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 4000
    models = [model]
    folder = os.environ.get("NXS_TEST_VOCABS")
    if folder is None:
        print("other vocabularies SKIPPED: NXS_TEST_VOCABS is not set to a folder of ggml-vocab-*.gguf")
    else:
        models += [os.path.join(folder, f"ggml-vocab-{name}.gguf") for name in VOCABULARIES]
    different = [compare(helper, m, count) for m in models]
    return 1 if any(different) else 0


if __name__ == "__main__":
    sys.exit(main())
