"""Models: loading them, using them, and fine-tuning them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Union, overload

from yona import _yona, training
from yona.encoding import Candidate, Classification
from yona.errors import InvalidArgument, given_path
from yona.generation import GeneratedText, Perplexity, pieces
from yona.translation import Attention, Translation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack  # not a dependency: type checkers know it by themselves

    # A text, or a picture: its file, the file's bytes, or its pixels.
    Picture = Union[str, bytes, os.PathLike[str], NDArray[np.uint8]]

Path = Union[str, "os.PathLike[str]"]


class ScoreOptions(TypedDict, total=False):
    """What `Model.score` takes by name."""

    beam_mode: str | None
    length_penalty: float | None
    alignments: bool
    alignment_layer: int | None
    batch_tokens: int | None


class TranslateOptions(ScoreOptions, total=False):
    """What `Model.translate` takes by name, except `n_best`, which changes the result's type."""

    beam: int | None
    min_length: int | None
    max_length: int | None
    no_repeat_ngram: int | None
    prefix: str | Iterable[str] | None
    sample: bool
    temperature: float | None
    top_k: int | None
    top_p: float | None
    seed: int | None
    scores: bool
    long: str


def _texts(what: str, given: str | Iterable[str]) -> tuple[bool, list[str]]:
    """Whether a single text was given, and the texts as a list."""
    texts = [given] if isinstance(given, str) else list(given)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{what}: expected text, got {text!r}")
        if not text.isascii():
            text.encode()  # lone surrogates are no text: UnicodeEncodeError, which is a ValueError
    return isinstance(given, str), texts


def _picture(given: Any) -> Any:
    """A path as text, bytes, or an array of bytes."""
    if isinstance(given, bytes):
        return given
    if isinstance(given, (str, os.PathLike)):
        return given_path("picture", given)
    if hasattr(given, "__array__"):
        import numpy as np
        array = np.asarray(given)
        if array.dtype != np.uint8:
            raise InvalidArgument(f"classify: expected an array of bytes (uint8), got {array.dtype}")
        return array
    raise InvalidArgument(f"classify: expected a path, bytes or an array, got {given!r}")


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if value is not None}


