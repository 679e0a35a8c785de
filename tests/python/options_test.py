"""The options that Model.translate and Model.score are typed with: type checkers refuse `beam="four"`, and what
they allow is what the module takes."""

import inspect
import os
import re
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec
from pathlib import Path

from python_case import yona

from yona.model import ScoreOptions, TranslateOptions

SOURCE = Path(os.environ.get("YONA_SOURCE_DIR", Path(__file__).resolve().parents[2]))
PROGRAM = """
import yona
model = yona.Model.load("run")
right: yona.Translation = model.translate("seven", beam=4, sample=True, long="split")
several: list[list[yona.Translation]] = model.translate(["seven"], n_best=2)
scored: yona.Translation = model.score("seven", "sieben", alignments=True)
model.translate("seven", beam="four")
model.translate("seven", bean=4)
model.score("seven", "sieben", beam=4)
"""


def parameters(function):
    """What can be given by name, with its annotation as text."""
    return {name: each.annotation for name, each in inspect.signature(function).parameters.items()
            if each.kind is inspect.Parameter.KEYWORD_ONLY}


class Options(unittest.TestCase):
    def test_the_typed_ones_are_those_of_the_functions(self):
        translate = parameters(yona.Model.translate)
        self.assertEqual(translate.pop("n_best"), "int | None")  # decides what is given back: an overload
        for options, found in ((TranslateOptions, translate), (ScoreOptions, parameters(yona.Model.score))):
            typed = {name: getattr(each, "__forward_arg__", each) for name, each in options.__annotations__.items()}
            self.assertEqual(typed, found, options.__name__)

    def test_the_typed_ones_are_those_that_the_module_takes(self):
        binding = (SOURCE / "python" / "bindings" / "model.cc").read_text()
        body = binding[binding.index("void take_sampling("):binding.index("GenerateOptions generate_options_of(")]
        taken = set(re.findall(r'take\(given, "(\w+)"', body))
        self.assertEqual(taken - {"n_best"}, set(TranslateOptions.__annotations__) - {"prefix"})  # given with the texts

    @unittest.skipUnless(find_spec("mypy"), "mypy is not installed")
    def test_mypy_refuses_what_does_not_fit(self):
        wrong = [number for number, line in enumerate(PROGRAM.splitlines(), 1)
                 if any(part in line for part in ('"four"', "bean", '"sieben", beam'))]
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program.py"
            program.write_text(PROGRAM)
            run = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", folder, str(program)],
                                 capture_output=True, text=True, check=False,
                                 env=os.environ | {"MYPYPATH": str(SOURCE / "python")})
        found = sorted({int(line) for line in re.findall(r"program\.py:(\d+): error", run.stdout)})
        self.assertEqual(found, wrong, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
