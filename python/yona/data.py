"""Text to try things with."""

from yona import _yona
from yona.errors import InvalidArgument


def builtin_pairs(source: str = "en", target: str = "de", count: int = 1000, *,
                  split: str = "train", seed: int = 1) -> list[tuple[str, str]]:
    """Numbers, prices, times and dates in the words of two languages: de, en, es, fr, it or zh.

    The `"test"` pairs are combinations that no pair of `"train"` has.

    >>> builtin_pairs("en", "de", 1, split="test", seed=2)
    [('seven hundred and forty-four thousand and nine', 'siebenhundertvierundvierzigtausendneun')]
    """
    if split not in ("train", "test"):
        raise InvalidArgument(f"split: expected train or test, got {split!r}")
    if count < 0:
        raise InvalidArgument(f"count: expected 0 or more, got {count}")
    return _yona.builtin_pairs(source, target, count, split == "test", seed)