class Model:
    """A loaded model folder, or an ensemble of several. `Model.load` makes one.

    It may be used from several threads: calls are computed one after another, without the GIL, each
    with all CPU threads of the model. Ctrl-C ends a call; the model can be used again.
    """

    run: training.TrainResult | None
    """The result of the run, if this model comes from `yona.train`."""

    def __init__(self, handle: _yona.Model, folders: list[str], options: dict[str, Any]) -> None:
        self._handle, self._folders, self._options = handle, folders, options
        self.run = None

    @classmethod
    def load(cls, folder: Path | Sequence[Path], *, device: str = "cpu", threads: int = 0,
             compute_type: str = "", shortlist: Path = "", src_lang: str = "",
             tgt_lang: str = "") -> Model:
        """Loads a folder that yona trained, or one of the Hugging Face hub in a supported family;
        several folders with the same sub-words are an ensemble.

        `threads=0` takes all CPUs that the process may use. `compute_type` is the arithmetic: f32,
        bf16, int8 (CPUs), f16 (GPUs) or auto, the fastest on this machine; without one a CPU
        computes as the folder's weights are, a GPU in bf16. `shortlist` is a file of `yona
        shortlist`, for a smaller output layer on CPUs. `src_lang` and `tgt_lang` choose among
        the languages of a model that has many.

        >>> model = Model.load(folder)
        >>> model
        <yona.Model en → de, 0.7 M parameters>
        >>> Model.load(folder, compute_type="int8").translate("half past three").text
        'halb vier'
        """
        given = [folder] if isinstance(folder, (str, os.PathLike)) else list(folder)
        folders = [given_path("folder", each) for each in given]
        options: dict[str, Any] = {"device": device, "threads": threads, "src_lang": src_lang,
                                   "tgt_lang": tgt_lang, "compute_type": compute_type,
                                   "shortlist": os.fspath(shortlist)}
        return cls(_yona.Model(folders, **options), folders, options)

    @property
    def folder(self) -> str:
        """The folder that it was loaded from; the first one of an ensemble."""
        return self._folders[0]

    @property
    def info(self) -> dict[str, Any]:
        """Its family, languages and sizes.

        >>> Model.load(folder).info["d_model"]
        128
        """
        return self._handle.info()

    # A text is an iterable of texts as well; the first overload that fits wins.
    @overload
    def translate(self, text: str, *, n_best: None = None,  # type: ignore[overload-overlap]
                  **options: Unpack[TranslateOptions]) -> Translation: ...
    @overload
    def translate(self, text: str, *, n_best: int,  # type: ignore[overload-overlap]
                  **options: Unpack[TranslateOptions]) -> list[Translation]: ...
    @overload
    def translate(self, text: Iterable[str], *, n_best: None = None,
                  **options: Unpack[TranslateOptions]) -> list[Translation]: ...
    @overload
    def translate(self, text: Iterable[str], *, n_best: int,
                  **options: Unpack[TranslateOptions]) -> list[list[Translation]]: ...

    def translate(self, text: Any, *, beam: int | None = None,
                  n_best: int | None = None,
                  beam_mode: str | None = None, length_penalty: float | None = None,
                  min_length: int | None = None, max_length: int | None = None,
                  no_repeat_ngram: int | None = None, prefix: str | Iterable[str] | None = None,
                  sample: bool = False, temperature: float | None = None,
                  top_k: int | None = None, top_p: float | None = None, seed: int | None = None,
                  alignments: bool = False, alignment_layer: int | None = None,
                  scores: bool = True, batch_tokens: int | None = None, long: str = "split") -> Any:
        """Translates a text, or each of several, in order; a blank text gives a blank one.

        With `n_best` each text has a list of translations, best first. Options are those of `yona
        translate`, with the same defaults: the paper's beam search with 4 beams for models of yona,
        that of generation_config.json for others. `prefix` is the beginning of the translation, one
        for each text. `scores=False` makes greedy search (`beam=1`) faster.

        >>> model = Model.load(folder)
        >>> model.translate("half past three").text
        'halb vier'
        >>> [str(each) for each in model.translate(["the first of May", "seven"], beam=2)]
        ['der erste Mai', 'sieben']
        >>> best, second = model.translate("half past three", n_best=2)
        >>> best.score > second.score
        True
        >>> model.translate("half past three", alignments=True).attention.shape  # words by words
        (2, 3)
        """
        one, lines = _texts("text", text)
        prefixes = [] if prefix is None else _texts("prefix", prefix)[1]
        if prefixes and len(prefixes) != len(lines):
            raise InvalidArgument(f"prefix: expected one for each of {len(lines)} texts, got "
                                  f"{len(prefixes)}")
        options = _given({
            "beam": beam, "n_best": n_best, "beam_mode": beam_mode,
            "length_penalty": length_penalty, "min_length": min_length, "max_length": max_length,
            "no_repeat_ngram": no_repeat_ngram, "sample": sample, "temperature": temperature,
            "top_k": top_k, "top_p": top_p, "seed": seed, "alignments": alignments,
            "alignment_layer": alignment_layer, "scores": scores, "batch_tokens": batch_tokens,
            "long": long})
        answers = [[Translation(*each) for each in of_line]
                   for of_line in self._handle.translate(lines, prefixes, options)]
        if n_best is None:
            best = [of_line[0] for of_line in answers]
            return best[0] if one else best
        return answers[0] if one else answers

    @overload
    def score(self, source: str, target: str,  # type: ignore[overload-overlap]
              **options: Unpack[ScoreOptions]) -> Translation: ...
    @overload
    def score(self, source: Iterable[str], target: Iterable[str],
              **options: Unpack[ScoreOptions]) -> list[Translation]: ...

    def score(self, source: Any, target: Any, *,
              beam_mode: str | None = None,
              length_penalty: float | None = None, alignments: bool = False,
              alignment_layer: int | None = None, batch_tokens: int | None = None) -> Any:
        """How probable the given translations are: each target as a Translation with its scores.

        >>> model = Model.load(folder)
        >>> right, wrong = model.score(["half past three"] * 2, ["halb vier", "halb drei"])
        >>> right.log_probability > wrong.log_probability
        True
        """
        one, sources = _texts("source", source)
        one_target, targets = _texts("target", target)
        if one != one_target or len(sources) != len(targets):
            raise InvalidArgument(f"score: expected a target for each source, got {len(sources)} "
                                  f"sources and {len(targets)} targets")
        options = _given({"beam_mode": beam_mode, "length_penalty": length_penalty,
                          "alignments": alignments, "alignment_layer": alignment_layer,
                          "batch_tokens": batch_tokens})
        scored = [Translation(*of_line[0])
                  for of_line in self._handle.score(sources, targets, options)]
        return scored[0] if one else scored

    @overload
    def parse(self, text: str, *, beam: int = 21,  # type: ignore[overload-overlap]
              length_penalty: float = 0.3, tokenized: bool = False,
              batch_tokens: int | None = None) -> str: ...
    @overload
    def parse(self, text: Iterable[str], *, beam: int = 21, length_penalty: float = 0.3,
              tokenized: bool = False, batch_tokens: int | None = None) -> list[str]: ...

    def parse(self, text: Any, *, beam: int = 21, length_penalty: float = 0.3,
              tokenized: bool = False, batch_tokens: int | None = None) -> Any:
        """The phrase-structure tree of a sentence, or of each of several, in Penn Treebank brackets.

        The model comes from `yona train --task parsing`. A tree is always well formed and has
        exactly the sentence's words. Text is split into words as in the Penn Treebank; with
        `tokenized=True` words are separated by spaces. `beam=1` is greedy, which is faster.

        >>> Model.load(parser).parse("The cat sleeps.")                      # doctest: +SKIP
        '(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .))'
        """
        one, texts = _texts("text", text)
        options = _given({"beam": beam, "length_penalty": length_penalty, "tokenized": tokenized,
                          "batch_tokens": batch_tokens})
        trees = self._handle.parse(texts, options)
        return trees[0] if one else trees

    def attention(self, source: str, target: str | None = None) -> Attention:
        """The attention weights of every head, for the translation of `source` or for the given
        `target`.

        >>> attention = Model.load(folder).attention("half past three")
        >>> attention.cross.shape                             # [layers, heads, target, source]
        (2, 4, 3, 4)
        >>> attention.source_tokens[-1]
        '</s>'
        """
        return Attention(self._handle.attention(source, target))

    def generate(self, prompt: str | Iterable[str], *, stream: bool = False,
                 max_new: int | None = None, temperature: float | None = None,
                 top_k: int | None = None, top_p: float | None = None, min_p: float | None = None,
                 repetition_penalty: float | None = None, presence_penalty: float | None = None,
                 frequency_penalty: float | None = None, seed: int | None = None,
                 n: int | None = None, stop: str | Iterable[str] | None = None,
                 logprobs: int | None = None, json_schema: dict[str, Any] | str | None = None,
                 regex: str | None = None, beam: int | None = None,
                 length_penalty: float | None = None) -> Any:
        """Continues a text, or each of several, with a language model. The answer is a text (a
        `GeneratedText`, with its tokens) without the prompt; with `n` it is a list of `n` answers.
        With `stream=True` it is an iterator of pieces, while they are generated.

        Options are those of `yona generate`: without a `temperature` the best token is always
        chosen; `beam=4` searches with four beams.

        >>> model.generate("Once upon a time", max_new=20, temperature=0.8)   # doctest: +SKIP
        >>> for piece in model.generate("Once", stream=True):                 # doctest: +SKIP
        ...     print(piece, end="", flush=True)
        """
        one, prompts = _texts("prompt", prompt)
        stops = [] if stop is None else _texts("stop", stop)[1]
        schema = json.dumps(json_schema) if isinstance(json_schema, dict) else json_schema
        options = _given({
            "max_new": max_new, "temperature": temperature, "top_k": top_k, "top_p": top_p,
            "min_p": min_p, "repetition_penalty": repetition_penalty,
            "presence_penalty": presence_penalty, "frequency_penalty": frequency_penalty,
            "seed": seed, "n": n, "stop": stops, "logprobs": logprobs, "json_schema": schema,
            "regex": regex, "beam": beam, "length_penalty": length_penalty})
        if stream:
            if not one or n is not None:
                raise InvalidArgument("generate: stream=True is for one answer to one prompt")
            return pieces(self._handle, prompts[0], options)
        answers = [[GeneratedText(*each) for each in of_prompt]
                   for of_prompt in self._handle.generate(prompts, options, None)]
        if n is None:
            first = [of_prompt[0] for of_prompt in answers]
            return first[0] if one else first
        return answers[0] if one else answers

    def perplexity(self, text: str, *, context: int | None = None,
                   stride: int | None = None) -> Perplexity:
        """How well a language model predicts a text, in windows of `context` tokens (by default the
        model's positions) that move by `stride` (by default the context), computed as in the
        documentation of transformers.

        >>> model.perplexity(text, stride=512).per_token                      # doctest: +SKIP
        25.2
        """
        _texts("text", [text])
        return Perplexity(*self._handle.perplexity(
            text, _given({"context": context, "stride": stride})))

    @overload
    def classify(self, text: Picture,  # type: ignore[overload-overlap]
                 second: str | None = None) -> Classification: ...
    @overload
    def classify(self, text: Iterable[Picture],
                 second: Iterable[str] | None = None) -> list[Classification]: ...

    def classify(self, text: Any, second: Any = None) -> Any:
        """The label of a text, or of each of several, by an encoder with a classification head;
        `second` is the other text of each pair.

        >>> model.classify("a gorgeous film").label                           # doctest: +SKIP
        'positive'

        An image classifier takes pictures: the path of a PNG or JPEG file, its bytes, or an array
        of bytes, [height, width] or [height, width, 3]; or a list of these.

        >>> model.classify("cat.jpg").label                                   # doctest: +SKIP
        'tabby'
        """
        if self._handle.takes_pictures:
            return self._classify_pictures(text, second)
        one, texts = _texts("text", text)
        one_second, seconds = (one, []) if second is None else _texts("second", second)
        if one != one_second or (seconds and len(seconds) != len(texts)):
            raise InvalidArgument(f"classify: expected a second text for each of {len(texts)} "
                                  f"texts, got {len(seconds)}")
        answers = [Classification(*each) for each in self._handle.classify(texts, seconds)]
        return answers[0] if one else answers

    def _classify_pictures(self, given: Any, second: Any) -> Any:
        if second is not None:
            raise InvalidArgument("classify: `second` is of texts; the model takes pictures")
        one = isinstance(given, (str, bytes, os.PathLike)) or hasattr(given, "__array__")
        pictures = [_picture(each) for each in ([given] if one else given)]
        answers = [Classification(*each, 0, False)
                   for each in self._handle.classify_images(pictures)]
        return answers[0] if one else answers

    def embed(self, text: str | Iterable[str], *, pooling: str | None = None,
              normalize: bool | None = None, prompt: str | None = None) -> NDArray[np.float32]:
        """The vector of a text, or one row for each of several, by an encoder.

        `pooling` is mean, cls or max; `normalize` scales to length 1; `prompt` is the name of a
        prompt of a sentence-transformers folder. The defaults are the folder's; if it has none, the
        mean, scaled.

        >>> query, *answers = model.embed(["a question", "one", "two"])       # doctest: +SKIP
        >>> [float(query @ answer) for answer in answers]                     # doctest: +SKIP
        """
        one, texts = _texts("text", text)
        vectors = self._handle.embed(texts, _given({"pooling": pooling, "normalize": normalize,
                                                    "prompt": prompt}))
        return vectors[0] if one else vectors

    def fill(self, text: str, *, top: int = 5) -> list[list[Candidate]]:
        """The `top` most probable tokens for each mask of a text; a mask is written as in
        `model.info["mask"]`.

        >>> model.fill("Paris is the [MASK] of France.")[0][0].token          # doctest: +SKIP
        'capital'
        """
        _texts("text", [text])
        return [[Candidate(*each) for each in mask] for mask in self._handle.fill(text, top)]

    def train(self, *args: Any, **options: Any) -> Model:
        """Fine-tunes this model (`yona.train(..., init=model.folder)`) and returns the new one.
        This one does not change."""
        if len(self._folders) > 1:
            raise InvalidArgument("train: this is an ensemble; load one of its models")
        return training.train(*args, init=self.folder, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reload, (self._folders, self._options)

    def __repr__(self) -> str:
        info = self.info
        what = f"{info['family']}, {info['task']}"
        if info["task"] == "translation":
            what = f"{info['source_language'] or '?'} → {info['target_language'] or '?'}"
        count = f"{info['models']} models of " if info["models"] > 1 else ""
        return f"<yona.Model {what}, {count}{info['parameters'] / 1e6:.1f} M parameters>"


def _reload(folders: list[str], options: dict[str, Any]) -> Model:
    return Model.load(folders, **options)
