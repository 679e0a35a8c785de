"""yona.train: the program's model, with a callback, resumed, and trained on from another."""

import contextlib
import hashlib
import importlib.util
import io
import math
import subprocess
import tempfile
import unittest
from pathlib import Path

from python_case import PROGRAM, train_small, write_corpus, yona


def digest(folder):
    return hashlib.sha256((Path(folder) / "model.safetensors").read_bytes()).hexdigest()


class Training(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def test_weights_are_the_programs(self):
        train_small(self.folder, updates=12)
        subprocess.run(
            [PROGRAM, "train", "--train-src", self.folder / "train.en", "--train-tgt",
             self.folder / "train.de", "--output", self.folder / "theirs", "--preset", "tiny",
             "--updates", "12", "--batch-tokens", "300", "--vocab-size", "567", "--src-lang", "en",
             "--tgt-lang", "de", "--set", "model.layers=2", "--set", "model.dropout=0", "--set",
             "model.max_positions=64", "--set", "data.max_length=64", "--set", "train.schedule=constant", "--set",
             "train.learning_rate=2e-3", "--set", "train.warmup=20", "--set",
             "train.tensorboard=false", "-q"], check=True)
        self.assertEqual(digest(self.folder / "run"), digest(self.folder / "theirs"))

    def test_the_callback_sees_every_report(self):
        events = []
        write_corpus(self.folder)
        model = train_small(self.folder, updates=20, callback=events.append,
                            valid_src=self.folder / "train.en", valid_tgt=self.folder / "train.de",
                            valid_metrics=["bleu"], set={"train.valid_every": 10})
        kinds = [type(event) for event in events]
        self.assertEqual(kinds.count(yona.Plan), 1)
        self.assertEqual(kinds.count(yona.Update), 20)
        self.assertEqual(kinds.count(yona.Validation), 2)
        updates = [event for event in events if isinstance(event, yona.Update)]
        self.assertEqual([each.update for each in updates], list(range(1, 21)))
        self.assertLess(updates[-1].loss, updates[0].loss)
        self.assertAlmostEqual(updates[0].perplexity, math.exp(updates[0].nll))
        self.assertTrue(any("sub-words" in event.text for event in events
                            if isinstance(event, yona.Message)))
        self.assertEqual(model.run.updates, 20)
        self.assertEqual([each.update for each in model.run.validations], [10, 20])
        self.assertIn("bleu", model.run.validations[0].figures)
        self.assertFalse(model.run.stopped_early)

    def test_a_callback_can_end_the_run_which_can_be_resumed(self):
        model = train_small(self.folder, updates=30, callback=lambda event: not (
            isinstance(event, yona.Update) and event.update == 10))
        self.assertTrue(model.run.stopped_early)
        self.assertEqual(model.run.updates, 10)
        resumed = yona.train(output=self.folder / "run", resume=True, progress=False)
        self.assertEqual(resumed.run.updates, 30)
        whole = self.folder / "whole"
        whole.mkdir()
        train_small(whole, updates=30)
        self.assertEqual(digest(self.folder / "run"), digest(whole / "run"))

    def test_what_a_callback_raises_ends_the_run_and_comes_out(self):
        def callback(event):
            if isinstance(event, yona.Update) and event.update == 5:
                raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            train_small(self.folder, callback=callback)
        self.assertTrue((self.folder / "run" / "checkpoints" / "step-5").is_dir())

    def test_a_model_trains_on(self):
        first = train_small(self.folder, updates=10)
        losses = []
        second = first.train(self.folder / "train.en", self.folder / "train.de",
                             output=self.folder / "more", updates=3, batch_tokens=300,
                             progress=False, callback=lambda event: losses.append(event.loss)
                             if isinstance(event, yona.Update) else None)
        self.assertEqual(second.folder, str(self.folder / "more"))
        self.assertEqual(second.info["d_model"], first.info["d_model"])
        self.assertLess(losses[0], 5.5)

    def test_progress_is_shown(self):
        text = io.StringIO()
        with contextlib.redirect_stderr(text):
            train_small(self.folder, updates=5, progress=True)
        with_tqdm = importlib.util.find_spec("tqdm") is not None
        self.assertRegex(text.getvalue(), "5/5")
        self.assertEqual("sentence pairs" in text.getvalue(), not with_tqdm)


if __name__ == "__main__":
    unittest.main()
