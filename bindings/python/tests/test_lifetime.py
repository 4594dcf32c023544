# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Handles: closed ones raise, any order is right, thousands of cycles leave nothing, streams can be dropped, children
of fork() are told."""

import gc
import os
import threading
import weakref

import pytest

import libnxs
from conftest import PATHS, prompt

PROMPT = prompt(2, 30)


def test_closed_handles(tiny):
    model = libnxs.Model(PATHS["tiny"])
    session = model.session(n_threads=1)
    seq, other, drafter = session.sequence(), session.sequence(), libnxs.Drafter.lookup()
    stream, vote = other.stream(PROMPT), seq.vote(PROMPT, n_samples=1, max_new=2)
    model.close()
    assert seq.plain_decode([1], max_new=2).tokens  # the session keeps what it needs of the model
    session.close()
    vote.close()
    drafter.close()
    calls = [
        lambda: model.info,
        lambda: model.n_vocab,
        lambda: model.digest,
        lambda: model.notes,
        lambda: model.string("x"),
        lambda: model.tokenize("x"),
        lambda: model.detokenize([1]),
        lambda: model.chat("x"),
        lambda: model.is_stop(1),
        lambda: model.sample([0.0], 0),
        model.session,
        lambda: session.info,
        session.cancel,
        session.sequence,
        lambda: session.forward([seq], [1]),
        lambda: len(seq),
        lambda: seq.tokens,
        seq.fork,
        lambda: seq.truncate(0),
        lambda: seq.add_stop("x"),
        seq.clear_stops,
        lambda: seq.forward([1]),
        lambda: seq.plain_decode([1]),
        lambda: seq.spec_decode([1]),
        lambda: seq.stream([1]),
        lambda: seq.vote([1]),
        lambda: next(stream),
        stream.result,
        lambda: len(vote),
        lambda: vote[0],
        lambda: vote.winner,
        vote.winner_int,
        lambda: vote.set_answer(0, "x"),
        lambda: vote.answers,
        lambda: vote.stats,
        lambda: vote.receipt,
        lambda: drafter.add_text([1]),
        seq.__enter__,
    ]
    for call in calls:
        with pytest.raises(libnxs.ClosedError, match="closed"):
            call()
    for handle in (model, session, seq, stream, vote, drafter):
        assert handle.closed
        handle.close()
    with tiny.session() as again, pytest.raises(libnxs.ClosedError):
        again.sequence().spec_decode([1], drafter=drafter)


def resident():
    gc.collect()
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def cycle(how):
    model = libnxs.Model(PATHS["tiny"])
    session = model.session(n_threads=2, kv_tokens=256)
    seq = session.sequence()
    seq.spec_decode(PROMPT, max_new=4, drafter=libnxs.Drafter.custom(lambda c, n: [1]), on_event=lambda e: None)
    vote = seq.fork().vote(PROMPT, n_samples=2, max_new=2)
    stream = session.sequence().stream(PROMPT, max_new=4)
    next(stream)
    with pytest.raises(ZeroDivisionError):
        seq.plain_decode(PROMPT, on_event=lambda e: 1 / 0)
    if how == 0:
        for handle in (model, session, seq, vote, stream):
            handle.close()
    elif how == 1:
        for handle in (stream, vote, seq, session, model):
            handle.close()


def test_a_thousand_cycles_leave_nothing():
    for i in range(200):
        cycle(i % 3)
    before, threads = resident(), threading.active_count()
    for i in range(1000):
        cycle(i % 3)
    assert resident() - before < 4 << 20
    assert threading.active_count() == threads
    gc.collect()
    assert len(os.listdir("/proc/self/task")) <= threads + 1


def test_streams_can_be_dropped(session, seq):
    expected = seq.fork().plain_decode(PROMPT, max_new=10)
    stream = seq.stream(PROMPT, max_new=10)
    pulled = [event.token for event, _ in zip((e for e in stream if e.is_token), range(4))]
    with pytest.raises(libnxs.BusyError):
        seq.plain_decode([1])
    assert session.sequence().plain_decode(PROMPT, max_new=10) == expected
    assert (
        stream.result().tokens == expected.tokens[: len(stream.result().tokens)]
        and stream.result().stop == libnxs.Stop.RUNNING
    )
    stream.close()
    assert seq.tokens[: len(PROMPT) + 4] == PROMPT + pulled
    seq.truncate(0)
    for event in seq.stream(PROMPT, max_new=10):
        if event.is_token:
            break
    del event
    gc.collect()
    seq.truncate(0)
    with seq.stream(PROMPT, max_new=10) as stream:
        for event in stream:
            session.cancel()
        assert stream.result().stop == libnxs.Stop.CANCELLED
        assert next(stream, None) is None
    session.cancel(False)


def test_nothing_keeps_a_handle(session):
    seq = session.sequence()
    watched = weakref.ref(seq)
    seq.plain_decode(PROMPT, max_new=2, on_event=lambda e: None)
    del seq
    assert watched() is None


def test_children_of_fork(session, seq):
    child = os.fork()
    if child == 0:
        try:
            assert session.model.tokenize("ab")
            seq.plain_decode([1])
        except libnxs.ForkedError:
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert seq.plain_decode([1], max_new=2).tokens
