# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What models, sessions, sequences, drafters, streams and votes share: a handle that can be closed at any time."""

import operator
from typing import Any, Mapping, Optional, Type, TypeVar

from ._errors import ClosedError

Self = TypeVar("Self", bound="Handle")


class Handle:
    """Closed by ``close()``, at the end of a ``with`` block, or when nothing refers to it any more. Closing is legal
    at any time on any thread: a call that is under way keeps what it needs until it returns."""

    _kind = "handle"

    def __init__(self, raw: Any) -> None:
        self._raw: Optional[Any] = raw

    @property
    def _live(self) -> Any:
        raw = self._raw
        if raw is None:
            raise ClosedError(f"the {self._kind} is closed")
        return raw

    @property
    def closed(self) -> bool:
        """True after close()."""
        return self._raw is None

    def close(self) -> None:
        """Gives back what the handle owns. Closing twice is allowed."""
        self._raw = None

    def __enter__(self: Self) -> Self:
        self._live
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> str:
        raise TypeError(f"a {self._kind} cannot be pickled or copied")


def raw_of(handle: Any, kind: Type[Handle]) -> Any:
    """The generated proxy of a handle of this class."""
    if not isinstance(handle, kind):
        raise TypeError(f"a {kind.__name__} is expected, not {type(handle).__name__}")
    return handle._live


def fill(params: Any, fields: Mapping[str, Any], flags: Mapping[str, int] = {}) -> Any:
    """Sets fields of a parameter struct that the library has filled with its defaults; names in `flags` are bits of
    its `flags`."""
    for name, value in fields.items():
        if name in flags:
            params.flags = params.flags | flags[name] if value else params.flags & ~flags[name]
        elif name == "flags" or name.startswith(("_", "this")) or not hasattr(params, name):
            raise TypeError(f"unexpected keyword argument {name!r}")
        elif isinstance(getattr(params, name), float):
            setattr(params, name, float(0.0 + value))  # a str is no number here
        else:
            setattr(params, name, operator.index(value))
    return params
