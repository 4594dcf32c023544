# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Threads: eight sessions on one model, decoding without the GIL, closing under a running call."""

import threading
import time

import pytest

import libnxs
from conftest import prompt

PROMPT = prompt(3, 60)


def in_threads(n, work):
    failures = []

    def run(i):
        try:
            work(i)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_eight_sessions_on_one_model(model):
    rounds = 4 if model.n_vocab < 1000 else 1
    tokens = model.chat("Count to five.")
    with model.session(n_threads=1) as session:
        expected = session.sequence().plain_decode(tokens, max_new=24)

    def work(i):
        for _ in range(rounds):
            with model.session(n_threads=1 + i % 2) as session:
                seq = session.sequence()
                seen = []
                result = seq.spec_decode(
                    tokens, max_new=24, on_event=lambda e: seen.append(e.token) if e.is_token else None
                )
                assert result == expected and tuple(seen) == expected.tokens
                assert tuple(session.sequence().stream(tokens, max_new=24).tokens()) == expected.tokens

    in_threads(8, work)


def test_decoding_gives_the_gil_away(tiny):
    """While one thread decodes, this one runs Python."""
    with tiny.session(n_threads=1) as session:
        seq, done = session.sequence(), threading.Event()

        def work():
            for _ in range(20):
                seq.plain_decode(PROMPT, max_new=1500, ignore_stop=True)
                seq.truncate(0)
            done.set()

        thread = threading.Thread(target=work)
        longest, last = 0.0, time.perf_counter()
        thread.start()
        while not done.is_set():
            time.sleep(0)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
        thread.join()
    assert longest < 0.5


def test_a_second_call_is_busy(tiny):
    with tiny.session(n_threads=1) as session:
        seq, inside, leave = session.sequence(), threading.Event(), threading.Event()

        def wait(event):
            inside.set()
            assert leave.wait(20)

        thread = threading.Thread(target=seq.plain_decode, args=(PROMPT,), kwargs=dict(max_new=2, on_event=wait))
        thread.start()
        assert inside.wait(20)
        with pytest.raises(libnxs.BusyError):
            session.sequence()
        assert len(seq) >= 0
        leave.set()
        thread.join()
        assert session.sequence().plain_decode(PROMPT, max_new=2).tokens


def test_closing_under_a_call(tiny):
    for _ in range(30):
        session = tiny.session(n_threads=2)
        seq = session.sequence()
        started = threading.Event()

        def work():
            started.set()
            try:
                while True:
                    seq.spec_decode(PROMPT, max_new=200)
                    seq.truncate(0)
            except libnxs.ClosedError:
                pass

        thread = threading.Thread(target=work)
        thread.start()
        started.wait()
        session.cancel()
        session.close()
        thread.join()
