# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Callbacks: what they raise reaches the caller, what they return is checked, and they cannot enter the session
again."""

import os
import signal
import threading

import pytest

import libnxs
from conftest import prompt

PROMPT = prompt(1, 40)


class Mine(Exception):
    pass


def raise_mine(*_):
    raise Mine("from the callback")


def runs(seq):
    """Every way to get a callback called."""
    return [
        lambda f: seq.plain_decode(PROMPT, max_new=8, on_event=f),
        lambda f: seq.spec_decode(PROMPT, max_new=8, on_event=f),
        *(
            lambda f, mode=mode: seq.vote(PROMPT, mode, n_samples=3, max_new=8, on_event=f)
            for mode in ("reset", "paged", "batched")
        ),
    ]


def test_exceptions_come_through(seq):
    for run in runs(seq):
        for kind in (
            raise_mine,
            lambda event: 1 / 0,
            lambda event: raise_mine() if event.end else None,
            lambda event: raise_mine() if event.is_token else None,
        ):
            with pytest.raises((Mine, ZeroDivisionError)):
                run(kind)
            assert len(seq) == 0
    with pytest.raises(SystemExit):
        seq.plain_decode(PROMPT, on_event=lambda event: exit(3))
    assert seq.plain_decode(PROMPT, max_new=4).stats.n_emitted == 4


def test_what_they_return(seq):
    assert seq.fork().plain_decode(PROMPT, max_new=4, on_event=lambda e: None).stop == libnxs.Stop.MAX_NEW
    assert seq.fork().plain_decode(PROMPT, max_new=4, on_event=lambda e: False).stop == libnxs.Stop.MAX_NEW
    stopped = seq.fork().plain_decode(PROMPT, max_new=9, on_event=lambda e: e.is_token and e.index == 2)
    assert stopped.stop == libnxs.Stop.CANCELLED and len(stopped.tokens) == 3
    with pytest.raises(libnxs.CallbackError):
        seq.plain_decode(PROMPT, on_event=lambda e: -1)
    with pytest.raises(TypeError):
        seq.plain_decode(PROMPT, on_event=lambda e: "yes")
    with pytest.raises(TypeError):
        seq.plain_decode(PROMPT, on_event=lambda: None)


def test_events(seq):
    events = []
    result = seq.spec_decode(PROMPT, max_new=16, on_event=events.append)
    assert [e.token for e in events if e.is_token] == list(result.tokens)
    assert b"".join(e.data for e in events) == result.data
    assert events[0].prefill and events[-1].end and events[-1].index == 16
    assert sum(e.drafted for e in events) == result.stats.n_accepted == sum(result.flags)
    logprobs = seq.plain_decode(PROMPT, max_new=4, logprobs=True).logprobs
    assert logprobs.shape == (4,) and (logprobs <= 0).all()


def test_busy_inside_a_callback(session, seq):
    other = session.sequence()
    seen = []

    def enter(event):
        for call in (
            lambda: seq.plain_decode([1]),
            lambda: other.forward([1]),
            lambda: seq.tokens,
            seq.fork,
            lambda: session.info,
        ):
            with pytest.raises(libnxs.BusyError):
                call()
        assert len(seq) >= 0
        seen.append(event)

    seq.plain_decode(PROMPT, max_new=3, on_event=enter)
    assert len(seen) >= 4


def test_close_and_cancel_inside_a_callback(tiny):
    for close in (lambda s, q: s.close(), lambda s, q: q.close(), lambda s, q: s.cancel()):
        session = tiny.session(n_threads=2)
        seq = session.sequence()
        result = seq.plain_decode(
            PROMPT, max_new=20, on_event=lambda e: close(session, seq) if e.index == 3 and e.is_token else None
        )
        assert result.stop in (libnxs.Stop.CANCELLED, libnxs.Stop.MAX_NEW)


def test_drafters(seq):
    expected = seq.fork().plain_decode(PROMPT, max_new=12)
    for draft in (lambda c, n: [], lambda c, n: [int(c[-1])] * 100, lambda c, n: c[:n], lambda c, n: None):
        assert seq.fork().spec_decode(PROMPT, max_new=12, drafter=libnxs.Drafter.custom(draft)) == expected
    for draft, error in (
        (raise_mine, Mine),
        (lambda c, n: "ab", TypeError),
        (lambda c, n: 3, TypeError),
        (lambda: 0, TypeError),
        (lambda c, n: [10**6], libnxs.CallbackError),
        (lambda c, n: [-1], libnxs.CallbackError),
    ):
        drafter = libnxs.Drafter.custom(draft)
        with pytest.raises(error):
            seq.spec_decode(PROMPT, max_new=12, drafter=drafter)
        stream = seq.stream(PROMPT, max_new=12, drafter=drafter)
        drafter.close()
        with pytest.raises(error):
            list(stream)
        with pytest.raises(libnxs.CallbackError):
            next(stream)
        stream.close()
    with pytest.raises(TypeError):
        libnxs.Drafter()
    lookup = libnxs.Drafter.lookup(draft_max=4)
    lookup.add_text(list(expected.tokens))
    assert seq.fork().spec_decode(PROMPT, max_new=12, drafter=lookup) == expected
    # Alive only through the stream.
    stream = seq.stream(PROMPT, max_new=12, drafter=libnxs.Drafter.custom(lambda c, n: [int(c[-1])] * n))
    assert tuple(stream.tokens()) == expected.tokens


def test_interrupt(tiny):
    """Ctrl-C ends a run that has no callback; the sequence is as before."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background start without one
    with tiny.session(n_threads=1) as session:
        seq = session.sequence()
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            while True:
                seq.plain_decode(PROMPT, max_new=1900, ignore_stop=True)
                seq.truncate(0)
        timer.join()
    signal.signal(signal.SIGINT, before)
