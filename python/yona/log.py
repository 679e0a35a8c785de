"""What yona says on standard error by itself."""

from yona import _yona

_LEVELS = ("quiet", "normal", "verbose")


def set_verbosity(level: str) -> None:
    """`"quiet"` (the default: warnings and errors), `"normal"` or `"verbose"`.

    >>> set_verbosity("quiet")
    """
    if level not in _LEVELS:
        raise ValueError(f"verbosity: {level!r} is given; expected {', '.join(_LEVELS)}")
    _yona.set_verbosity(_LEVELS.index(level))
