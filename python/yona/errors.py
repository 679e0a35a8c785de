"""Errors. Every error of yona is a `yona.Error` and also one of Python's own types."""

from __future__ import annotations

import os


class Error(Exception):
    """Any error of yona; the message is one line: what, where, what was expected, what to do."""


class InvalidArgument(Error, ValueError):
    """An option, a shape or a configuration value that is not valid."""


class FormatError(Error, ValueError):
    """A file's content is not what it should be: weights, JSON, encodings."""


class IoError(Error, OSError):
    """The system refused: a full disk, a permission."""


class FileMissing(IoError, FileNotFoundError):
    """A file or folder does not exist."""


class DeviceError(Error, RuntimeError):
    """Out of memory, or a device that cannot be used."""


class NotSupported(Error, NotImplementedError):
    """This version does not support it."""


def given_path(what: str, path: str | os.PathLike[str]) -> str:
    """The path as text. An empty one is refused, because it could mean the working directory.

    >>> given_path("output", "run")
    'run'
    """
    text = os.fspath(path)
    if not text:
        raise InvalidArgument(f"{what}: the path is empty (is a variable unset?)")
    return text
