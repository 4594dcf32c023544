#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Builds a Hugging Face tokenizer from a GGUF file's own vocabulary, and makes texts to compare tokenizers on.

As a program it prints one JSON object per text (hex of its UTF-8, special tokens on or off, ids):

    make_tokenizer_reference.py MODEL [--count N] [--seed S]

Needs the Python package `tokenizers`. tests/peer/tokenizer_peer.py compares the library with the same tokenizer.
"""
import argparse
import json
import random
import struct
import sys

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
CONTROL, UNKNOWN, USER_DEFINED = 3, 2, 4

# Characters on which tokenizers are known to part: spaces of all kinds, marks, joiners, digits of other scripts, letters that
# fold oddly, controls, and the byte 0x04, which some vocabularies lack.
CHARACTERS = (
    list("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    + list(" " * 12 + "\n\n\n\r\t\v\f.,;:!?'\"()[]{}<>|/\\^~`@#$%&*-_=+")
    + list("\u0085\u00a0\u1680\u180e\u2003\u200a\u200b\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff")
    + list("éüßñçøłşžœæþðſK\u212bİıΑΒγδЖцщאבعربहिन्दीไทย中文字日本語한국어가각\u1100\u1161\u11a8")
    + list("\u0301\u0308\u0323\u0327\u093c\u0e38\u20e3\ufe0f½²③Ⅷ٣५௧𝟘𐄇")
    + list("🦙👨👩👧😀🏽🇩🇪€£¥©™→∞≠…—–“”‘’«»¿¡")
    + list("\x00\x01\x04\x06\x13\x1b\x1c\x1f\x7f")
)
CHUNKS = [
    "'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'RE", "'LL", "'ſ", " the", " The", "ing", "  ", "    ", "\r\n", "\n\n",
    "123", "1,234.5", "2024-01-15", "http://", "def f(x):\n    return x\n", "</s>", "<|", "|>", "don't", "I'll", "é", "e\u0301",
]


def read_gguf(path):
    """The metadata of a GGUF file; its tensors are not looked at."""
    with open(path, "rb") as file:

        def scalar(kind):
            return struct.unpack("<" + kind, file.read(struct.calcsize("<" + kind)))[0]

        def string():
            return file.read(scalar("Q")).decode("utf-8")

        def value(kind):
            if kind == STRING:
                return string()
            if kind == ARRAY:
                element, count = scalar("I"), scalar("Q")
                return [value(element) for _ in range(count)]
            return scalar(SCALARS[kind])

        if file.read(4) != b"GGUF":
            raise ValueError(path + " is no GGUF file")
        scalar("I"), scalar("Q")
        values = {}
        for _ in range(scalar("Q")):
            key = string()
            values[key] = value(scalar("I"))
    return values


def pre_tokenizer(name):
    from tokenizers import Regex, pre_tokenizers as pre

    whole = pre.ByteLevel(add_prefix_space=False, use_regex=False)
    words = pre.ByteLevel(add_prefix_space=False, use_regex=True)
    rest = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    contractions = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
    if name == "gpt-2":
        return words
    if name == "smollm":
        return pre.Sequence([pre.Digits(individual_digits=True), words])
    digits = {"llama-bpe": r"\p{N}{1,3}", "qwen2": r"\p{N}"}[name]
    return pre.Sequence([pre.Split(Regex(contractions + digits + rest), "isolated"), whole])


def build(values):
    """The tokenizers.Tokenizer of a file; `encode_special_tokens` decides whether control tokens in text are plain text."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers

    tokens, kinds = values["tokenizer.ggml.tokens"], values["tokenizer.ggml.token_type"]
    name = values["tokenizer.ggml.pre"]
    merges = []
    for merge in values["tokenizer.ggml.merges"]:
        space = merge.index(" ", 1)
        merges.append((merge[:space], merge[space + 1 :]))
    vocabulary = {token: i for i, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, ignore_merges=name == "llama-bpe"))
    if name == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizer(name)
    tokenizer.decoder = decoders.ByteLevel()
    by_kind = {kind: [t for t, k in zip(tokens, kinds) if k == kind] for kind in (CONTROL, UNKNOWN, USER_DEFINED)}
    tokenizer.add_special_tokens([AddedToken(t, normalized=False) for t in by_kind[CONTROL] + by_kind[UNKNOWN]])
    tokenizer.add_tokens([AddedToken(t, normalized=False) for t in by_kind[USER_DEFINED]])
    return tokenizer


def random_texts(values, count, seed):
    """(text, special) pairs: single characters, chunks, and special tokens mixed."""
    tokens, kinds = values["tokenizer.ggml.tokens"], values["tokenizer.ggml.token_type"]
    specials = [t for t, k in zip(tokens, kinds) if k in (CONTROL, USER_DEFINED)]
    draw = random.Random(seed)
    texts = []
    for i in range(count):
        alphabet = draw.sample(CHARACTERS, draw.choice((2, 4, 8, 40)))
        parts = []
        for _ in range(draw.randrange(1, 60)):
            choice = draw.random()
            if choice < 0.06:
                parts.append(draw.choice(CHUNKS))
            elif choice < 0.08 and specials:
                parts.append(draw.choice(specials))
            elif choice < 0.10:
                parts.append(draw.choice(alphabet) * draw.randrange(1, 20))
            elif choice < 0.2:
                parts.append(" ")
            else:
                parts.append(draw.choice(alphabet))
        texts.append(("".join(parts), i % 2 == 1))
    return texts


def encode(tokenizer, text, special):
    tokenizer.encode_special_tokens = not special
    return tokenizer.encode(text, add_special_tokens=False).ids


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    values = read_gguf(arguments.model)
    tokenizer = build(values)
    for text, special in random_texts(values, arguments.count, arguments.seed):
        line = {"text": text.encode().hex(), "special": special, "ids": encode(tokenizer, text, special)}
        sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
