#!/usr/bin/env python3
"""Sources include only what their layer may use (docs/overview.md): two chains, trees → data → text and models → nn → tensor → backend,
both on base; config for the keys of models. Nothing in them includes a folder that combines the two."""
import os
import re
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("YONA_SOURCE_DIR", Path(__file__).parents[2])) / "yona"
INCLUDE = re.compile(r'^#include "yona/(\w+)/', re.MULTILINE)
MAY_USE = {
    "base": "",
    "text": "base",
    "config": "base text",
    "data": "base text",
    "trees": "base text data",
    "backend": "base",
    "tensor": "base backend",
    "nn": "base backend tensor",
    "models": "base config backend tensor nn",
}


def includes(folder):
    """The folders that the sources of one include, with a source for each."""
    found = {}
    for path in sorted((SOURCE / folder).rglob("*")):
        if path.suffix in (".h", ".cc", ".cu", ".cuh"):
            for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
                found.setdefault(name, path.relative_to(SOURCE.parent).as_posix())
    return found


class Layers(unittest.TestCase):
    def test_each_layer_includes_only_those_below_it(self):
        for folder, below in MAY_USE.items():
            found = includes(folder)
            self.assertIn(folder, found, "its own headers: is the folder there?")
            above = {name: path for name, path in found.items() if name not in below.split() + [folder]}
            self.assertEqual(above, {}, f"yona/{folder} includes what is not below it")

    def test_training_and_scoring_know_no_task(self):
        for folder in ("train", "score"):
            found = includes(folder)
            for outer in ("tasks", "serve", "cli", "study", "decode"):
                self.assertNotIn(outer, found, f"yona/{folder} includes yona/{outer}")


if __name__ == "__main__":
    unittest.main()
