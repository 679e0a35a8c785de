"""Shows a training run: a tqdm bar if tqdm is installed, otherwise lines."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO

_SECONDS_BETWEEN_LINES = 10.0


def _figures(report: Any) -> str:
    extra = "".join(f", {name} {value:.1f}" for name, value in report.figures.items())
    best = ", the best so far" if report.is_best else ""
    return f"update {report.update:,}: {report.name} loss {report.loss:.4f}{extra}{best}"


class _Bar:
    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None

    def __call__(self, report: Any) -> None:
        kind = type(report).__name__
        if kind == "Plan":
            self._bar = self._tqdm(total=report.updates, initial=report.first_update,
                                   unit="update", desc=report.model)
        elif kind == "Update":
            self._bar.total = report.updates
            speed = (report.source_tokens + report.target_tokens) / max(report.step_seconds, 1e-9)
            self._bar.set_postfix(loss=f"{report.loss:.3f}", tokens_s=f"{speed:,.0f}",
                                  refresh=False)
            self._bar.update(report.update - self._bar.n)
        elif kind == "Validation":
            self._tqdm.write(_figures(report))
        elif report.warning:
            self._tqdm.write(f"warning: {report.text}")

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class _Lines:
    def __init__(self, stream: TextIO) -> None:
        self._stream, self._said = stream, time.monotonic()

    def __call__(self, report: Any) -> None:
        kind = type(report).__name__
        if kind == "Plan":
            self._say(f"{report.model}: {report.parameters / 1e6:.1f} M parameters, "
                      f"{report.pairs:,} sentence pairs")
        elif kind == "Validation":
            self._say(_figures(report))
        elif kind == "Message":
            self._say(f"warning: {report.text}" if report.warning else report.text)
        elif (report.update == report.updates
              or time.monotonic() - self._said > _SECONDS_BETWEEN_LINES):
            self._say(f"update {report.update:,}/{report.updates:,}  loss {report.loss:.4f}")

    def _say(self, text: str) -> None:
        print(text, file=self._stream, flush=True)
        self._said = time.monotonic()

    def close(self) -> None:
        pass


@contextlib.contextmanager
def make_progress(wanted: bool, stream: TextIO) -> Iterator[Callable[[Any], None]]:
    """A function that is called with every report of a run."""
    if not wanted:
        yield lambda report: None
        return
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
        shown: Any = _Bar(tqdm)
    except ImportError:
        shown = _Lines(stream)
    try:
        yield shown
    finally:
        shown.close()
