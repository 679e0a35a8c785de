"""What the tests of the Python module share: the module or a skip, and a model that knows some lines.

Tests are run by ctest with the folder of the built module on PYTHONPATH, or by hand with an installed
one. Exit code 77 says that there is no module to test; where ctest knows that it was built, not finding
it is an error.
"""

import functools
import os
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy  # noqa: F401
    import yona
except ImportError as error:
    if os.environ.get("YONA_MODULE_BUILT") == "1" and error.name != "numpy":
        raise
    print(f"skipped: {error}")
    sys.exit(77)

PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")
HOURS = list(zip("one two three four five six seven eight nine ten eleven".split(),
                 "eins zwei drei vier fünf sechs sieben acht neun zehn elf".split()))
MONTHS = [("May", "Mai"), ("June", "Juni"), ("July", "Juli")]
DAYS = [("first", "erste"), ("second", "zweite"), ("third", "dritte")]


def known_pairs():
    """Few enough to be learnt by heart in seconds."""
    pairs = list(HOURS)
    pairs += [(f"half past {hour}", f"halb {after}")
              for (hour, _), (_, after) in zip(HOURS, HOURS[1:])]
    pairs += [(f"the {day} of {month}", f"der {tag} {monat}")
              for day, tag in DAYS for month, monat in MONTHS]
    return pairs


def write_corpus(folder):
    for side, name in enumerate(("train.en", "train.de")):
        text = "".join(pair[side] + "\n" for pair in known_pairs())
        (Path(folder) / name).write_text(text, encoding="utf-8")


def train_small(folder, **options):
    write_corpus(folder)
    settings = {"model.layers": 2, "model.dropout": 0.0, "model.max_positions": 64, "data.max_length": 64,
                "train.schedule": "constant", "train.learning_rate": 2e-3,
                "train.warmup": 20, "train.tensorboard": False}
    settings.update(options.pop("set", {}))
    defaults = {"preset": "tiny", "updates": 150, "batch_tokens": 300, "vocab_size": 567,
                "src_lang": "en", "tgt_lang": "de", "progress": False, "output": Path(folder) / "run"}
    return yona.train(Path(folder) / "train.en", Path(folder) / "train.de", set=settings,
                      **{**defaults, **options})


@functools.cache
def small_model():
    """A folder that lives as long as the process, and the model that is trained in it."""
    temporary = tempfile.TemporaryDirectory()
    return temporary, train_small(temporary.name)


class ModelCase(unittest.TestCase):
    """Has a folder of its own, and the small model."""

    @classmethod
    def setUpClass(cls):
        cls.model = small_model()[1]
        cls.path = cls.model.folder
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()
