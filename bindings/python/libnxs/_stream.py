# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Streams: a run that is pulled."""

from __future__ import annotations

from typing import Any, Iterator

from . import raw
from ._handle import Handle
from ._result import Result
from ._types import Event


class Stream(Handle):
    """An iterator of events; stop pulling and close() to cancel: what has been pulled stays in the sequence. text()
    and tokens() iterate over those alone."""

    _kind = "stream"

    def __init__(self, handle: Any, drafter: Any = None) -> None:
        super().__init__(handle)
        handle.drafter = drafter  # with its callback, which the library knows only by address

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        fields = raw.nxs_stream_next(self._live)
        if fields is None:
            raise StopIteration
        return Event(*fields)

    def text(self) -> Iterator[str]:
        """The text, in pieces of whole characters."""
        return (event.text for event in self if event.data)

    def tokens(self) -> Iterator[int]:
        """The emitted tokens."""
        return (event.token for event in self if event.is_token)

    def result(self) -> Result:
        """The result so far."""
        return Result._of(raw.nxs_stream_result(self._live))
