"""What can go wrong. Every error of yona is a `yona.Error` and one of Python's own kinds as well."""


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
