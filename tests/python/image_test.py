"""yona.Model of an image classifier: labels are the program's, from a path, bytes or an array."""

import json
import os
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

from python_case import PROGRAM, yona

import numpy as np

VIT = Path(os.environ.get("YONA_FIXTURES", "tests/fixtures")) / "vit" / "vit"


def png(pixels):
    """Bytes of a PNG file with these [height, width, 3]."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Images(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = yona.Model.load(VIT, threads=1)
        cls.pixels = np.arange(20 * 30 * 3, dtype=np.uint32).reshape(20, 30, 3).astype(np.uint8)

    def test_paths_bytes_and_arrays_are_one(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.png"
            path.write_bytes(png(self.pixels))
            theirs = json.loads(subprocess.run([PROGRAM, "classify", "--model", VIT, "--image", path, "--json"],
                                               capture_output=True, check=True).stdout)
            ours = self.model.classify([path, str(path), png(self.pixels), self.pixels])
            self.assertEqual(self.model.classify(path), ours[0])
        for mine in ours:
            self.assertEqual(mine.label, theirs["label"])
            self.assertAlmostEqual(mine.score, theirs["score"], 6)
            self.assertEqual(list(mine.labels), list(theirs["labels"]))
        self.assertEqual(self.model.classify(self.pixels[:, ::-1]).label,
                         self.model.classify(np.ascontiguousarray(self.pixels[:, ::-1])).label)
        self.assertTrue(self.model.classify(self.pixels[:, :, 0]).label)  # grey

    def test_what_is_wrong_is_named(self):
        for given, message in ((b"GIF89a", "is not a picture"), (self.pixels.astype(np.float32), "uint8"),
                               (np.zeros((2, 2, 4), np.uint8), "1 or 3 channels"), (3, "expected a path"),
                               (np.zeros(5, np.uint8), "dimensions")):
            with self.assertRaisesRegex(yona.Error, message):
                self.model.classify([given])
        with self.assertRaisesRegex(yona.Error, "takes pictures"):
            self.model.classify(self.pixels, "second")
        with self.assertRaisesRegex(yona.Error, "image classifier, which classifies pictures"):
            self.model.embed("a")
        with self.assertRaisesRegex(yona.Error, "image classifier"):
            self.model.translate("a")
        with self.assertRaises(FileNotFoundError):
            self.model.classify("/nonexistent.png")

    def test_info(self):
        info = self.model.info
        self.assertEqual((info["task"], info["family"]), ("image-classification", "vit"))


if __name__ == "__main__":
    unittest.main()
