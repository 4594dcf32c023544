# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Exact speculative decoding and self-consistency for Llama-class language models on CPUs.

    import libnxs

    with libnxs.Model("model.gguf") as model, model.session() as session:
        seq = session.sequence()
        result = seq.spec_decode(model.chat("List the planets."), max_new=100)
        print(result.text, result.receipt)
        for text in seq.stream(model.chat("And their moons?", continues=True)).text():
            print(text, end="", flush=True)
        vote = session.sequence().vote(model.chat("What is 17 + 25?"), n_samples=16)
        print(vote.winner, vote.answers)

Same tokens, same logits bits, same receipts whatever the drafter, batch, threads, page size and instruction set.
`libnxs.raw` is the generated layer below: one function per function of nxs.h. """

import json as _json
from typing import Any, Dict, Optional

from . import raw
from ._drafter import Draft, Drafter
from ._errors import (
    ArgumentError,
    BusyError,
    CallbackError,
    CancelledError,
    ClosedError,
    ContextError,
    Error,
    ForkedError,
    FormatError,
    KvFullError,
    NoAnswerError,
    NumericError,
    OutOfMemoryError,
    RangeError,
    ReadError,
    SelftestError,
    Status,
    TemplateError,
    UnencodableError,
    UnsupportedError,
)
from ._model import Message, Model
from ._result import Result, Vote
from ._sequence import OnEvent, Sequence
from ._session import Session
from ._stream import Stream
from ._types import (
    DecodeFields,
    Event,
    Extract,
    Isa,
    KvType,
    ModelFields,
    ModelInfo,
    SessionFields,
    SessionInfo,
    Stats,
    Stop,
    Text,
    Tokens,
    VoteFields,
)

__version__: str = raw.nxs_version()


def build_info() -> Dict[str, Any]:
    """Compiler, instruction sets built and libraries."""
    return dict(_json.loads(raw.nxs_build_info()))


def selftest(level: int = 0) -> str:
    """Proves the promise on this CPU or raises SelftestError; level 0 takes below a second, 1 below a minute. The
    digest that it returns is the same on every machine."""
    return str(raw.nxs_selftest(level))


def kv_tokens(n_prompt: int, max_new: int, n_samples: int, page_tokens: int = 64) -> int:
    """A `kv_tokens` for Session that is surely enough for a prompt and `n_samples` forks of it, each at most
    `max_new` long."""
    return int(raw.nxs_kv_tokens(n_prompt, max_new, n_samples, page_tokens))


def extract(text: Text, extractor: int = Extract.LAST_INTEGER) -> Optional[str]:
    """The answer in a text as a vote finds it, None if there is none."""
    found: bytes = raw.nxs_extract(extractor, text)
    return found.decode("utf-8", "replace") if found else None


__all__ = [name for name in dir() if not name.startswith("_")] + ["__version__"]
