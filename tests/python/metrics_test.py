"""yona.bleu, chrf and ter: the program's figures, and sacreBLEU's where it is installed."""

import pickle
import subprocess
import tempfile
import unittest
from pathlib import Path

from python_case import PROGRAM, yona

HYPOTHESES = ["the dog bit the man", "it was not unexpected .", "the man had just bitten him", ""]
REFERENCES = [["the dog had bit the man", "the dog has bit the man"],
              ["no one was surprised", "nobody was surprised"],
              ["the man had bitten the dog", "the man had bitten the dog"], ["none", "nothing"]]


class Metrics(unittest.TestCase):
    def test_figures_are_the_programs(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "hyp").write_text("\n".join(HYPOTHESES) + "\n")
            for i in range(2):
                (folder / f"ref{i}").write_text("".join(f"{each[i]}\n" for each in REFERENCES))
            out = subprocess.run([PROGRAM, "score", "--ref", folder / "ref0", folder / "ref1", "--hyp",
                                  folder / "hyp", "-m", "bleu,chrf,ter", "-b", "-w", "12"],
                                 capture_output=True, text=True, check=True).stdout.split()
        ours = [metric(HYPOTHESES, REFERENCES) for metric in (yona.bleu, yona.chrf, yona.ter)]
        self.assertEqual([f"{score:.12f}" for score in ours], out)

    def test_figures_are_sacrebleus(self):
        try:
            from sacrebleu.metrics import BLEU, CHRF, TER
        except ImportError:
            self.skipTest("sacrebleu is not installed")
        streams = [list(stream) for stream in zip(*REFERENCES)]
        for ours, theirs in ((yona.bleu(HYPOTHESES, REFERENCES), BLEU()),
                             (yona.chrf(HYPOTHESES, REFERENCES, word_order=2), CHRF(word_order=2)),
                             (yona.ter(HYPOTHESES, REFERENCES), TER())):
            self.assertEqual(float(ours), theirs.corpus_score(HYPOTHESES, streams).score)

    def test_one_reference_may_be_plain_text(self):
        plain = yona.bleu(HYPOTHESES, [each[0] for each in REFERENCES])
        self.assertEqual(plain, yona.bleu(HYPOTHESES, [each[:1] for each in REFERENCES]))
        self.assertTrue(plain.signature.startswith("nrefs:1"))

    def test_scores_can_be_kept(self):
        score = yona.chrf(HYPOTHESES, REFERENCES)
        again = pickle.loads(pickle.dumps(score))
        self.assertEqual((again, again.signature, str(again)), (score, score.signature, str(score)))

    def test_what_cannot_be_scored(self):
        for call, kind in ((lambda: yona.bleu(["a"], ["b", "c"]), ValueError),
                           (lambda: yona.bleu([], []), ValueError),
                           (lambda: yona.bleu("a", ["b"]), TypeError),
                           (lambda: yona.bleu(["a"], ["b"], tokenize="spaces"), ValueError),
                           (lambda: yona.bleu(["a"], ["b"], smooth_method="much"), ValueError),
                           (lambda: yona.bleu(["a"], ["b"], max_order="x"), TypeError),
                           (lambda: yona.chrf(["a"], ["b"], beta=0), ValueError),
                           (lambda: yona.builtin_pairs("en", "en"), ValueError),
                           (lambda: yona.builtin_pairs(count=-1), ValueError),
                           (lambda: yona.builtin_pairs(split="dev"), ValueError),
                           (lambda: yona.set_verbosity("loud"), ValueError)):
            with self.assertRaises(kind):
                call()


if __name__ == "__main__":
    unittest.main()
