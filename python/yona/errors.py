"""What can go wrong. Every error of yona is a `yona.Error` and one of Python's own kinds as well."""

from __future__ import annotations

import os


class Error(Exception):
    """Any error of yona; the message is one line: what, where, what was expected, what to do."""


class InvalidArgument(Error, ValueError):
    """An option, a shape or a configuration value that cannot be."""


class FormatError(Error, ValueError):
    """A file's content is not what it should be: weights, JSON, encodings."""


class IoError(Error, OSError):
    """The system said no: a full disk, a permission."""


class FileMissing(IoError, FileNotFoundError):
    """A file or folder is not there."""


class DeviceError(Error, RuntimeError):
    """Memory, or a device that cannot be used."""


class NotSupported(Error, NotImplementedError):
    """It has a meaning, but this version cannot do it."""


def given_path(what: str, path: str | os.PathLike[str]) -> str:
    """The path as text; one that is empty would mean the working directory to some, nothing to
    others.

    >>> given_path("output", "run")
    'run'
    """
    text = os.fspath(path)
    if not text:
        raise InvalidArgument(f"{what}: the path is empty (is a variable unset?)")
    return text
