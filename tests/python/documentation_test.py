"""What docstrings show is what happens; and the stub names what the compiled module has."""

import doctest
import importlib
import os
import re
import tempfile
import unittest
from pathlib import Path

from python_case import train_small, write_corpus, yona


class Documentation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        train_small(cls.folder, output=Path(cls.folder) / "model")
        cls.before = os.getcwd()
        os.chdir(cls.folder)

    @classmethod
    def tearDownClass(cls):
        os.chdir(cls.before)
        cls.temporary.cleanup()

    def test_examples_of_every_module(self):
        write_corpus(self.folder)
        names = [path.stem for path in Path(yona.__file__).parent.glob("*.py")
                 if path.stem != "__init__"]
        self.assertIn("model", names)
        tried = 0
        for name in names:
            module = importlib.import_module(f"yona.{name}")
            result = doctest.testmod(module, extraglobs={"folder": "model"})
            self.assertEqual(result.failed, 0, name)
            tried += result.attempted
        self.assertGreater(tried, 25)

    def test_everything_public_has_a_docstring(self):
        for name in yona.__all__:
            if name != "__version__":
                self.assertTrue(getattr(yona, name).__doc__, name)

    def test_the_stub_names_what_is_there(self):
        stub = (Path(yona.__file__).parent / "_yona.pyi").read_text(encoding="utf-8")
        named = set(re.findall(r"^(?:def|class) (\w+)", stub, re.MULTILINE)) | {"version"}
        there = {name for name in dir(yona._yona) if not name.startswith("_")}
        self.assertEqual(named, there)


if __name__ == "__main__":
    unittest.main()
