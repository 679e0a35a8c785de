"""yona.Model of a language model: it is trained, continues text and measures it as the program does."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from python_case import PROGRAM, yona

TEXT = "the cat sees the dog\nthe dog sees the cat\n" * 20
SETTINGS = {"model.layers": 1, "model.d_model": 16, "model.heads": 2, "model.max_positions": 32,
            "train.warmup": 2, "train.tensorboard": False}


class LanguageModels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        (cls.folder / "text.txt").write_text(TEXT)
        cls.model = yona.train(task="language-model", train=cls.folder / "text.txt",
                               valid=cls.folder / "text.txt", output=cls.folder / "run",
                               preset="char-small", updates=8, batch_tokens=128, threads=1,
                               progress=False, set=SETTINGS)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_training_gives_a_model_and_its_run(self):
        self.assertEqual(self.model.info["task"], "language-model")
        self.assertEqual(self.model.run.updates, 8)
        self.assertEqual(len(self.model.run.validations), 1)
        self.assertIn("gpt2, language-model", repr(self.model))

    def test_perplexity_is_the_programs(self):
        for flags, options in (([], {}), (["--context", "16", "--stride", "5"],
                                          {"context": 16, "stride": 5})):
            run = subprocess.run([PROGRAM, "perplexity", "--model", self.folder / "run", "--input",
                                  self.folder / "text.txt", "--json", *flags],
                                 capture_output=True, check=True)
            theirs = json.loads(run.stdout)
            ours = self.model.perplexity(TEXT, **options)
            self.assertAlmostEqual(ours.per_token, theirs["perplexity"], 4)
            self.assertAlmostEqual(ours.bits_per_byte, theirs["bits_per_byte"], 5)
            self.assertEqual((ours.tokens, ours.words, ours.bytes, ours.windows),
                             tuple(theirs[key] for key in ("tokens", "words", "bytes", "windows")))
            self.assertEqual(float(ours), ours.per_token)

    def test_text_is_continued(self):
        self.assertEqual(len(self.model.generate("the ", max_new=4)), 4)

    def test_what_it_cannot_do_is_said(self):
        for expected, call in (
                ("nothing to predict", lambda: self.model.perplexity("t")),
                ("a context of 33 tokens", lambda: self.model.perplexity(TEXT, context=33)),
                ("leaves gaps", lambda: self.model.perplexity(TEXT, context=8, stride=9)),
                ("is a language model", lambda: self.model.parse("a")),
                ("is a language model", lambda: self.model.translate("a")),
                ("of the task language-model", lambda: self.model.embed("a")),
                ("of the task language-model", lambda: self.model.classify("a")),
                ("of the task language-model", lambda: self.model.fill("a"))):
            with self.assertRaisesRegex(yona.InvalidArgument, expected):
                call()
        with self.assertRaises(TypeError):
            self.model.perplexity(["a", "b"])

    def test_a_time_ends_a_run(self):
        model = yona.train(task="language-model", train=self.folder / "text.txt", time=2,
                           output=self.folder / "timed", preset="char-small", batch_tokens=128,
                           threads=1, progress=False, set={**SETTINGS, "train.warmup": 1})
        self.assertGreater(model.run.updates, 0)

    def test_files_that_do_not_fit_the_task_are_refused(self):
        with self.assertRaisesRegex(yona.InvalidArgument, "translation learns from pairs"):
            yona.train(train=self.folder / "text.txt", output=self.folder / "bad", progress=False)
        with self.assertRaisesRegex(yona.FileMissing, "valid: .*nowhere: no such file"):
            yona.train(task="language-model", train=self.folder / "text.txt", valid="nowhere",
                       output=self.folder / "bad", progress=False)
        with self.assertRaisesRegex(yona.InvalidArgument, "task"):
            yona.train(task="nonsense", train=self.folder / "text.txt",
                       output=self.folder / "bad", progress=False)


if __name__ == "__main__":
    unittest.main()
