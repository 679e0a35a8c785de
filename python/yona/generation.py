"""Generated text, and how well a text is predicted: what language models give."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from yona import _yona


class GeneratedText(str):
    """An answer, which is a text, with its tokens.

    >>> text = GeneratedText(" there", [5, 6], "length", 2, [], [])
    >>> text.upper(), text.tokens, text.finish
    (' THERE', [5, 6], 'length')
    """

    tokens: list[int]
    """Without the token that ended it."""
    finish: str
    """`"stop"` or `"length"`."""
    prompt_tokens: int
    logprobs: list[float]
    """The log-probability of each token, if requested."""
    top_logprobs: list[list[tuple[int, float]]]

    def __new__(cls, text: str, tokens: list[int], finish: str, prompt_tokens: int,
                logprobs: list[float],
                top_logprobs: list[list[tuple[int, float]]]) -> GeneratedText:
        self = super().__new__(cls, text)
        self.tokens, self.finish, self.prompt_tokens = tokens, finish, prompt_tokens
        self.logprobs, self.top_logprobs = logprobs, top_logprobs
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return GeneratedText, (str(self), self.tokens, self.finish, self.prompt_tokens,
                               self.logprobs, self.top_logprobs)


@dataclass(frozen=True)
class Perplexity:
    """What `Model.perplexity` returns; as a float it is the perplexity per token."""

    per_token: float
    per_word: float
    """Per word (separated by white space); NaN for a text without words."""
    per_byte: float
    bits_per_byte: float
    nll: float
    """The negative log-probability of all predicted tokens, in nats."""
    tokens: int
    """The number of predicted tokens: all but the first."""
    words: int
    bytes: int
    windows: int

    def __float__(self) -> float:
        return self.per_token


def pieces(handle: _yona.Model, prompt: str, options: dict[str, Any]) -> Iterator[str]:
    """The answer, piece by piece. A separate thread waits for the model; closing the iterator ends
    it."""
    ready: queue.SimpleQueue[str | BaseException | None] = queue.SimpleQueue()
    is_wanted = True

    def on_piece(piece: str) -> bool:
        ready.put(piece)
        return is_wanted

    def run() -> None:
        try:
            handle.generate([prompt], options, on_piece)
            ready.put(None)
        except BaseException as error:  # raised where the pieces are taken
            ready.put(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        while (piece := ready.get()) is not None:
            if isinstance(piece, BaseException):
                raise piece
            yield piece
    finally:
        is_wanted = False
        thread.join()
