# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Constants, tuples and keyword arguments of the interface. Defaults are the library's; nothing here repeats them."""

import enum
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple, Tuple, Type, TypeVar, Union

from . import raw

if TYPE_CHECKING:
    from typing_extensions import TypedDict
else:
    from typing import TypedDict

Tokens = Iterable[int]  #: token ids: a list, a NumPy array, any iterable
Text = Union[str, bytes]
T = TypeVar("T", bound=Tuple[Any, ...])


class Stop(enum.IntEnum):
    """Why a run ended; RUNNING in the result of a stream that has not."""

    RUNNING = 0
    TOKEN = raw.NXS_STOP_TOKEN
    TEXT = raw.NXS_STOP_TEXT
    MAX_NEW = raw.NXS_STOP_MAX_NEW
    CONTEXT = raw.NXS_STOP_CONTEXT
    KV_FULL = raw.NXS_STOP_KV_FULL
    CANCELLED = raw.NXS_STOP_CANCELLED


class Isa(enum.IntEnum):
    """Instruction set of a session. None of them changes a bit."""

    BEST = raw.NXS_ISA_BEST
    REFERENCE = raw.NXS_ISA_REFERENCE
    AVX2 = raw.NXS_ISA_AVX2
    AVX512 = raw.NXS_ISA_AVX512
    NEON = raw.NXS_ISA_NEON


class KvType(enum.IntEnum):
    """How keys and values are stored. Changes the bits, and so the receipt."""

    F16 = raw.NXS_KV_F16
    F32 = raw.NXS_KV_F32


class Extract(enum.IntEnum):
    """How a vote finds the answer in a sample's text; NONE leaves that to Vote.set_answer()."""

    NONE = raw.NXS_EXTRACT_NONE
    LAST_INTEGER = raw.NXS_EXTRACT_LAST_INTEGER
    LAST_NUMBER = raw.NXS_EXTRACT_LAST_NUMBER
    BOXED = raw.NXS_EXTRACT_BOXED


class ModelInfo(NamedTuple):
    """Shape and size of a model."""

    n_vocab: int
    n_layers: int
    n_embd: int
    n_heads: int
    n_heads_kv: int
    n_ctx: int  #: context length the model was trained for, tokens
    weight_bytes: int  #: resident memory
    kv_bytes_per_token: int  #: with F16 keys and values; F32 takes twice as much


class SessionInfo(NamedTuple):
    """What a session uses now; pool sizes in tokens, memory in bytes."""

    n_threads: int
    isa: int
    page_tokens: int
    n_ctx: int
    kv_tokens: int
    kv_tokens_free: int
    kv_tokens_peak: int
    kv_bytes: int
    scratch_bytes: int


class Stats(NamedTuple):
    """Counts and seconds of a run; nxs.h defines them so that the sums close."""

    stop: Stop
    n_prompt: int
    n_reused: int
    n_forwards: int
    n_rows: int
    n_drafted: int
    n_accepted: int
    n_emitted: int
    prefill_seconds: float
    decode_seconds: float
    draft_seconds: float


class Event(NamedTuple):
    """What a stream or an ``on_event`` callback is told: once per prefill chunk, once per token, once at the end of
    each run."""

    sample: int  #: of a vote, from 0
    #: of the token in its run; PREFILL: prompt tokens in the cache; END: tokens emitted
    index: int  # type: ignore[assignment]
    token: int  #: -1 in PREFILL and END
    flags: int
    data: bytes  #: UTF-8 characters that this token completed
    piece: bytes  #: the token's own bytes

    @property
    def text(self) -> str:
        """The characters that this token completed, ready to print."""
        return self.data.decode("utf-8", "replace")

    @property
    def is_token(self) -> bool:
        """An emitted token, not a prefill chunk or the end."""
        return self.token >= 0

    @property
    def drafted(self) -> bool:
        """The token was drafted and accepted."""
        return bool(self.flags & raw.NXS_EVENT_DRAFTED)

    @property
    def prefill(self) -> bool:
        """A chunk of the prompt is in the cache."""
        return bool(self.flags & raw.NXS_EVENT_PREFILL)

    @property
    def end(self) -> bool:
        """The run has ended."""
        return bool(self.flags & raw.NXS_EVENT_END)


class ModelFields(TypedDict, total=False):
    """Keyword arguments of Model()."""

    n_threads: int
    max_bytes: int


class SessionFields(TypedDict, total=False):
    """Keyword arguments of Session(). They decide memory and speed; of them kv_type alone changes bits."""

    n_threads: int
    isa: int
    kv_type: int
    page_tokens: int
    prefill_chunk: int
    n_ctx: int
    kv_tokens: int


class DecodeFields(TypedDict, total=False):
    """Keyword arguments of every run. They decide the tokens and are in the receipt; the defaults are greedy decoding
    of 256 tokens."""

    max_new: int
    seed: int
    temperature: float
    top_p: float
    min_p: float
    top_k: int
    repeat_penalty: float
    repeat_last: int
    ignore_stop: bool
    logprobs: bool


class VoteFields(DecodeFields, total=False):
    """Keyword arguments of Sequence.vote(): those of its samples and those of the vote."""

    n_samples: int
    extractor: int
    max_batch: int
    seed_stride: int
    early: bool


DECODE_FLAGS = {"ignore_stop": raw.NXS_DECODE_IGNORE_STOP, "logprobs": raw.NXS_DECODE_LOGPROBS}
VOTE_FLAGS = {"early": raw.NXS_VOTE_EARLY}
VOTE_NAMES = ("n_samples", "extractor", "max_batch", "seed_stride", "early")


def copied(kind: Type[T], struct: Any) -> T:
    """A generated struct as a tuple of its own, independent of the handle that lent it."""
    return kind(*(getattr(struct, name) for name in kind._fields))  # type: ignore[attr-defined]
