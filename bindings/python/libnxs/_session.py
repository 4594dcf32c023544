# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sessions: threads, page pool and scratch memory over one model."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any, Iterable, Optional, Sequence as Row

import numpy as np

from . import raw
from ._handle import Handle, fill, raw_of
from ._model import Model
from ._types import SessionFields, SessionInfo, Tokens, copied

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from ._sequence import Sequence


class Session(Handle):
    """One call at a time: a second one, on another thread or from a callback, raises BusyError. Closing it closes its
    sequences and streams."""

    _kind = "session"

    def __init__(self, model: Model, **params: Unpack[SessionFields]) -> None:
        super().__init__(raw.nxs_session_open(raw_of(model, Model), fill(raw.nxs_session_params(), params)))
        self._model = model
        self._n_vocab = model.n_vocab
        self._lock = threading.Lock()
        self._children: "weakref.WeakSet[Handle]" = weakref.WeakSet()

    def _adopt(self, child: Handle) -> None:
        """`child` closes when this does."""
        with self._lock:
            self._children.add(child)
        if self.closed:
            child.close()

    def close(self) -> None:
        """Closes the session, its sequences and streams; on another thread, a call that is under way ends first."""
        super().close()
        with self._lock:
            children = list(self._children)
        for child in children:
            child.close()

    @property
    def model(self) -> Model:
        """The model it was opened on."""
        return self._model

    @property
    def info(self) -> SessionInfo:
        """Threads, instruction set, pool and memory now."""
        info = raw.nxs_session_info()
        raw.nxs_session_get_info(info, self._live)
        return copied(SessionInfo, info)

    def cancel(self, on: bool = True) -> None:
        """Raises or lowers the cancel flag, from any thread. While it is up, runs stop with Stop.CANCELLED; nothing
        else lowers it."""
        raw.nxs_session_cancel(self._live, int(bool(on)))

    def sequence(self) -> Sequence:
        """A new, empty sequence."""
        from ._sequence import Sequence

        return Sequence(self)

    def forward(
        self,
        seqs: Iterable[Sequence],
        tokens: Tokens,
        counts: Optional[Tokens] = None,
        want: Optional[Row[bool]] = None,
        out: Optional[NDArray[np.float32]] = None,
    ) -> NDArray[np.float32]:
        """One forward: appends counts[i] tokens (one each when None) to seqs[i], `tokens` one sequence after the
        other. `want` says after which tokens logits are wanted (None: after the last of each sequence). Returns
        (rows, n_vocab) float32, written by the library straight into `out` (a C-contiguous float32 array with room)
        or into a new array."""
        from ._sequence import Sequence

        live = self._live
        handles = [raw_of(seq, Sequence) for seq in seqs]
        if want is not None:
            want = [bool(w) for w in want]
        rows = len(handles) if want is None else sum(want)
        size = rows * self._n_vocab
        if out is None:
            out = np.empty((rows, self._n_vocab), np.float32)
        elif not (
            isinstance(out, np.ndarray) and out.dtype == np.float32 and out.flags.c_contiguous and out.flags.writeable
        ):
            raise TypeError("out must be a writable, C-contiguous array of float32")
        raw.nxs_forward_sized(out, handles, counts, tokens, want)
        del live
        return out.reshape(-1)[:size].reshape(rows, self._n_vocab)
