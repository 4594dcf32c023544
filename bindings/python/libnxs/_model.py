# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Models: files, text and tokens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, List, Mapping, Optional, Tuple, Union

from . import raw
from ._handle import Handle, fill
from ._types import DECODE_FLAGS, DecodeFields, ModelFields, ModelInfo, SessionFields, Text, Tokens, copied

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._session import Session

Message = Union[Mapping[str, str], Tuple[str, str]]


class Model(Handle):
    """An open GGUF file: immutable, shared freely between threads and sessions, which keep what they need of it after
    ``close()``."""

    _kind = "model"

    def __init__(self, path: Union[str, bytes, os.PathLike[Any]], **params: Unpack[ModelFields]) -> None:
        super().__init__(raw.nxs_model_open(os.fsencode(path), fill(raw.nxs_model_params(), params)))

    @classmethod
    def from_memory(cls, data: Any, **params: Unpack[ModelFields]) -> Model:
        """The same from the bytes of a file (any buffer; copied)."""
        model = cls.__new__(cls)
        Handle.__init__(model, raw.nxs_model_open_memory(data, fill(raw.nxs_model_params(), params)))
        return model

    @property
    def info(self) -> ModelInfo:
        """Shape and size."""
        return copied(ModelInfo, raw.nxs_model_get_info(self._live))

    @property
    def n_vocab(self) -> int:
        """Number of tokens in the vocabulary: the length of a row of logits."""
        return int(raw.nxs_model_get_info(self._live).n_vocab)

    @property
    def digest(self) -> str:
        """32 hex digits over weights, vocabulary and every hyper-parameter read."""
        return str(raw.nxs_model_digest(self._live))

    @property
    def notes(self) -> List[str]:
        """What a log would say about the file."""
        live = self._live
        found: List[str] = []
        while (note := raw.nxs_model_note(live, len(found))) is not None:
            found.append(note)
        return found

    def string(self, key: str) -> Optional[str]:
        """A string value of the file's metadata, None if there is none."""
        value = raw.nxs_model_string(self._live, key)
        return None if value is None else str(value)

    def tokenize(self, text: Text, *, special: bool = False, bos: bool = False) -> List[int]:
        """Token ids of a text. `special`: "<|im_end|>" in it is the control token; `bos`: the model's begin token
        first, if it asks for one."""
        flags = raw.NXS_TEXT_SPECIAL * bool(special) | raw.NXS_TEXT_BOS * bool(bos)
        return raw.nxs_tokenize(self._live, text, flags)[0]  # type: ignore[no-any-return]

    def tokenize_lossy(self, text: Text, *, special: bool = False, bos: bool = False) -> Tuple[List[int], int]:
        """The same, with bytes that the vocabulary cannot express left out; returns also their number."""
        flags = raw.NXS_TEXT_SPECIAL * bool(special) | raw.NXS_TEXT_BOS * bool(bos) | raw.NXS_TEXT_DROP
        return raw.nxs_tokenize(self._live, text, flags)  # type: ignore[no-any-return]

    def detokenize_bytes(self, tokens: Tokens, *, special: bool = False) -> bytes:
        """The bytes of tokens; a token may end inside a UTF-8 character."""
        flags = raw.NXS_TEXT_SPECIAL * bool(special)
        return raw.nxs_detokenize(self._live, tokens, flags)  # type: ignore[no-any-return]

    def detokenize(self, tokens: Tokens, *, special: bool = False) -> str:
        """The text of tokens, with U+FFFD for bytes that are in no character."""
        return self.detokenize_bytes(tokens, special=special).decode("utf-8", "replace")

    def chat(
        self, messages: Union[str, Iterable[Message]], *, reply: bool = True, continues: bool = False
    ) -> List[int]:
        """A conversation as the model's own template writes it. `messages`: {"role": …, "content": …} or (role,
        content), or a str for one user message. `reply`: end with the opening of an assistant turn. `continues`: the
        sequence ends with a reply already; give only what comes after it."""
        if isinstance(messages, str):
            messages = [("user", messages)]
        pairs = [(m["role"], m["content"]) if isinstance(m, Mapping) else tuple(m) for m in messages]
        flags = raw.NXS_CHAT_REPLY * bool(reply) | raw.NXS_CHAT_CONTINUE * bool(continues)
        return raw.nxs_chat_format(self._live, pairs, flags)  # type: ignore[no-any-return]

    def is_stop(self, token: int) -> bool:
        """Whether this token ends a run."""
        return bool(raw.nxs_token_is_stop(self._live, token))

    def sample(self, logits: Any, position: int, context: Tokens = (), **params: Unpack[DecodeFields]) -> int:
        """The token that a run with these parameters would choose from one row of float32 logits to stand at index
        `position`."""
        filled = fill(raw.nxs_decode_params(), params, DECODE_FLAGS)
        return raw.nxs_sample_sized(self._live, logits, position, context, filled)  # type: ignore[no-any-return]

    def session(self, **params: Unpack[SessionFields]) -> Session:
        """A session over this model."""
        from ._session import Session

        return Session(self, **params)
