"""The notebook in examples/ runs from its first cell to its last, and learns what it says it does."""

import json
import os
import sys
import unittest
from pathlib import Path

from python_case import yona  # noqa: F401: skips where there is no module

SOURCE = Path(os.environ.get("YONA_SOURCE_DIR", Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE / "tools"))
from notebook import run_notebook  # noqa: E402

NOTEBOOK = SOURCE / "examples" / "first_steps.ipynb"


class Notebook(unittest.TestCase):
    def test_every_cell_runs_and_the_figures_are_as_shown(self):
        notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
        scope = run_notebook(notebook)
        self.assertGreater(scope["exact"] / len(scope["test"]), 0.9)
        self.assertLess(scope["losses"][-1], scope["losses"][0] / 2)
        self.assertEqual(str(scope["model"].translate("half past three")), "halb vier")
        figures = ["".join(output["data"]["image/svg+xml"])
                   for cell in notebook["cells"] if cell["cell_type"] == "code"
                   for output in cell["outputs"] if "image/svg+xml" in output.get("data", {})]
        self.assertEqual(len(figures), 1)
        self.assertTrue(figures[0].startswith("<svg") and "vier" in figures[0])

    def test_what_is_kept_is_small_and_complete(self):
        notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
        self.assertLess(NOTEBOOK.stat().st_size, 60_000)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                self.assertTrue(cell["execution_count"], "run tools/notebook.py --write")


if __name__ == "__main__":
    unittest.main()
