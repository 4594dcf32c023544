# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Results and votes. A Result is plain data; a Vote is a handle, since its answers can be set."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Optional, Tuple

import numpy as np

from . import raw
from ._handle import Handle
from ._types import Stats, Stop, copied

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _stats(struct: Any) -> Stats:
    stats = copied(Stats, struct)
    return stats._replace(stop=Stop(stats.stop))


@dataclass(frozen=True)
class Result:
    """What a run gave: independent of model and session, may be kept and pickled. Two results with one receipt
    computed the same thing."""

    tokens: Tuple[int, ...]
    flags: bytes = field(repr=False, compare=False)  #: one byte per token, 1: drafted and accepted
    data: bytes = field(repr=False)  #: the text's bytes
    stats: Stats = field(repr=False, compare=False)
    receipt: str
    logprobs: Optional[NDArray[np.float32]] = field(
        default=None, repr=False, compare=False
    )  #: per token, when asked for

    @classmethod
    def _of(cls, handle: Any) -> Result:
        logprobs = raw.nxs_result_logprobs(handle)
        return cls(
            tuple(raw.nxs_result_tokens(handle)),
            raw.nxs_result_flags(handle),
            raw.nxs_result_text(handle),
            _stats(raw.nxs_result_stats(handle)),
            raw.nxs_result_receipt(handle),
            np.frombuffer(logprobs, np.float32) if logprobs else None,
        )

    @property
    def text(self) -> str:
        """The text, with U+FFFD for bytes that are in no character."""
        return self.data.decode("utf-8", "replace")

    @property
    def stop(self) -> Stop:
        """Why the run ended."""
        return self.stats.stop

    def __str__(self) -> str:
        return self.text


class Vote(Handle):
    """Samples and their answers, the answer with most votes first. Independent of model and session. len(), [] and
    iteration give the samples."""

    _kind = "vote"

    def __len__(self) -> int:
        return int(raw.nxs_vote_n_samples(self._live))

    def __getitem__(self, sample: int) -> Result:
        live, count = self._live, len(self)
        if not -count <= sample < count:
            raise IndexError(f"sample {sample} of {count}")
        return Result._of(raw.nxs_vote_sample(live, sample % count))

    def __iter__(self) -> Iterator[Result]:
        return (self[i] for i in range(len(self)))

    def sample_answer(self, sample: int) -> Optional[str]:
        """The answer of one sample, None if it has none."""
        return raw.nxs_vote_sample_answer(self._live, sample)  # type: ignore[no-any-return]

    @property
    def answers(self) -> List[Tuple[str, int]]:
        """(answer, votes), most votes first, then the lowest sample."""
        live = self._live
        return [
            (raw.nxs_vote_answer(live, i), raw.nxs_vote_answer_count(live, i))
            for i in range(raw.nxs_vote_n_answers(live))
        ]

    @property
    def winner(self) -> Optional[str]:
        """The answer with most votes; None when no sample gave one."""
        return raw.nxs_vote_answer(self._live, 0)  # type: ignore[no-any-return]

    def winner_int(self) -> int:
        """The same as an integer; raises NoAnswerError or RangeError."""
        return int(raw.nxs_vote_winner_int64(self._live))

    @property
    def is_tie(self) -> bool:
        """Whether the second answer has as many votes."""
        return bool(raw.nxs_vote_is_tie(self._live))

    @property
    def n_skipped(self) -> int:
        """Samples that could not change the winner any more (early=True)."""
        return int(raw.nxs_vote_n_skipped(self._live))

    @property
    def stats(self) -> Stats:
        """Of the whole call: a shared prefill or forward counts once."""
        return _stats(raw.nxs_vote_stats(self._live))

    @property
    def receipt(self) -> str:
        """Over the samples' receipts and answers."""
        return str(raw.nxs_vote_receipt(self._live))

    def set_answer(self, sample: int, answer: Optional[str]) -> None:
        """Replaces the answer of one sample and counts again."""
        raw.nxs_vote_set_answer(self._live, sample, answer)

    def extract(self, answer_of: Callable[[str], Optional[str]]) -> None:
        """Sets every sample's answer by a function of its text."""
        for i, result in enumerate(self):
            self.set_answer(i, answer_of(result.text))
