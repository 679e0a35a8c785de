"""yona.Model of an encoder: labels, vectors and masked words are the program's."""

import json
import os
import pickle
import subprocess
import tempfile
import unittest
from pathlib import Path

from python_case import PROGRAM, yona

import numpy as np

FIXTURES = Path(os.environ.get("YONA_FIXTURES", "tests/fixtures")) / "encoders"
TEXTS = ["Hello world!", "", "a b c"]


def program(*flags, text=""):
    run = subprocess.run([PROGRAM, *map(str, flags)], input=text.encode(), capture_output=True,
                         check=True)
    return [json.loads(line) for line in run.stdout.decode().splitlines()]


class Encoders(unittest.TestCase):
    def test_labels_are_the_programs(self):
        model = yona.Model.load(FIXTURES / "bert-classes", threads=1)
        theirs = program("classify", "--model", FIXTURES / "bert-classes", "--json",
                         text="\n".join(TEXTS) + "\n")
        ours = model.classify(TEXTS)
        for mine, other in zip(ours, theirs):
            self.assertEqual(mine.label, other["label"])
            self.assertAlmostEqual(mine.score, other["score"], 12)
            self.assertEqual(list(mine.labels), list(other["labels"]))
            self.assertEqual(mine.tokens, other["tokens"])
        self.assertEqual(model.classify(TEXTS[0]), ours[0])
        self.assertEqual(str(ours[0]), ours[0].label)
        self.assertEqual(model.classify([]), [])

    def test_pairs_of_texts(self):
        model = yona.Model.load(FIXTURES / "bert-classes", threads=1)
        both = model.classify(["a b c", "x"], ["the second text, here", "y"])
        self.assertEqual(model.classify("a b c", "the second text, here"), both[0])
        self.assertEqual(both[0].tokens, 14)
        with self.assertRaisesRegex(yona.InvalidArgument, "a second text for each of 2 texts, got 1"):
            model.classify(["a", "b"], ["c"])
        with self.assertRaisesRegex(yona.InvalidArgument, "a second text for each"):
            model.classify("a", ["c"])

    def test_vectors_are_the_programs(self):
        model = yona.Model.load(FIXTURES / "roberta-classes", threads=1)
        for flags, options in (([], {}), (["--pooling", "max", "--no-normalize"],
                                          {"pooling": "max", "normalize": False})):
            theirs = program("embed", "--model", FIXTURES / "roberta-classes", "--json", *flags,
                             text="\n".join(TEXTS) + "\n")
            ours = model.embed(TEXTS, **options)
            self.assertEqual(ours.dtype, np.float32)
            self.assertEqual(ours.shape, (3, 16))
            np.testing.assert_array_equal(
                ours, np.array([each["embedding"] for each in theirs], dtype=np.float32))
            np.testing.assert_allclose(model.embed(TEXTS[0], **options), ours[0], atol=1e-6)
        self.assertEqual(model.embed([]).shape, (0, 16))

    def test_masked_words_are_the_programs(self):
        model = yona.Model.load(FIXTURES / "bert-masked-lm", threads=1)
        text = "hello [MASK] and [MASK]"
        theirs = program("fill", "--model", FIXTURES / "bert-masked-lm", "--text", text, "--top",
                         "3", "--json")[0]["masks"]
        ours = model.fill(text, top=3)
        self.assertEqual([[each.token for each in mask] for mask in ours],
                         [[each["token"] for each in mask["candidates"]] for mask in theirs])
        one = model.fill("hello [MASK]")
        self.assertEqual(len(one[0]), 5)
        self.assertIn(one[0][0].token.removeprefix("##"), one[0][0].text)

    def test_what_it_is(self):
        model = yona.Model.load(FIXTURES / "bert-masked-lm")
        info = model.info
        self.assertEqual((info["task"], info["family"], info["mask"]), ("encoder", "bert", "[MASK]"))
        self.assertTrue(info["fills_masks"])
        self.assertEqual(info["labels"], [])
        self.assertIn("bert, encoder", repr(model))
        again = pickle.loads(pickle.dumps(model))
        self.assertEqual(again.fill("a [MASK]"), model.fill("a [MASK]"))

    def test_what_it_cannot_do_is_said(self):
        classes = yona.Model.load(FIXTURES / "bert-classes")
        masked = yona.Model.load(FIXTURES / "bert-masked-lm")
        for expected, call in (
                ("no classification head", lambda: masked.classify("a")),
                ("no head for masked words", lambda: classes.fill("a [MASK]")),
                (r"has no \[MASK\]", lambda: masked.fill("a")),
                ("top: 0 is not above 0", lambda: masked.fill("a [MASK]", top=0)),
                ("no prompt 'query'", lambda: classes.embed("a", prompt="query")),
                ("pooling: 'sum' is unknown", lambda: classes.embed("a", pooling="sum")),
                ("is an encoder", lambda: classes.translate("a")),
                ("is an encoder", lambda: classes.generate("a")),
                ("is an encoder", lambda: classes.perplexity("a"))):
            with self.assertRaisesRegex(yona.InvalidArgument, expected):
                call()
        with self.assertRaises(TypeError):
            classes.embed([3])

    def test_a_classifier_is_trained(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = "".join(f"good\ta fine {thing}\nbad\ta dull {thing}\n"
                            for thing in ("film", "plot", "song", "book") * 5)
            data = Path(folder) / "t.tsv"
            data.write_text("label\tsentence\n" + lines)
            model = yona.train(
                task="classification", train=data, valid=data, output=Path(folder) / "run",
                preset="bert-tiny", updates=40, valid_metrics=["accuracy"], threads=1,
                progress=False,
                set={"model.d_model": 32, "model.d_ff": 64, "train.learning_rate": 0.003,
                     "train.warmup": 5, "train.valid_every": 20, "train.tensorboard": False})
            self.assertEqual(model.classify("a fine song").label, "good")
            self.assertEqual(model.run.updates, 40)
            self.assertIn("accuracy", model.run.validations[-1].figures)


if __name__ == "__main__":
    unittest.main()
