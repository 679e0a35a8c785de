"""The results of a translation model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yona import _yona
from yona.errors import InvalidArgument

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Translation:
    """One translation of a text; `str(translation)` is its text."""

    text: str
    score: float
    """What translations are ranked by: the log-probability, normalised as by the search."""
    log_probability: float
    tokens: list[str] = field(repr=False)
    """The pieces that the model wrote, `</s>` included."""
    token_scores: list[float] = field(repr=False)
    """The log-probability of each of them."""
    word_scores: list[float] = field(repr=False)
    """The log-probability of each word of the text: the sum of its pieces'."""
    source_tokens: list[str] = field(repr=False)
    """The pieces that were translated."""
    attention: NDArray[np.float32] | None = field(default=None, repr=False)
    """With `alignments=True`: [words of the text, words of the source], from cross-attention."""
    alignment: list[tuple[int, int]] | None = field(default=None, repr=False)
    """With `alignments=True`: (word of the source, word of the text), counted from 0."""

    def __str__(self) -> str:
        return self.text


class Attention:
    """Every attention weight of a model for one pair of sentences.

    Arrays are [layers, heads, queries, keys]. They are views of the library's memory: nothing is
    copied, and each access returns the same array. The decoder reads `decoder_tokens` and produces
    `target_tokens`; a row of `cross` belongs to the token that is produced.
    """

    def __init__(self, handle: _yona.Attention) -> None:
        self._handle = handle

    @property
    def source(self) -> str:
        return self._handle.source

    @property
    def target(self) -> str:
        """The given translation, or the model's own."""
        return self._handle.target

    @property
    def source_tokens(self) -> list[str]:
        return self._handle.source_tokens

    @property
    def target_tokens(self) -> list[str]:
        return self._handle.target_tokens

    @property
    def decoder_tokens(self) -> list[str]:
        return self._handle.decoder_tokens

    @property
    def encoder(self) -> NDArray[np.float32]:
        """Self-attention of the source."""
        return self._handle.weights("encoder")

    @property
    def decoder(self) -> NDArray[np.float32]:
        """Self-attention of the target: zero after the diagonal."""
        return self._handle.weights("decoder")

    @property
    def cross(self) -> NDArray[np.float32]:
        """From the target to the source."""
        return self._handle.weights("cross")

    def html(self) -> str:
        """A self-contained page, as `yona attention` writes it, to choose layers and heads."""
        return self._handle.html()

    def svg(self, part: str = "cross", *, layer: int | None = -1, head: int | str | None = "mean",
            style: str = "matrix") -> str:
        """A figure of a layer (an index; None: all) and of one head, of all (None) or of their
        `"mean"`; as a `"matrix"`, or as `"lines"` like the paper's figures 3 to 5."""
        if style not in ("matrix", "lines"):
            raise InvalidArgument(f"style: expected matrix or lines, got {style!r}")
        if isinstance(head, str) and head != "mean":
            raise InvalidArgument(f"head: expected a number, 'mean' or None, got {head!r}")
        number = None if isinstance(head, str) else head
        return self._handle.svg(part, layer, number, head == "mean", style == "lines")

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<Attention {self.source!r} → {self.target!r}>"
