"""What yona prints on standard error."""

from yona import _yona
from yona.errors import InvalidArgument

_LEVELS = ("quiet", "normal", "verbose")


def set_verbosity(level: str) -> None:
    """`"quiet"` (the default: warnings and errors), `"normal"` or `"verbose"`.

    >>> set_verbosity("quiet")
    """
    if level not in _LEVELS:
        raise InvalidArgument(f"verbosity: expected {', '.join(_LEVELS)}, got {level!r}")
    _yona.set_verbosity(_LEVELS.index(level))
