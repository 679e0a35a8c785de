"""Training: from text files to a model folder."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

from yona import _yona
from yona.errors import FileMissing, InvalidArgument, given_path
from yona.progress import make_progress

if TYPE_CHECKING:
    from yona.model import Model, Path


@dataclass(frozen=True)
class Plan:
    """What is known before the first update."""

    model: str
    parameters: int
    source_vocabulary: int
    target_vocabulary: int
    pairs: int
    """Training examples of an epoch, whatever the task."""
    peak_memory_bytes: int
    first_update: int
    updates: int
    device: str
    threads: int
    precision: str


@dataclass(frozen=True)
class Update:
    """One update of the weights, raw."""

    update: int
    updates: int
    epoch: int
    loss: float
    """What is minimised, in nats per prediction, with label smoothing."""
    nll: float
    """The same without smoothing."""
    source_tokens: int
    target_tokens: int
    """Predictions that the loss counts: tokens or labels."""
    learning_rate: float
    gradient_norm: float
    step_seconds: float
    seconds: float
    skipped: bool

    @property
    def perplexity(self) -> float:
        return math.exp(self.nll)


@dataclass(frozen=True)
class Validation:
    """The result of one validation set, after an update."""

    name: str
    update: int
    loss: float
    nats_per_byte: float
    target_tokens: int
    """Predictions that the loss counts: tokens or labels."""
    figures: dict[str, float]
    """The metrics of `valid_metrics`, such as bleu or accuracy."""
    seconds: float
    is_best: bool

    @property
    def perplexity(self) -> float:
        return math.exp(self.loss)


@dataclass(frozen=True)
class Message:
    """Information, a warning or an error: about the corpora, or an unusual setting."""

    text: str
    warning: bool


@dataclass
class TrainResult:
    """The result of a run."""

    updates: int
    best_loss: float
    """Of the first validation set; NaN without one."""
    stopped_early: bool
    """Patience ran out, or the callback returned False."""
    validations: list[Validation] = field(default_factory=list)


Event = Union[Plan, Update, Validation, Message]
_KINDS = {"started": Plan, "update": Update, "validation": Validation, "message": Message}


def _paths(what: str, given: Path | Iterable[Path] | None) -> list[str]:
    if given is None:
        return []
    paths = [given_path(what, each) for each in
             ([given] if isinstance(given, (str, os.PathLike)) else given)]
    for path in paths:
        if not os.path.exists(path):
            raise FileMissing(f"{what}: {path}: no such file")
    return paths


def _pairs(what: str, source: list[str], target: list[str]) -> None:
    if len(source) != len(target):
        raise InvalidArgument(f"{what}_src names {len(source)} files and {what}_tgt {len(target)}; "
                              "they are paired one to one")


def _text(value: Any) -> str:
    """A configuration value as it is written after --set key=."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_text(each) for each in value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _assignments(plain: dict[str, tuple[str, Any]],
                 settings: Mapping[str, Any] | None) -> list[tuple[str, str, str]]:
    """(key, value, what the user wrote): `set` first, so that arguments win."""
    found = [(key, _text(value), f"set[{key!r}]") for key, value in (settings or {}).items()]
    return found + [(key, _text(value), argument)
                    for argument, (key, value) in plain.items() if value is not None]


