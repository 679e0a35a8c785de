"""`yona classify --image`: labels of PNG and IDX files, and one line for what cannot be read."""
import gzip
import json
import os
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")
FIXTURES = Path(os.environ.get("YONA_FIXTURES", "tests/fixtures"))
VIT = FIXTURES / "vit" / "vit"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height):
    rows = b"".join(b"\0" + bytes((x * 9 + y * 5) % 256 for x in range(width * 3)) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def classify(*arguments):
    return subprocess.run([PROGRAM, "classify", *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          check=False)


class ClassifyImages(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.picture = self.folder / "a.png"
        self.picture.write_bytes(png(30, 20))

    def refusal(self, *arguments):
        result = classify(*arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        return result.stderr

    def test_each_picture_has_a_line(self):
        result = classify("--model", VIT, "--image", self.picture, self.picture)
        self.assertEqual(result.returncode, 0, result.stderr)
        first, second = result.stdout.splitlines()
        name, label, score = first.split("\t")
        self.assertEqual((name, first), (str(self.picture), second))
        self.assertIn(label, ("boot", "coat", "bag"))
        self.assertGreater(float(score), 1 / 3)

    def test_json_has_all_labels(self):
        result = classify("--model", VIT, "--image", self.picture, "--json")
        answer = json.loads(result.stdout)
        self.assertEqual(set(answer["labels"]), {"boot", "coat", "bag"})
        self.assertAlmostEqual(sum(answer["labels"].values()), 1)
        self.assertEqual(answer["labels"][answer["label"]], answer["score"])

    def test_pictures_of_an_idx_file_are_numbered(self):
        images = self.folder / "images.gz"
        images.write_bytes(gzip.compress(struct.pack(">BBBBIII", 0, 0, 8, 3, 2, 4, 5) + bytes(range(40))))
        result = classify("--model", VIT, "--image", images)
        self.assertEqual([line.split("\t")[0] for line in result.stdout.splitlines()], [f"{images}[1]", f"{images}[2]"],
                         result.stderr)

    def test_what_cannot_be_read_is_one_line(self):
        cut, text = self.folder / "cut.png", self.folder / "x.txt"
        cut.write_bytes(png(30, 20)[:60])
        text.write_text("hello")
        huge = self.folder / "huge.png"
        huge.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 40000, 30000, 8, 2, 0, 0, 0)) +
                         chunk(b"IDAT", b""))
        self.assertIn("cut.png: the PNG picture ends early", self.refusal("--model", VIT, "--image", cut))
        self.assertIn("x.txt: is not a picture", self.refusal("--model", VIT, "--image", text))
        self.assertIn("huge.png: has 40000 × 30000 pixels, more than", self.refusal("--model", VIT, "--image", huge))
        self.assertIn("none.png", self.refusal("--model", VIT, "--image", self.folder / "none.png"))

    def test_models_of_another_kind_are_named(self):
        bert = FIXTURES / "encoders" / "bert-classes"
        self.assertIn("is an encoder; yona classify --image takes an image classifier",
                      self.refusal("--model", bert, "--image", self.picture))
        self.assertIn("is an image classifier; yona classify takes an encoder", self.refusal("--model", VIT))
        self.assertIn("--model", self.refusal("--image", self.picture))
        self.assertIn("--input", self.refusal("--model", VIT, "--image", self.picture, "--input", self.picture))


if __name__ == "__main__":
    unittest.main()
