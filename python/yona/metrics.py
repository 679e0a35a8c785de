"""Scores of translations: BLEU, chrF and TER, equal to sacreBLEU's in every digit.

`references` has one entry for each hypothesis: a text, or several texts that are all correct.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

from yona import _yona

References = Sequence[Union[str, Sequence[str]]]


class Score(float):
    """A score: a number, with the signature that makes it comparable.

    >>> score = bleu(["the cat sat"], ["the cat sat"], max_order=3)
    >>> f"{score:.1f}", score.name
    ('100.0', 'BLEU')
    """

    name: str
    signature: str
    details: str

    def __new__(cls, value: float, name: str, signature: str, details: str) -> Score:
        self = super().__new__(cls, value)
        self.name, self.signature, self.details = name, signature, details
        return self

    def __repr__(self) -> str:
        return f"<{self.name} {float(self):.2f}>"

    def __str__(self) -> str:
        rest = f" {self.details}" if self.details else ""
        return f"{self.name}|{self.signature} = {float(self):.1f}{rest}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Score, (float(self), self.name, self.signature, self.details)


def _score(metric: str, hypotheses: Sequence[str], references: References,
           options: dict[str, Any]) -> Score:
    if isinstance(hypotheses, str) or isinstance(references, str):
        raise TypeError(f"{metric}: expected a list of texts, got a text")
    streams = [[each] if isinstance(each, str) else list(each) for each in references]
    given = {key: value for key, value in options.items() if value is not None}
    name, value, details, signature = _yona.score(metric, list(hypotheses), streams, given)
    return Score(value, name, signature, details)


def bleu(hypotheses: Sequence[str], references: References, *, tokenize: str = "13a",
         lowercase: bool = False, smooth_method: str = "exp", smooth_value: float | None = None,
         max_order: int = 4, effective_order: bool = False) -> Score:
    """BLEU (Papineni et al. 2002), 0 to 100.

    >>> score = bleu(["The dog bit the man."], ["The dog had bit the man."])
    >>> f"{score:.2f}"
    '51.15'
    >>> score.signature.startswith("nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:yona-")
    True
    """
    return _score("bleu", hypotheses, references,
                  {"tokenize": tokenize, "lowercase": lowercase, "smooth_method": smooth_method,
                   "smooth_value": smooth_value, "max_order": max_order,
                   "effective_order": effective_order})


def chrf(hypotheses: Sequence[str], references: References, *, char_order: int = 6,
         word_order: int = 0, beta: int = 2, lowercase: bool = False, whitespace: bool = False,
         eps_smoothing: bool = False) -> Score:
    """chrF (Popović 2015), 0 to 100; `word_order=2` is chrF++.

    >>> chrf(["der elfte Februar"], [["der elfte Februar", "11. Februar"]])
    <chrF2 100.00>
    """
    return _score("chrf", hypotheses, references,
                  {"char_order": char_order, "word_order": word_order, "beta": beta,
                   "lowercase": lowercase, "whitespace": whitespace,
                   "eps_smoothing": eps_smoothing})


def ter(hypotheses: Sequence[str], references: References, *, normalized: bool = False,
        no_punct: bool = False, asian_support: bool = False,
        case_sensitive: bool = False) -> Score:
    """TER (Snover et al. 2006): edits for 100 words of the reference, so lower is better.

    >>> ter(["der elfte Februar"], ["der zwölfte Februar"])
    <TER 33.33>
    """
    return _score("ter", hypotheses, references,
                  {"normalized": normalized, "no_punct": no_punct, "asian_support": asian_support,
                   "case_sensitive": case_sensitive})
