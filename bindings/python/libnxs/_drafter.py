# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Drafters: what proposes tokens. They change the speed, never the output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from . import raw
from ._handle import Handle, fill
from ._types import Tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Gets the context (token ids, int32) and the most tokens it may propose; returns ids that may follow.
Draft = Callable[["NDArray[np.int32]", int], Tokens]


class Drafter(Handle):
    """Made by lookup() or custom(). One run (stream: until its close) at a time."""

    _kind = "drafter"

    def __init__(self) -> None:
        raise TypeError("Drafter.lookup() and Drafter.custom() make drafters")

    @classmethod
    def _of(cls, handle: Any) -> Drafter:
        drafter = cls.__new__(cls)
        Handle.__init__(drafter, handle)
        return drafter

    @classmethod
    def lookup(cls, **params: float) -> Drafter:
        """Prompt lookup: the continuation of the latest earlier place where the sequence's last tokens stand. Fields:
        draft_max (0: never draft), ngram_max, ngram_min, adaptive, row_cost."""
        return cls._of(raw.nxs_drafter_lookup(fill(raw.nxs_lookup_params(), params)))

    @classmethod
    def custom(cls, draft: Draft, draft_max: int = 6) -> Drafter:
        """Drafts by a function of your own. Its exceptions end the run and reach the caller of the run."""
        if not callable(draft):
            raise TypeError(f"draft must be callable, not {type(draft).__name__}")

        def call(context: bytes, capacity: int) -> Tokens:
            return draft(np.frombuffer(context, np.int32), capacity)

        handle = raw.nxs_drafter_custom(call, draft_max)
        handle.draft = call  # the library has only its address
        return cls._of(handle)

    def add_text(self, tokens: Tokens) -> None:
        """More text for a lookup drafter to look in, after the sequence itself: a source file, a retrieved document."""
        raw.nxs_drafter_add_text(self._live, tokens)