def train(train_src: Path | Iterable[Path] | None = None,
          train_tgt: Path | Iterable[Path] | None = None, *, output: Path,
          task: str | None = None, train: Path | Iterable[Path] | None = None,
          valid: Path | None = None, time: float | str | None = None,
          train_tsv: Path | Iterable[Path] | None = None,
          valid_src: Path | Iterable[Path] | None = None,
          valid_tgt: Path | Iterable[Path] | None = None, src_lang: str | None = None,
          tgt_lang: str | None = None, preset: str | None = None, updates: int | None = None,
          batch_tokens: int | str | None = None, vocab_size: int | None = None,
          precision: str | None = None, seed: int | None = None,
          valid_metrics: Iterable[str] | None = None, config: Path | None = None,
          set: Mapping[str, Any] | None = None, resume: bool = False,
          allow_changes: bool = False, init: Path | None = None, device: str = "cpu",
          threads: int = 0, callback: Callable[[Event], Any] | None = None,
          progress: bool = True) -> Model:
    """Trains a model and returns the best one, loaded; `output` is its folder. Without `task` it is
    a translation model, trained on parallel text.

    Other tasks (language-model, masked-lm, classification, parsing, image-classification) are
    trained on `train`; `valid`, of the same kind, decides which model is the best. `time` is the
    time of the run, in seconds or as for `--for` ("20m"): it decides the number of updates.

    Arguments are the flags of `yona train`; `set` takes any key of the configuration, as in
    `set={"train.warmup": 200, "model.dropout": 0.1}`.

    `callback` is called with every `Plan`, `Update`, `Validation` and `Message`, on the thread that
    called `train`. If it returns False, the run is saved and ends after the update. An exception
    from it ends the run too, and is raised here. So does Ctrl-C: the current update is finished and
    a checkpoint is written first, and `resume=True` continues from there, bit for bit as if the run
    had never stopped. Resuming with other settings or data is refused without `allow_changes`.

    `progress` shows a `tqdm` bar if tqdm is installed, otherwise lines on standard error.

    >>> losses = []
    >>> model = train("train.en", "train.de", output="run", preset="tiny", updates=30,
    ...               set={"model.layers": 1, "data.vocabulary_size": 400}, progress=False,
    ...               callback=lambda e: losses.append(e.loss) if isinstance(e, Update) else None)
    >>> len(losses), losses[-1] < losses[0], model.run.updates
    (30, True, 30)
    """
    from yona.model import Model
    sources, targets = _paths("train_src", train_src), _paths("train_tgt", train_tgt)
    _pairs("train", sources, targets)
    pairs = _paths("valid_src", valid_src), _paths("valid_tgt", valid_tgt)
    _pairs("valid", *pairs)
    names = ["valid" if i == 0 else f"valid-{i + 1}" for i in range(len(pairs[0]))]
    request = {
        "train_src": sources, "train_tgt": targets, "train_tsv": _paths("train_tsv", train_tsv),
        "valid": list(zip(names, *pairs)),
        "train": _paths("train", train),
        "held_out": "" if valid is None else _paths("valid", valid)[0],
        "config": "" if config is None else _paths("config", config)[0],
        "output": given_path("output", output),
        "init": "" if init is None else _paths("init", init)[0],
        "resume": resume, "allow_changes": allow_changes, "device": device, "threads": threads,
        "assignments": _assignments({
            "src_lang": ("data.source_language", src_lang),
            "tgt_lang": ("data.target_language", tgt_lang),
            "vocab_size": ("data.vocabulary_size", vocab_size),
            "valid_metrics": ("train.valid_metrics",
                              None if valid_metrics is None else list(valid_metrics)),
            "task": ("task", task),
            "time": ("train.time", f"{math.ceil(time)}s" if isinstance(time, (int, float)) else time),
            "preset": ("preset", preset), "updates": ("train.updates", updates),
            "batch_tokens": ("train.batch_tokens", batch_tokens),
            "precision": ("train.precision", precision), "seed": ("train.seed", seed)}, set)}
    validations: list[Validation] = []
    with make_progress(progress, sys.stderr) as shown:
        def event(kind: str, fields: dict[str, Any]) -> bool:
            report = _KINDS[kind](**fields)
            if isinstance(report, Validation):
                validations.append(report)
            shown(report)
            return callback is not None and callback(report) is False

        result = _yona.train(request, event)
    model = Model.load(output, device=device, threads=threads)
    model.run = TrainResult(**result, validations=validations)
    return model
