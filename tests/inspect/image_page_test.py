#!/usr/bin/env python3
"""`yona attention --image`: the page in a real browser, and its numbers as JSON. The page is skipped where there is no
Chromium."""
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib

PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")
VIT = os.path.join(os.environ.get("YONA_FIXTURES", "tests/fixtures"), "vit", "vit")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# Runs after the page; each step writes what it saw into the document as data-NAME.
STEPS = """
<script>
const seen = (name, value) => document.body.setAttribute("data-" + name, value);
const shown = () => [...large.getContext("2d").getImageData(0, 0, large.width, large.height).data];
const buttons = document.querySelectorAll("#maps button");
seen("buttons", buttons.length);
seen("caption", document.getElementById("caption").textContent);
const before = shown().join();
buttons[0].click();
seen("changed", before !== shown().join());
seen("pressed", document.querySelectorAll("[aria-pressed=true]").length);
seen("first", document.getElementById("caption").textContent);
seen("size", large.width + " " + large.height);
const plain = document.getElementById("plain");
const whole = [...plain.getContext("2d").getImageData(0, 0, plain.width, plain.height).data];
seen("darker", shown().every((value, i) => value <= whole[i]));
seen("labels", document.querySelectorAll("#labels li").length);
</script>
"""


def png(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes((x * 7 + y * 11) % 256 for x in range(width * 3)) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class ImagePage(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.picture = os.path.join(self.folder, "<a>.png")
        with open(self.picture, "wb") as file:
            file.write(png(30, 20))

    def attention(self, *flags):
        return subprocess.run([PROGRAM, "attention", "--model", VIT, *flags], capture_output=True, text=True, check=False)

    def test_numbers(self):
        result = self.attention("--image", self.picture, "--format", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        numbers = json.loads(result.stdout)
        patches = numbers["rows"] * numbers["columns"]
        self.assertEqual({len(layer) for layer in numbers["layers"]}, {numbers["heads"] * patches})
        self.assertEqual({len(layer) for layer in numbers["roll_out"]}, {patches})

    def test_what_is_wrong_is_named(self):
        for flags, message in ((("--image", self.picture, "--source", "a"), "--source is given together with --image"),
                               (("--image", self.picture, "--format", "svg"), "svg is for sentences"),
                               (("--image", "/nonexistent.png"), "/nonexistent.png")):
            result = self.attention(*flags)
            self.assertEqual(result.returncode, 2)
            self.assertIn(message, result.stderr)

    @unittest.skipIf(BROWSER is None, "there is no Chromium")
    def test_page(self):
        path = os.path.join(self.folder, "page.html")
        result = self.attention("--image", self.picture, "--output", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(path, encoding="utf-8") as file:
            page = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(page.replace("</body>", STEPS + "</body>"))
        dom = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                              "--user-data-dir=" + os.path.join(self.folder, "profile"), "file://" + path],
                             capture_output=True, text=True, timeout=120, check=True).stdout
        seen = dict(re.findall(r'data-([a-z]+)="([^"]*)"', dom))
        numbers = json.loads(self.attention("--image", self.picture, "--format", "json").stdout)
        layers = len(numbers["layers"])
        self.assertEqual(int(seen["buttons"]), layers * (numbers["heads"] + 2))
        self.assertIn(f"roll-out up to layer {layers}", seen["caption"])
        self.assertIn("layer 1, head 1", seen["first"])
        largest = max(numbers["layers"][0][:numbers["rows"] * numbers["columns"]])
        self.assertIn(f"{100 * largest:.1f} %", seen["first"])
        self.assertEqual((seen["changed"], seen["pressed"], seen["darker"]), ("true", "1", "true"))
        self.assertEqual(int(seen["labels"]), min(5, len(numbers["labels"])))


if __name__ == "__main__":
    if BROWSER is None:
        print("there is no Chromium: the page is not looked at")
    unittest.main()
