# SPDX-License-Identifier: Apache-2.0 OR MIT
"""One exception class per status. Those that have a counterpart among Python's own are that too, so ``except
ValueError`` works."""

import enum
from typing import Dict, Type


class Status(enum.IntEnum):
    """What went wrong: NXS_ERR_* of nxs.h."""

    OK = 0
    INTERNAL = -1
    ARGUMENT = -2
    MEMORY = -3
    BUFFER = -4
    BUSY = -5
    FORKED = -6
    CANCELLED = -7
    UNSUPPORTED = -8
    IO = -9
    FORMAT = -10
    UNENCODABLE = -11
    TEMPLATE = -12
    CONTEXT = -13
    KV_FULL = -14
    CALLBACK = -15
    NUMERIC = -16
    NO_ANSWER = -17
    RANGE = -18
    SELFTEST = -19


class Error(Exception):
    """Anything that libnxs refuses or fails at. ``status`` says what, ``message`` has the library's words."""

    status: int = Status.INTERNAL

    def __init__(self, message: str = "", status: "int | None" = None) -> None:
        super().__init__(message)
        self.message = message
        if status is not None:
            self.status = status


class ArgumentError(Error, ValueError):
    """A parameter is out of range or contradicts another."""

    status = Status.ARGUMENT


class ClosedError(ArgumentError):
    """The model, session, sequence, stream, drafter or vote has been closed."""


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed, or a limit given by the caller was reached."""

    status = Status.MEMORY


class BusyError(Error):
    """The session is inside another call, on another thread or around this callback."""

    status = Status.BUSY


class ForkedError(Error):
    """The session belongs to the parent process."""

    status = Status.FORKED


class CancelledError(Error):
    """The session's cancel flag is up, and the call has no partial result."""

    status = Status.CANCELLED


class UnsupportedError(Error):
    """A feature of the file, of the CPU or a parameter that this version lacks."""

    status = Status.UNSUPPORTED


class ReadError(Error, OSError):
    """The file cannot be read."""

    status = Status.IO


class FormatError(Error, ValueError):
    """The file is malformed; the message has key or tensor and offset."""

    status = Status.FORMAT


class UnencodableError(Error, ValueError):
    """A byte that the vocabulary cannot express."""

    status = Status.UNENCODABLE


class TemplateError(Error):
    """The model has no chat template, or one that is not recognised."""

    status = Status.TEMPLATE


class ContextError(Error):
    """Longer than the context; the message has both numbers."""

    status = Status.CONTEXT


class KvFullError(Error):
    """The page pool cannot hold it."""

    status = Status.KV_FULL


class CallbackError(Error):
    """A callback returned a negative number, or a draft had ids outside the vocabulary. (Its exceptions come through
    as they are.)"""

    status = Status.CALLBACK


class NumericError(Error, ArithmeticError):
    """A value that is not finite, in a row that plain decoding computes too."""

    status = Status.NUMERIC


class NoAnswerError(Error):
    """No sample of the vote gave an answer."""

    status = Status.NO_ANSWER


class RangeError(Error, OverflowError):
    """The winning answer is no 64-bit integer."""

    status = Status.RANGE


class SelftestError(Error):
    """This build or CPU breaks the promise; the message has kernel, instruction set and shape."""

    status = Status.SELFTEST


_CLASSES: Dict[int, Type[Error]] = {
    int(c.status): c
    for c in (
        ArgumentError,
        OutOfMemoryError,
        BusyError,
        ForkedError,
        CancelledError,
        UnsupportedError,
        ReadError,
        FormatError,
        UnencodableError,
        TemplateError,
        ContextError,
        KvFullError,
        CallbackError,
        NumericError,
        NoAnswerError,
        RangeError,
        SelftestError,
    )
}


def error_of(status: int, message: str) -> Error:
    """The exception for a status; the generated layer calls it. A status that this version does not know is a plain
    Error."""
    return _CLASSES.get(status, Error)(message, Status(status) if status in Status._value2member_map_ else status)
