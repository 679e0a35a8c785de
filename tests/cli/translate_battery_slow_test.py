"""What a pipeline does to `yona translate`: endless input, damaged models, readers that leave, full
disks, two runs at once. Each case gives a right answer or one clear line, and never a crash.

usage: translate_battery_slow_test.py      YONA_PROGRAM is the program (default build/yona)
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")
NUMBERS = ("null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def run(*flags, text=b"", timeout=600):
    return subprocess.run([PROGRAM, *map(str, flags)], input=text, capture_output=True,
                          timeout=timeout, check=False)


def train(folder):
    """A model that has seen a few sentences: it ends its outputs; they need not be right."""
    pairs = [((a, b), (x, y)) for a, x in zip(ENGLISH, NUMBERS) for b, y in zip(ENGLISH, NUMBERS)]
    (folder / "train.en").write_text("".join(f"{a} and {b}\n" for (a, b), _ in pairs))
    (folder / "train.de").write_text("".join(f"{x} und {y}\n" for _, (x, y) in pairs))
    done = run("train", "--train-src", folder / "train.en", "--train-tgt", folder / "train.de",
               "--output", folder / "run", "--preset", "tiny", "--vocab-size", 380, "--updates", 60,
               "--batch-tokens", 400, "--set", "model.d_model=32", "--set", "model.layers=1",
               "--set", "data.max_length=64", "--set", "model.max_positions=64", "--progress", "quiet")
    assert done.returncode == 0, done.stderr.decode()


class Battery(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        train(cls.folder)
        cls.model = cls.folder / "run"

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def translate(self, text, *flags):
        return run("translate", "--model", self.model, *flags, text=text)

    def damaged(self, name, change):
        """A copy of the model with one file changed."""
        copy = self.folder / "damaged"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for path in self.model.iterdir():
            if path.is_file():
                shutil.copy(path, copy)
        (copy / name).write_bytes(change((copy / name).read_bytes()))
        return run("translate", "--model", copy, text=b"one and two\n")

    def assert_one_line(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        for word in words:
            self.assertIn(word, lines[0])

    def test_no_lines_one_line_and_many(self):
        self.assertEqual(self.translate(b"").stdout, b"")
        one = self.translate(b"one and two\n")
        self.assertEqual(one.stdout.count(b"\n"), 1)
        many = self.translate(b"one and two\n" * 5000)
        self.assertEqual(many.stdout, one.stdout * 5000)
        self.assertEqual(self.translate(b"one and two").stdout, one.stdout)  # without its LF

    def test_a_million_blank_lines_in_bounded_memory(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        done = self.translate(b"\n" * 1_000_000)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, b"\n" * 1_000_000)
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(max(before, after), 400_000)  # kilobytes

    def test_a_model_file_cut_anywhere(self):
        size = (self.model / "model.safetensors").stat().st_size
        for length in (0, 7, 8, 100, size // 2, size - 1):
            done = self.damaged("model.safetensors", lambda data: data[:length])
            self.assert_one_line(done, 2, "model.safetensors")

    def test_a_model_file_of_something_else(self):
        self.assert_one_line(self.damaged("model.safetensors", lambda data: b"\x7fELF" * 999), 2,
                             "model.safetensors")
        self.assert_one_line(self.damaged("config.json", lambda data: b"[]"), 2, "config.json")
        self.assert_one_line(self.damaged("vocab.json", lambda data: b'{"a": 0}'), 2, "vocab.json")
        self.assert_one_line(self.damaged("source.spm", lambda data: data[: len(data) // 2]), 2,
                             "source.spm")

    def test_sizes_that_no_model_has(self):
        for key, value in ((b'"d_model": 32', b'"d_model": -32'),
                           (b'"d_model": 32', b'"d_model": 32000000000')):
            done = self.damaged("config.json", lambda data: data.replace(key, value))
            self.assert_one_line(done, 2)

    def test_a_reader_that_leaves(self):
        command = subprocess.Popen([PROGRAM, "translate", "--model", str(self.model)],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        command.stdout.close()
        threading.Thread(target=self.feed, args=(command,), daemon=True).start()
        self.assertEqual(command.wait(timeout=120), 1)
        self.assertIn(b"standard output", command.stderr.read())
        command.stderr.close()

    @staticmethod
    def feed(command):
        try:
            with command.stdin as lines:
                for _ in range(20000):
                    lines.write(b"one and two\n")
        except BrokenPipeError:
            pass  # what the test is about

    def test_a_full_disk(self):
        done = self.translate(b"one and two\n", "--output", "/dev/full")
        self.assert_one_line(done, 1, "/dev/full", "No space left")
        with open("/dev/full", "wb") as full:
            out = subprocess.run([PROGRAM, "translate", "--model", str(self.model)],
                                 input=b"one and two\n", stdout=full, stderr=subprocess.PIPE,
                                 check=False)
        self.assertEqual(out.returncode, 1)

    def test_two_runs_at_once(self):
        expected = self.translate(b"three and four\n" * 500).stdout
        answers = [None, None]

        def work(i):
            answers[i] = self.translate(b"three and four\n" * 500).stdout
        threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [expected, expected])

    def test_bytes_that_are_no_text(self):
        done = self.translate(bytes(range(256)) * 3 + b"\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count(b"\n"), 4)  # three LF inside, one at the end
        self.assert_one_line(self.translate(b"x" * (1 << 20) + b"x\n"), 2, "line 1")


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
