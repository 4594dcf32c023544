# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Errors carry the library's message and a status; wrong arguments never do more than raise."""

import copy
import pickle
import random

import numpy as np
import pytest

import libnxs
from libnxs import raw


def raises(status, word, call, *arguments, **keywords):
    with pytest.raises(libnxs.Error, match=word) as caught:
        call(*arguments, **keywords)
    assert caught.value.status == status
    assert isinstance(caught.value.status, libnxs.Status)
    return caught.value


def test_statuses_are_those_of_the_header():
    for status in libnxs.Status:
        name = "NXS_OK" if status == 0 else "NXS_ERR_" + status.name
        assert getattr(raw, name) == status and raw.nxs_status_name(status) == name


def test_messages(tiny, session, seq, tmp_path):
    Status = libnxs.Status
    error = raises(Status.IO, "/no/such/file", libnxs.Model, "/no/such/file")
    assert isinstance(error, OSError) and error.message == str(error)
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"not a model")
    assert isinstance(raises(Status.FORMAT, ".", libnxs.Model, bad), ValueError)
    raises(Status.FORMAT, ".", libnxs.Model.from_memory, b"not a model")
    raises(Status.MEMORY, ".", libnxs.Model, tiny_path(), max_bytes=1)
    assert isinstance(raises(Status.ARGUMENT, "temperature", seq.plain_decode, [1], temperature=-1), ValueError)
    raises(Status.ARGUMENT, ".", seq.plain_decode, [])
    raises(Status.ARGUMENT, ".", seq.plain_decode, [10**6])
    raises(Status.CONTEXT, ".", seq.plain_decode, [1] * 5000)
    raises(Status.UNSUPPORTED, ".", tiny.session, isa=libnxs.Isa.NEON)
    raises(Status.ARGUMENT, "page_tokens", tiny.session, page_tokens=3)
    raises(Status.KV_FULL, ".", tiny.session(kv_tokens=64, page_tokens=16).sequence().plain_decode, [1] * 100)
    raises(Status.ARGUMENT, ".", seq.truncate, 10)
    raises(Status.NO_ANSWER, ".", seq.vote([1], n_samples=1, max_new=0).winner_int)
    assert len(seq) == 1


def tiny_path():
    from conftest import PATHS

    return PATHS["tiny"]


def test_range(seq):
    vote = seq.vote([1, 2], n_samples=2, max_new=4, extractor=libnxs.Extract.NONE)
    vote.set_answer(0, "123456789012345678901234567890")
    raises(libnxs.Status.RANGE, ".", vote.winner_int)
    vote.set_answer(0, "-42")
    assert vote.winner_int() == -42 and vote.winner == "-42" and vote.answers == [("-42", 1)]
    vote.extract(lambda text: "x")
    assert vote.answers == [("x", 2)] and vote.sample_answer(1) == "x" and not vote.is_tie
    with pytest.raises(ValueError):
        vote.set_answer(0, "a\0b")
    with pytest.raises(IndexError):
        vote[2]


def test_wrong_types(tiny, session, seq):
    for bad in ("text", b"text", [1.5], ["a"], [None], 7, object(), np.zeros((2, 2), np.int32), [1, "a"]):
        with pytest.raises(TypeError):
            seq.plain_decode(bad)
    with pytest.raises(OverflowError):
        seq.plain_decode([2**40])
    for keywords in (
        dict(nonsense=1),
        dict(flags=1),
        dict(struct_size=1),
        dict(this=1),
        dict(temperature="hot"),
        dict(max_new=1.5),
    ):
        with pytest.raises(TypeError):
            seq.plain_decode([1], **keywords)
    for keywords in (dict(max_new=2**70), dict(top_k=2**40)):
        with pytest.raises(OverflowError):
            seq.plain_decode([1], **keywords)
    with pytest.raises(TypeError):
        seq.spec_decode([1], drafter=tiny)
    with pytest.raises(TypeError):
        seq.plain_decode([1], on_event=3)
    with pytest.raises(TypeError):
        libnxs.Session(seq)
    with pytest.raises(TypeError):
        libnxs.Drafter.custom(3)
    with pytest.raises(ValueError):
        seq.vote([1], "fast")
    with pytest.raises(UnicodeEncodeError):
        tiny.tokenize("\ud800")
    with pytest.raises(ValueError):
        seq.add_stop("")
    for call in (copy.copy, pickle.dumps):
        with pytest.raises(TypeError):
            call(seq)
    assert len(seq) == 0


def test_numpy_tokens(seq, tiny):
    expected = seq.fork().plain_decode([5, 6, 7], max_new=4)
    for kind in (np.int32, np.int64, np.uint16):
        assert seq.fork().plain_decode(np.array([5, 6, 7], kind), max_new=4) == expected
    assert seq.fork().plain_decode(np.array([5, 0, 6, 0, 7], np.int32)[::2], max_new=4) == expected
    assert seq.fork().plain_decode(iter((5, 6, 7)), max_new=4) == expected
    assert pickle.loads(pickle.dumps(expected)) == expected


def test_text(tiny):
    text = "naïve → 12 <|im_end|> \0 end"
    for given in (text, text.encode()):
        assert tiny.detokenize(tiny.tokenize(given)) == text
    assert len(tiny.tokenize("<|im_end|>", special=True)) == 1 and tiny.is_stop(
        tiny.tokenize("<|im_end|>", special=True)[0]
    )
    assert tiny.tokenize("") == [] and tiny.detokenize([]) == ""
    long = "abc " * 20000
    assert tiny.detokenize(tiny.tokenize(long)) == long
    assert tiny.tokenize_lossy("abc")[1] == 0
    assert tiny.chat([{"role": "user", "content": "hi"}]) == tiny.chat("hi") == tiny.chat([("user", "hi")])
    assert libnxs.extract("It is 1,234.") == "1234" and libnxs.extract("none") is None
    assert libnxs.extract("so \\boxed{" + "x" * 1000 + "}", libnxs.Extract.BOXED) == "x" * 1000
    assert tiny.string("general.architecture") == "llama" and tiny.string("no.such.key") is None


def test_any_arguments_to_the_generated_layer(session, seq):
    """Every generated function with wrong arguments: None is a closed handle and reaches the library."""
    rng = random.Random(1)
    values = [
        None,
        0,
        -1,
        2**31,
        2**70,
        1.5,
        ".",
        "abc",
        b"\xff",
        [],
        [1],
        [None],
        (1, 2),
        {},
        object(),
        np.zeros(4, np.float32),
        raw.nxs_decode_params(),
        raw.nxs_vote_params(),
        lambda *a: 1 / 0,
    ]
    functions = [
        f
        for name, f in sorted(vars(raw).items())
        if name.startswith("nxs_") and callable(f) and not isinstance(f, type)
    ]
    assert len(functions) > 50
    refused = 0
    for function in functions:
        for _ in range(200):
            arguments = [rng.choice(values) for _ in range(function.__code__.co_argcount)]
            try:
                function(*arguments)
            except Exception:
                refused += 1
    assert refused > 1000
    assert seq.plain_decode([1], max_new=2).tokens
