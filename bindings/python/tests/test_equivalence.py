# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The promise, seen from Python: plain = speculative = streamed, reset = paged = batched, by tokens and receipts."""

import numpy as np
import pytest

import libnxs
from conftest import prompt

SESSIONS = [
    dict(n_threads=1),
    dict(n_threads=2, page_tokens=16, prefill_chunk=7),
    dict(n_threads=3, isa=libnxs.Isa.REFERENCE, page_tokens=1, prefill_chunk=63),
]
SAMPLED = dict(temperature=0.9, top_k=50, seed=7)


def prompts(model):
    """On the tiny model they cross 512 and 1,024 tokens; on a real one they are short questions."""
    if model.n_vocab < 1000:
        return [prompt(i, n) for i, n in enumerate((1, 33, 64, 505, 1020))]
    return [
        model.chat("Write the numbers from one to ten, then write them again."),
        model.chat("What is the capital of France?"),
    ]


def oracle_drafter(model, tokens, right):
    """Drafts the tokens that will come, or others."""

    def draft(context, capacity):
        following = tokens[len(context) : len(context) + capacity]
        return following if right else [(t + 1) % model.n_vocab for t in following]

    return libnxs.Drafter.custom(draft, draft_max=5)


@pytest.mark.parametrize("params", [{}, SAMPLED], ids=["greedy", "sampled"])
def test_plain_is_speculative_is_streamed(model, params):
    accepted, n = 0, 48 if model.n_vocab < 1000 else 24
    for tokens in prompts(model):
        results = []
        for number, settings in enumerate(SESSIONS if model.n_vocab < 1000 else SESSIONS[:2]):
            with model.session(**settings) as session:
                plain = session.sequence().plain_decode(tokens, max_new=n, **params)
                everything = tokens + list(plain.tokens)
                results += [plain, session.sequence().spec_decode(tokens, max_new=n, **params)]
                for drafter in (
                    libnxs.Drafter.lookup(draft_max=1 + 3 * number, adaptive=0),
                    oracle_drafter(model, everything, True),
                    oracle_drafter(model, everything, False),
                ):
                    results.append(session.sequence().spec_decode(tokens, max_new=n, drafter=drafter, **params))
                with session.sequence().stream(tokens, max_new=n, **params) as stream:
                    pulled = tuple(stream.tokens())
                    results.append(stream.result())
                assert pulled == plain.tokens
                accepted += sum(r.stats.n_accepted for r in results)
        for result in results:
            assert result == results[0]
            assert (result.tokens, result.data, result.receipt) == (
                results[0].tokens,
                results[0].data,
                results[0].receipt,
            )
            assert result.stop == results[0].stop
    assert accepted > 0


def test_modes_of_votes(model):
    tokens = prompts(model)[-1][:700]
    params = dict(n_samples=5, max_new=24, seed=3, temperature=0.8, extractor=libnxs.Extract.LAST_INTEGER)
    votes = []
    for mode in ("reset", "paged", "batched"):
        for settings in SESSIONS[:2]:
            with model.session(**settings) as session:
                votes.append(session.sequence().vote(tokens, mode, **params))
    first = votes[0]
    for vote in votes:
        assert vote.receipt == first.receipt
        assert list(vote) == list(first) and len(vote) == 5
        assert vote.answers == first.answers and vote.winner == first.winner
    with model.session(n_threads=1) as session:
        for i, sample in enumerate(first):
            alone = session.sequence().plain_decode(tokens, max_new=24, seed=3 + i * 7919, temperature=0.8, top_k=40)
            assert alone == sample


def test_loop_over_forward_is_the_run(model):
    """forward() and sample() make the tokens of plain_decode, whatever the rows of a forward."""
    tokens = prompts(model)[1]
    params = dict(max_new=12, **SAMPLED)
    with model.session(n_threads=1) as session:
        expected = session.sequence().plain_decode(tokens, ignore_stop=True, **params)
        seq, found = session.sequence(), list(tokens)
        row = seq.forward(tokens)
        for _ in expected.tokens:
            found.append(model.sample(row, len(found), **SAMPLED))
            row = seq.forward(found[-1:])
        assert tuple(found[len(tokens) :]) == expected.tokens
        again = session.sequence().forward(found, all_rows=True)
        assert np.array_equal(again[-1].view(np.uint32), row.view(np.uint32))


def test_next_turn_and_fork(model):
    with model.session(n_threads=1) as session:
        seq = session.sequence()
        first = seq.spec_decode(model.chat("Name a colour."), max_new=10)
        more = model.chat("Another one.", continues=first.stop == libnxs.Stop.TOKEN)
        fork = seq.fork()
        assert len(fork) == len(seq) and fork.tokens == seq.tokens
        assert seq.spec_decode(more, max_new=10) == fork.plain_decode(more, max_new=10)
        fork.truncate(3)
        assert fork.tokens == seq.tokens[:3]
