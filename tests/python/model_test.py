"""yona.Model: the program's results, in every form, from any thread, without leaks.

usage: model_test.py      YONA_PROGRAM is the program (default build/yona)
"""

import json
import pickle
import resource
import subprocess
import threading
import unittest
from pathlib import Path

from python_case import PROGRAM, ModelCase, known_pairs, yona

import numpy as np

LINES = [source for source, _ in known_pairs()] + ["seven past May", "", "the the of"]


def program(*flags, text=""):
    run = subprocess.run([PROGRAM, *map(str, flags)], input=text.encode(), capture_output=True,
                         check=True)
    return run.stdout.decode()


class Translating(ModelCase):
    def test_one_text_gives_one_translation(self):
        translation = self.model.translate("half past three")
        self.assertEqual(translation.text, "halb vier")
        self.assertEqual(str(translation), "halb vier")
        self.assertEqual(translation.tokens[-1], "</s>")
        self.assertEqual(len(translation.tokens), len(translation.token_scores))
        self.assertAlmostEqual(sum(translation.token_scores), translation.log_probability, 4)
        self.assertEqual(len(translation.word_scores), 2)
        self.assertIsNone(translation.alignment)

    def test_lists_keep_their_order_and_blanks(self):
        texts = [str(each) for each in self.model.translate(["seven", "", "half past one"])]
        self.assertEqual(texts, ["sieben", "", "halb zwei"])
        self.assertEqual(self.model.translate([]), [])
        self.assertEqual([str(t) for t in self.model.translate(x for x in ("two", "ten"))],
                         ["zwei", "zehn"])

    def test_results_are_the_programs(self):
        for flags, options in (((), {}), (("--beam", 1), {"beam": 1}),
                               (("--beam", 6, "--n-best", 3), {"beam": 6, "n_best": 3}),
                               (("--beam-mode", "huggingface"), {"beam_mode": "huggingface"}),
                               (("--sample", "--seed", 7, "--top-k", 5, "--n-best", 2),
                                {"sample": True, "seed": 7, "top_k": 5, "n_best": 2})):
            lines = program("translate", "--model", self.path, "--json", "--alignment", "hard",
                            *flags, text="\n".join(LINES) + "\n").splitlines()
            answers = self.model.translate(LINES, alignments=True, **{"n_best": 1, **options})
            for line, ours in zip(lines, answers, strict=True):
                theirs = json.loads(line)["translations"]
                self.assertEqual([t["text"] for t in theirs], [t.text for t in ours])
                self.assertEqual([t["score"] for t in theirs], [t.score for t in ours])
                self.assertEqual([[tuple(link) for link in t["alignment"]] for t in theirs],
                                 [t.alignment for t in ours])
                self.assertEqual([[token["piece"] for token in t["tokens"]] for t in theirs],
                                 [t.tokens for t in ours])

    def test_a_prefix_begins_the_translation(self):
        first, second = self.model.translate(["seven"] * 2, prefix=["der", "halb"])
        self.assertTrue(first.text.startswith("der"))
        self.assertTrue(second.text.startswith("halb"))

    def test_alignments_are_weights_between_words(self):
        translation = self.model.translate("half past three", alignments=True)
        self.assertEqual(translation.attention.shape, (2, 3))
        self.assertEqual(translation.attention.dtype, np.float32)
        np.testing.assert_array_less(translation.attention.sum(axis=1), 1.0001)
        best = translation.attention.argmax(axis=1)
        self.assertEqual(translation.alignment, sorted(zip(best.tolist(), range(2))))

    def test_int8_and_a_shortlist_give_what_the_program_gives(self):
        lex, corpus = self.folder / "lex", Path(self.path).parent
        program("shortlist", "--model", self.path, "--train-src", corpus / "train.en",
                "--train-tgt", corpus / "train.de", "--output", lex)
        for flags, options in ((["--compute-type", "int8"], {"compute_type": "int8"}),
                               (["--compute-type", "auto"], {"compute_type": "auto"}),
                               (["--shortlist", lex], {"shortlist": lex})):
            theirs = program("translate", "--model", self.path, *flags,
                             text="\n".join(LINES) + "\n").splitlines()
            ours = yona.Model.load(self.path, **options).translate(LINES)
            self.assertEqual([str(each) for each in ours], theirs)

    def test_an_ensemble_of_the_same_model_is_that_model(self):
        twice = yona.Model.load([self.path, self.path])
        self.assertEqual([str(t) for t in twice.translate(LINES)],
                         [str(t) for t in self.model.translate(LINES)])
        with self.assertRaisesRegex(ValueError, "ensemble of 2"):
            twice.attention("seven")

    def test_a_model_can_be_pickled(self):
        again = pickle.loads(pickle.dumps(self.model))
        self.assertEqual(again.translate("seven").text, "sieben")


