# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sequences: tokens with their keys and values, and the runs on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Optional

import numpy as np

from . import raw
from ._drafter import Drafter
from ._handle import Handle, fill, raw_of
from ._result import Result, Vote
from ._session import Session
from ._stream import Stream
from ._types import DECODE_FLAGS, VOTE_FLAGS, VOTE_NAMES, DecodeFields, Event, Text, Tokens, VoteFields

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Literal, Unpack

    from ._model import Model

#: None (or False) goes on, True stops the run and keeps what there is; an exception ends the call, reaching its caller.
OnEvent = Callable[[Event], Optional[bool]]

_MODES = {
    "reset": raw.nxs_selfconsist_reset,
    "paged": raw.nxs_selfconsist_paged,
    "batched": raw.nxs_selfconsist_batched,
}


def _listener(on_event: Optional[OnEvent]) -> Any:
    if on_event is None:
        return None
    if not callable(on_event):
        raise TypeError(f"on_event must be callable, not {type(on_event).__name__}")
    return lambda *fields: on_event(Event(*fields))


def _decode_params(fields: Any) -> Any:
    return fill(raw.nxs_decode_params(), fields, DECODE_FLAGS)


class Sequence(Handle):
    """Holds prompt and output of its runs, ready for the next turn. Made by Session.sequence() or fork()."""

    _kind = "sequence"

    def __init__(self, session: Session, _raw: Any = None) -> None:
        super().__init__(raw.nxs_seq_new(raw_of(session, Session)) if _raw is None else _raw)
        self._session = session
        session._adopt(self)

    @property
    def session(self) -> Session:
        """The session it belongs to."""
        return self._session

    @property
    def model(self) -> Model:
        """The session's model."""
        return self._session.model

    def __len__(self) -> int:
        return int(raw.nxs_seq_length(self._live))

    @property
    def tokens(self) -> List[int]:
        """All its tokens."""
        return raw.nxs_seq_tokens(self._live)  # type: ignore[no-any-return]

    def fork(self, length: int = -1) -> Sequence:
        """The first `length` tokens (-1: all) as a sequence of its own. Pages and stop strings are shared, nothing is
        computed."""
        return Sequence(self._session, raw.nxs_seq_fork(self._live, length))

    def truncate(self, length: int) -> None:
        """Forgets the tokens from index `length` on."""
        raw.nxs_seq_truncate(self._live, length)

    def add_stop(self, text: Text) -> None:
        """Runs on this sequence end before this text, which is not emitted. May be called several times."""
        if not text:
            raise ValueError("the stop text is empty")
        raw.nxs_seq_add_stop(self._live, text)

    def clear_stops(self) -> None:
        """Removes all stop texts."""
        raw.nxs_seq_add_stop(self._live, b"")

    def forward(
        self, tokens: Tokens, *, all_rows: bool = False, out: Optional[NDArray[np.float32]] = None
    ) -> NDArray[np.float32]:
        """Appends tokens; the logits after the last of them (n_vocab), or after each (tokens, n_vocab)."""
        ids = list(tokens)
        rows = self._session.forward([self], ids, [len(ids)], [True] * len(ids) if all_rows else None, out)
        return rows if all_rows else rows[0]

    def plain_decode(
        self, prompt: Tokens, *, on_event: Optional[OnEvent] = None, **params: Unpack[DecodeFields]
    ) -> Result:
        """Appends the prompt and emits tokens, one forward per token. An empty prompt goes on from what the sequence
        holds."""
        done = raw.nxs_plain_decode(self._live, prompt, _decode_params(params), _listener(on_event))
        return Result._of(done)

    def spec_decode(
        self,
        prompt: Tokens,
        *,
        drafter: Optional[Drafter] = None,
        on_event: Optional[OnEvent] = None,
        **params: Unpack[DecodeFields],
    ) -> Result:
        """The same tokens, the same receipt, faster: drafts are verified in one forward. `drafter` None: prompt
        lookup."""
        handle = None if drafter is None else raw_of(drafter, Drafter)
        done = raw.nxs_spec_decode(self._live, prompt, _decode_params(params), handle, _listener(on_event))
        return Result._of(done)

    def stream(self, prompt: Tokens, *, drafter: Optional[Drafter] = None, **params: Unpack[DecodeFields]) -> Stream:
        """The same run as an iterator of events. The sequence is in use until the stream ends or closes."""
        handle = None if drafter is None else raw_of(drafter, Drafter)
        stream = Stream(raw.nxs_stream_open(self._live, prompt, _decode_params(params), handle), handle)
        self._session._adopt(stream)
        return stream

    def vote(
        self,
        prompt: Tokens,
        mode: Literal["reset", "paged", "batched"] = "batched",
        *,
        on_event: Optional[OnEvent] = None,
        **params: Unpack[VoteFields],
    ) -> Vote:
        """Appends the prompt, samples `n_samples` continuations of it and votes. All modes give the same bytes:
        "reset" computes the prompt for each sample, "paged" forks it, "batched" advances all forks together.
        Defaults: temperature 0.7, top_k 40."""
        if mode not in _MODES:
            raise ValueError(f"mode must be one of {', '.join(map(repr, _MODES))}, not {mode!r}")
        own = {name: value for name, value in params.items() if name in VOTE_NAMES}
        rest = {"temperature": 0.7, "top_k": 40, **{name: value for name, value in params.items() if name not in own}}
        vote = fill(raw.nxs_vote_params(), own, VOTE_FLAGS)
        return Vote(_MODES[mode](self._live, prompt, _decode_params(rest), vote, _listener(on_event)))
