"""The results of encoders: `Model.classify` and `Model.fill`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Classification:
    """A text's label, with the probabilities of all labels.

    >>> answer = Classification("good", 0.8, {"good": 0.8, "bad": 0.2}, 5, False)
    >>> str(answer), answer.labels["bad"]
    ('good', 0.2)
    """

    label: str
    """The most probable one; empty for a regression."""
    score: float
    """Its probability; for a regression the value."""
    labels: dict[str, float]
    """All of them, the most probable first; empty for a regression."""
    tokens: int
    is_cut: bool
    """Was the text longer than the model's positions?"""

    def __str__(self) -> str:
        return self.label if self.labels else str(self.score)


@dataclass(frozen=True)
class Candidate:
    """A token for a mask."""

    token: str
    probability: float
    text: str
    """The whole text with the token in place of the mask; empty where there are several masks."""
