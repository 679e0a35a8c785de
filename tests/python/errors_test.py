"""Errors of the Python module: which exception, and what it says."""

import os
import unittest
from pathlib import Path

from python_case import ModelCase, train_small, write_corpus, yona


class Kinds(unittest.TestCase):
    def test_every_error_is_one_of_pythons_too(self):
        for kind, base in ((yona.InvalidArgument, ValueError), (yona.FormatError, ValueError),
                           (yona.IoError, OSError), (yona.FileMissing, FileNotFoundError),
                           (yona.DeviceError, RuntimeError),
                           (yona.NotSupported, NotImplementedError)):
            self.assertTrue(issubclass(kind, base) and issubclass(kind, yona.Error), kind)


class Loading(ModelCase):
    def test_a_folder_that_is_not_there(self):
        with self.assertRaisesRegex(FileNotFoundError, "nowhere: no such model folder"):
            yona.Model.load(self.folder / "nowhere")

    def test_a_folder_without_a_model(self):
        with self.assertRaisesRegex(yona.FormatError, "config.json"):
            (self.folder / "empty").mkdir()
            yona.Model.load(self.folder / "empty")

    def test_a_damaged_model(self):
        bad = self.folder / "bad"
        bad.mkdir()
        for name in os.listdir(self.path):
            path = Path(self.path) / name
            if path.is_file():
                (bad / name).write_bytes(path.read_bytes())
        (bad / "model.safetensors").write_bytes(b"\0" * 100)
        with self.assertRaises(yona.FormatError):
            yona.Model.load(bad).translate("seven")
        (bad / "config.json").write_text("{")
        with self.assertRaisesRegex(yona.FormatError, "config.json"):
            yona.Model.load(bad)

    def test_one_changed_bit_of_the_weights(self):
        bad = self.folder / "flipped"
        bad.mkdir()
        for path in Path(self.path).iterdir():
            if path.is_file():
                (bad / path.name).write_bytes(path.read_bytes())
        content = bytearray((bad / "model.safetensors").read_bytes())
        content[len(content) * 2 // 3] ^= 4
        (bad / "model.safetensors").write_bytes(content)
        with self.assertRaisesRegex(yona.FormatError, "model.safetensors is damaged: its checksum"):
            yona.Model.load(bad)

    def test_devices_and_types_that_do_not_exist(self):
        for wrong, text in (({"device": "tpu"}, "device: 'tpu' is given"),
                            ({"compute_type": "f8"}, "compute_type: 'f8' is given"),
                            ({"compute_type": "f16"}, "GPUs alone")):
            with self.assertRaisesRegex(ValueError, text):
                yona.Model.load(self.path, **wrong)
        with self.assertRaisesRegex(ValueError, "no folder"):
            yona.Model.load([])
        with self.assertRaises(FileNotFoundError):
            yona.Model.load(self.path, shortlist=self.folder / "nowhere")


class Options(ModelCase):
    def test_values_that_cannot_be(self):
        for options, text in (({"beam": 0}, "beam: 0 is not between"),
                              ({"n_best": 9}, "n-best: 9 hypotheses need a beam of as many"),
                              ({"beam_mode": "magic"}, "beam mode: 'magic' is unknown"),
                              ({"temperature": 2.0}, "temperature: is about sampling"),
                              ({"sample": True, "top_p": 2.0}, "top-p 2 is not in"),
                              ({"long": "cut"}, "long: 'cut' is given"),
                              ({"prefix": ["a", "b"]}, "prefix: 2 are given for 1 texts"),
                              ({"alignments": True, "alignment_layer": 7}, "no decoder layer 7"),
                              ({"batch_tokens": 0}, "holds nothing")):
            with self.assertRaisesRegex(ValueError, text):
                self.model.translate("seven", **options)

    def test_values_of_another_type(self):
        for options, text in (({"beam": "four"}, "beam: 'four' is given; expected int"),
                              ({"length_penalty": "x"}, "expected a number")):
            with self.assertRaisesRegex(TypeError, text):
                self.model.translate("seven", **options)
        with self.assertRaisesRegex(TypeError, "text: 7 is given; expected text"):
            self.model.translate(["seven", 7])
        with self.assertRaises(TypeError):
            self.model.translate("seven", beams=4)

    def test_long_lines(self):
        line = "seven " * 100
        self.assertTrue(self.model.translate(line).text)
        with self.assertRaisesRegex(ValueError, "line 1 has .* tokens, the model takes at most 64"):
            self.model.translate(line, long="refuse")

    def test_text_that_is_no_text(self):
        with self.assertRaises(ValueError):
            self.model.translate("\ud800")

    def test_a_forked_process_is_told_to_load_its_own(self):
        self.model.translate("seven")
        child = os.fork()
        if child == 0:
            try:
                self.model.translate("seven")
            except yona.DeviceError as error:
                os._exit(0 if "forked" in str(error) else 2)
            os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


class Training(ModelCase):
    def test_what_cannot_be_trained(self):
        write_corpus(self.folder)
        source, target = self.folder / "train.en", self.folder / "train.de"
        output = self.folder / "new"
        for arguments, options, kind, text in (
                ((source, target), {"preset": "huge"}, ValueError, "preset"),
                ((source, target), {"set": {"model.wings": 2}}, ValueError, "model.wings"),
                ((source, target), {"updates": "many"}, ValueError, "updates: .*many"),
                ((source, self.folder / "no"), {}, FileNotFoundError, "train_tgt: .*no such file"),
                ((source, [target, target]), {}, ValueError, "train_src names 1 files"),
                ((source, target), {"valid_src": source}, ValueError, "valid_src names 1 files"),
                ((), {}, ValueError, "nothing to train on")):
            with self.assertRaisesRegex(kind, text):
                yona.train(*arguments, output=output, progress=False, **options)

    def test_a_folder_that_holds_a_run(self):
        with self.assertRaisesRegex(ValueError, "holds a run already"):
            train_small(self.folder, output=self.path)


if __name__ == "__main__":
    unittest.main()
