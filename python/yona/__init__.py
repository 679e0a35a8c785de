"""yona: you only need attention. Train, translate with, score and look inside Transformers.

>>> import yona
>>> model = yona.Model.load(folder)                             # doctest: +SKIP
>>> model.translate("half past three").text                     # doctest: +SKIP
'halb vier'

docs/python.md describes everything else.
"""

from yona._yona import version as __version__
from yona.data import builtin_pairs
from yona.encoding import Candidate, Classification
from yona.errors import (DeviceError, Error, FileMissing, FormatError, InvalidArgument, IoError,
                         NotSupported)
from yona.generation import GeneratedText, Perplexity
from yona.log import set_verbosity
from yona.metrics import Score, bleu, chrf, ter
from yona.model import Model
from yona.training import Message, Plan, TrainResult, Update, Validation, train
from yona.translation import Attention, Translation

__all__ = [
    "Attention", "Candidate", "Classification", "DeviceError", "Error", "FileMissing",
    "FormatError", "GeneratedText", "InvalidArgument", "IoError",
    "Message", "Model", "NotSupported", "Perplexity", "Plan", "Score", "TrainResult", "Translation", "Update",
    "Validation", "__version__", "bleu", "builtin_pairs", "chrf", "set_verbosity", "ter", "train",
]
