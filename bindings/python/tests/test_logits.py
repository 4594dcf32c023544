# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Logits in NumPy arrays: written in place, the same bits for any split, and nothing is written where there is no
room."""

import numpy as np
import pytest

import libnxs
from conftest import prompt

PROMPT = prompt(4, 50)


def test_no_copy(session, seq, tiny):
    out = np.zeros((4, tiny.n_vocab), np.float32)
    rows = session.forward([seq], PROMPT, [len(PROMPT)], [i >= 47 for i in range(50)], out)
    assert rows.base is not None and np.shares_memory(rows, out) and rows.shape == (3, tiny.n_vocab)
    assert rows.ctypes.data == out.ctypes.data and out[:3].any() and not out[3].any()
    row = session.sequence().forward(PROMPT, out=out[3:])
    assert np.shares_memory(row, out) and np.array_equal(row.view(np.uint32), rows[2].view(np.uint32))


def test_same_bits_for_any_split(session, tiny):
    whole = session.sequence().forward(PROMPT, all_rows=True)
    a, b = session.sequence(), session.sequence()
    a.forward(PROMPT[:20])
    b.forward(PROMPT[:41])
    both = session.forward([a, b], PROMPT[20:50] + PROMPT[41:50], [30, 9])
    assert both.dtype == np.float32 and both.shape == (2, tiny.n_vocab)
    for row in both:
        assert np.array_equal(row.view(np.uint32), whole[-1].view(np.uint32))
    ones = session.forward([a, b], np.array([1, 2]))
    assert ones.shape == (2, tiny.n_vocab) and len(a) == len(b) == 51


def test_no_room_and_wrong_shapes(session, seq, tiny):
    n = tiny.n_vocab
    guard = np.full(2 * n, 7, np.float32)
    for out in (
        guard[: n - 1],
        np.zeros(n, np.float64),
        np.zeros(2 * n, np.float32)[::2],
        np.zeros(n, np.int32),
        [0.0] * n,
        b"x" * 4 * n,
    ):
        with pytest.raises((libnxs.Error, TypeError)):
            seq.forward([1], out=out)
    frozen = np.zeros(n, np.float32)
    frozen.flags.writeable = False
    with pytest.raises(TypeError):
        seq.forward([1], out=frozen)
    assert (guard == 7).all() and len(seq) == 0
    for arguments in (
        ([seq], [1, 2], [1]),
        ([seq], [1], [1, 1]),
        ([seq], [1], [0]),
        ([seq], [], [0]),
        ([], []),
        ([seq, seq], [1, 2]),
        ([seq], [1], [-1]),
        ([seq], [1, 2], [2], [True]),
        ([seq], [1], [2**31 - 1]),
    ):
        with pytest.raises(libnxs.Error):
            session.forward(*arguments)
    for arguments in (([seq], "ab"), ([None], [1]), ([tiny], [1]), (seq, [1])):
        with pytest.raises(TypeError):
            session.forward(*arguments)
    assert len(seq) == 0


def test_sample(tiny, seq):
    row = seq.forward(PROMPT)
    assert tiny.sample(row, 50) == int(np.argmax(row))
    masked = row.copy()
    masked[int(np.argmax(row))] = -np.inf
    assert tiny.sample(masked, 50) == int(np.argmax(masked))
    for bad in (row[:-1], np.zeros((2, tiny.n_vocab), np.float32)):
        with pytest.raises(libnxs.ArgumentError):
            tiny.sample(bad, 50)
    for bad in (row.astype(np.float64), list(row), None):
        with pytest.raises(TypeError):
            tiny.sample(bad, 50)
    with pytest.raises(libnxs.NumericError):
        tiny.sample(np.full(tiny.n_vocab, np.nan, np.float32), 50)
