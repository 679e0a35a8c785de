"""Folders of every family with one file cut, empty, changed or gone: `yona translate` gives a
translation or one clear line, and never crashes or hangs.

usage: broken_folder_test.py      YONA_PROGRAM is the program (default build/yona)
"""

import os
import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")
FAMILIES = Path(__file__).resolve().parent.parent / "fixtures" / "families"
KINDS = (".json", ".txt", ".model", ".spm", ".safetensors")


def changed(content, draw):
    content = bytearray(content)
    for _ in range(8):
        content[draw.randrange(len(content))] = draw.randrange(256)
    return bytes(content)


class BrokenFolder(unittest.TestCase):
    def check(self, folder, what):
        done = subprocess.run([PROGRAM, "translate", "--model", folder, "-q", "--beam", "2"],
                              input=b"Hello world\n\n", capture_output=True, timeout=120, check=False)
        self.assertIn(done.returncode, (0, 1, 2), f"{what}: {done.stderr[:500]}")
        if done.returncode:
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, f"{what}: {done.stderr[:500]}")
        else:
            self.assertEqual(done.stdout.count(b"\n"), 2, what)

    def test_every_file_of_every_family(self):
        draw = random.Random(1)
        cases = 0
        for family in sorted(path for path in FAMILIES.iterdir() if path.is_dir()):
            for name in sorted(path.name for path in family.iterdir() if path.suffix in KINDS):
                content = (family / name).read_bytes()
                broken = {"cut": content[:len(content) // 2], "empty": b"",
                          "changed": changed(content, draw), "gone": None}
                for what, new in broken.items():
                    with tempfile.TemporaryDirectory() as folder:
                        shutil.copytree(family, folder, dirs_exist_ok=True)
                        (Path(folder) / name).unlink()
                        if new is not None:
                            (Path(folder) / name).write_bytes(new)
                        self.check(folder, f"{family.name}/{name} {what}")
                        cases += 1
        self.assertGreater(cases, 100)


if __name__ == "__main__":
    unittest.main()
