#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes a Llama model with random weights as a GGUF file: large enough that no cache holds it, the same bytes for one
seed. It talks nonsense; it is for measuring. llama.cpp loads it too.

    tests/bench/synthetic_model.py OUT [--shape 1b|3b|tiny] [--type q4_1|q4_0|q8_0|f16|f32] [--vocab N] [--seed 1]

Written to disk tensor by tensor, so that memory stays small. 1b in q4_1 has 0.7 GB.
"""

import argparse
import itertools
import random
import string
import struct

ALIGNMENT = 32
SLICE = 1 << 16  # blocks generated at a time
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
# layers, embedding, heads, KV heads, feed-forward, vocabulary
SHAPES = {
    "1b": (22, 2048, 32, 4, 5632, 32000),
    "3b": (28, 3072, 24, 8, 8192, 32000),
    "tiny": (2, 256, 4, 2, 512, 1000),
}
F32 = 0


def half(value):
    return struct.pack("<e", value)


def f16_numbers(data):
    """Random halves of magnitude 2^-7 to 2^-5: sign and mantissa stay, the exponent is one of two."""
    high = bytes((b & 0x80) | (((8 + (b >> 2 & 1)) << 2) + (b & 3)) for b in range(256))
    data[1::2] = data[1::2].translate(high)


def f32_numbers(data):
    """The same for floats; exponents 120 and 121."""
    data[3::4] = data[3::4].translate(bytes((b & 0x80) | 60 for b in range(256)))


def with_head(size, *head):
    """Blocks of `size` bytes whose first halves are constants."""
    constants = b"".join(half(value) for value in head)

    def fill(data):
        for i, byte in enumerate(constants):
            data[i::size] = bytes([byte]) * (len(data) // size)

    return fill


# type: (GGML's number, weights in a block, bytes of a block, what turns random bytes into blocks). The spread of the
# weights is about 0.02, as trained ones have.
TYPES = {
    "f32": (F32, 1, 4, f32_numbers),
    "f16": (1, 1, 2, f16_numbers),
    "q4_0": (2, 32, 18, with_head(18, 2.0**-8)),
    "q4_1": (3, 32, 20, with_head(20, 2.0**-8, -7.5 * 2.0**-8)),
    "q8_0": (8, 32, 34, with_head(34, 2.0**-12)),
}


def alphabet():
    """The characters by which byte-level BPE writes the bytes."""
    moved = itertools.count(256)
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    return [chr(b if b in printable else next(moved)) for b in range(256)]


def vocabulary(n):
    """Tokens and merges: the bytes, then words of two, three, four letters, each a shorter word and a letter."""
    tokens, merges = [*CONTROL, *alphabet()], []
    shorter = list(string.ascii_lowercase)
    while len(tokens) < n:
        longer = []
        for word, letter in itertools.islice(itertools.product(shorter, string.ascii_lowercase), n - len(tokens)):
            longer.append(word + letter)
            merges.append(f"{word} {letter}")
        tokens += longer
        shorter = longer
    return tokens[:n], merges


class Header:
    """Metadata and the table of tensors."""

    def __init__(self):
        self.values, self.n_values, self.table, self.tensors, self.offset = b"", 0, b"", [], 0

    def put(self, key, kind, data):
        self.values += self.text(key) + struct.pack("<I", kind) + data
        self.n_values += 1

    @staticmethod
    def text(value):
        data = value.encode()
        return struct.pack("<Q", len(data)) + data

    def add(self, key, value):
        if isinstance(value, bool):
            self.put(key, 7, struct.pack("<?", value))
        elif isinstance(value, int):
            self.put(key, 4, struct.pack("<I", value))
        elif isinstance(value, float):
            self.put(key, 6, struct.pack("<f", value))
        elif isinstance(value, str):
            self.put(key, 8, self.text(value))
        elif isinstance(value[0], str):
            self.put(key, 9, struct.pack("<IQ", 8, len(value)) + b"".join(map(self.text, value)))
        else:
            self.put(key, 9, struct.pack(f"<IQ{len(value)}i", 5, len(value), *value))

    def tensor(self, name, kind, shape):
        number, block, size, _ = TYPES[kind]
        n = 1
        for dim in shape:
            n *= dim
        if shape[0] % block:
            raise SystemExit(f"{name}: rows of {shape[0]} are no multiple of {block}")
        self.table += self.text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, number, self.offset)
        self.tensors.append((kind, n // block, len(shape) == 1))
        self.offset += -(-n // block * size // ALIGNMENT) * ALIGNMENT

    def bytes(self):
        head = b"GGUF" + struct.pack("<IQQ", 3, len(self.tensors), self.n_values) + self.values + self.table
        return head + bytes(-len(head) % ALIGNMENT)


def metadata(header, shape):
    layers, embedding, heads, kv_heads, ff, n_vocab = shape
    tokens, merges = vocabulary(n_vocab)
    entries = {
        "general.architecture": "llama", "general.name": "random weights", "general.quantization_version": 2,
        "llama.block_count": layers, "llama.context_length": 4096, "llama.embedding_length": embedding,
        "llama.feed_forward_length": ff, "llama.attention.head_count": heads, "llama.attention.head_count_kv": kv_heads,
        "llama.attention.layer_norm_rms_epsilon": 1e-5, "llama.rope.freq_base": 10000.0,
        "llama.rope.dimension_count": embedding // heads, "llama.vocab_size": n_vocab, "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm", "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3 if t in CONTROL else 1 for t in tokens], "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2, "tokenizer.ggml.add_bos_token": False,
    }
    for key, value in entries.items():
        header.add(key, value)


def tensors(header, shape, kind):
    layers, embedding, heads, kv_heads, ff, n_vocab = shape
    kv = embedding // heads * kv_heads
    header.tensor("token_embd.weight", kind, [embedding, n_vocab])
    for i in range(layers):
        for name, rows in (("attn_q", embedding), ("attn_k", kv), ("attn_v", kv), ("attn_output", embedding),
                           ("ffn_gate", ff), ("ffn_up", ff)):
            header.tensor(f"blk.{i}.{name}.weight", kind, [embedding, rows])
        header.tensor(f"blk.{i}.ffn_down.weight", kind, [ff, embedding])
        for name in ("attn_norm", "ffn_norm"):
            header.tensor(f"blk.{i}.{name}.weight", "f32", [embedding])
    header.tensor("output_norm.weight", "f32", [embedding])
    header.tensor("output.weight", kind, [embedding, n_vocab])


def write_blocks(file, draws, kind, n_blocks, is_norm):
    _, _, size, fill = TYPES[kind]
    if is_norm:
        file.write(struct.pack("<f", 1.0) * n_blocks)
    else:
        for first in range(0, n_blocks, SLICE):
            data = bytearray(draws.randbytes(size * min(SLICE, n_blocks - first)))
            fill(data)
            file.write(data)
    file.write(bytes(-file.tell() % ALIGNMENT))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--shape", choices=SHAPES, default="1b")
    parser.add_argument("--type", choices=TYPES, default="q4_1")
    parser.add_argument("--vocab", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    shape = SHAPES[args.shape]
    if args.vocab:
        shape = (*shape[:-1], args.vocab)
    header, draws = Header(), random.Random(args.seed)
    metadata(header, shape)
    tensors(header, shape, args.type)
    with open(args.out, "wb") as file:
        file.write(header.bytes())
        for tensor in header.tensors:
            write_blocks(file, draws, *tensor)


if __name__ == "__main__":
    main()