class Scoring(ModelCase):
    def test_scores_are_the_programs(self):
        targets = [target for _, target in known_pairs()] + ["sieben", "", "der"]
        (self.folder / "targets").write_text("\n".join(targets) + "\n", encoding="utf-8")
        lines = program("translate", "--model", self.path, "--json", "--score-targets",
                        self.folder / "targets", text="\n".join(LINES) + "\n").splitlines()
        for line, ours in zip(lines, self.model.score(LINES, targets), strict=True):
            theirs = json.loads(line)["translations"][0]
            self.assertEqual((theirs["score"], theirs["log_probability"]),
                             (ours.score, ours.log_probability))

    def test_the_right_translation_is_more_probable(self):
        right = self.model.score("half past three", "halb vier")
        wrong = self.model.score("half past three", "halb drei")
        self.assertGreater(right.log_probability, wrong.log_probability)
        self.assertEqual(right.text, "halb vier")

    def test_sources_and_targets_go_in_pairs(self):
        for source, target in ((["a"], []), ("a", ["b"]), (["a"], ["b", "c"])):
            with self.assertRaisesRegex(yona.InvalidArgument, "a target for each source"):
                self.model.score(source, target)


class LookingInside(ModelCase):
    def test_weights_are_the_programs(self):
        program("attention", "--model", self.path, "--source", "half past three", "--output",
                self.folder / "a.npz")
        theirs = np.load(self.folder / "a.npz")
        ours = self.model.attention("half past three")
        for part in ("encoder", "decoder", "cross"):
            array = getattr(ours, part)
            self.assertEqual(array.shape, theirs[part].shape)
            np.testing.assert_allclose(array, theirs[part], atol=2e-6)
            np.testing.assert_allclose(array.sum(-1), 1, atol=1e-5)
        self.assertEqual(ours.target, "halb vier")
        self.assertEqual(len(ours.target_tokens), ours.cross.shape[2])
        self.assertEqual(len(ours.source_tokens), ours.cross.shape[3])

    def test_arrays_view_the_same_memory_and_outlive_their_owner(self):
        attention = self.model.attention("seven", "acht")
        first, second = attention.cross, attention.cross
        self.assertTrue(np.shares_memory(first, second))
        self.assertFalse(first.flags.owndata)
        copy = first.copy()
        del attention, second
        self.model.attention("half past three")
        np.testing.assert_array_equal(first, copy)

    def test_figures_and_page(self):
        attention = self.model.attention("half past three")
        self.assertIn(">vier</text>", attention.svg())
        self.assertIn("<svg", attention.svg("encoder", layer=0, head=-1, style="lines"))
        self.assertIn("<html", attention.html()[:200])
        self.assertEqual(attention._repr_svg_(), attention.svg())
        for wrong in ({"head": 9}, {"layer": 5}, {"head": "best"}, {"style": "pie"},
                      {"part": "both"}):
            with self.assertRaises(ValueError, msg=wrong):
                attention.svg(**wrong)


class Threads(ModelCase):
    def test_several_threads_share_a_model(self):
        expected = [str(each) for each in self.model.translate(LINES)]
        results = {}

        def work(number):
            for _ in range(5):
                results[number] = [str(each) for each in self.model.translate(LINES)]
                self.model.attention("seven")
                self.model.score("seven", "sieben")

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(list(results.values()), [expected] * 4)

    def test_python_goes_on_while_a_model_computes(self):
        done = threading.Event()
        lines = LINES * 100

        def work():
            self.model.translate(lines, beam=8)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        count = 0
        while not done.wait(0.005):
            count += 1
        thread.join()
        self.assertGreater(count, 5)


class Leaks(ModelCase):
    def test_calls_leave_no_memory_behind(self):
        def rounds(count):
            for _ in range(count):
                self.model.translate(LINES, n_best=2, alignments=True)
                self.model.attention("half past three").cross.sum()
                with self.assertRaises(ValueError):
                    self.model.translate("x", beam=0)
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = rounds(30)
        self.assertLess(rounds(150) - before, 4096, "KiB more after 150 rounds")

    def test_models_that_are_gone_leave_no_memory_behind(self):
        def rounds(count):
            for _ in range(count):
                yona.Model.load(self.path).translate("seven")
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = rounds(15)
        self.assertLess(rounds(40) - before, 8192, "KiB more after 40 models")


if __name__ == "__main__":
    unittest.main()
