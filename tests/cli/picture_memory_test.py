"""Training on a folder of pictures that is larger than the memory it may take (data.memory_mb): the peak stays
bounded, and weights have the same bits as with all pictures in memory, with two threads, and after a kill. A picture
that changes during the run is named."""
import os
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zlib
from pathlib import Path

PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")
SIDE = 256  # pixels that the model takes: 196,608 bytes a picture
PICTURES = 1200  # 236 MB of them
LIMIT_MB = 8


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def grey_png(number):
    rows = b"".join(b"\0" + bytes((number * 17 + x * (1 + number % 2) + y) % 256 for x in range(32)) for y in range(32))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 32, 32, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class PictureMemory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        for name, count in (("many", PICTURES), ("few", 60)):
            for label in ("a", "b"):
                (cls.folder / name / label).mkdir(parents=True)
            for i in range(count):
                path = cls.folder / name / "ab"[i % 2] / f"{i // 2:04}.png"
                path.write_bytes(grey_png(i))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def command(self, output, data, *more):
        settings = ["data.image_size=" + str(SIDE), "model.patch=64", "model.layers=1", "model.d_model=16",
                    "model.d_ff=16", "model.heads=2", "train.batch_tokens=64", "train.warmup=1", "data.mirror=0.5",
                    "train.schedule=constant", "train.tensorboard=false"]
        sets = [word for setting in settings for word in ("--set", setting)]
        return [PROGRAM, "train", "--task", "image-classification", "--train", str(self.folder / data), "--output",
                str(self.folder / output), "--quiet", *sets, *map(str, more)]

    def train(self, *arguments):
        """The peak of the process's memory in bytes."""
        child = subprocess.Popen(self.command(*arguments), stderr=subprocess.PIPE, text=True)
        errors = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        child.stderr.close()
        self.assertEqual(child.returncode, 0, errors)
        return usage.ru_maxrss * 1024

    def weights(self, output):
        return (self.folder / output / "model.safetensors").read_bytes()

    def test_the_peak_does_not_grow_with_the_folder(self):
        few = self.train("peak-few", "few", "--updates", 6, "--threads", 1, "--set", f"data.memory_mb={LIMIT_MB}")
        many = self.train("peak-many", "many", "--updates", 6, "--threads", 1, "--set", f"data.memory_mb={LIMIT_MB}")
        kept = self.train("peak-kept", "many", "--updates", 6, "--threads", 1, "--set", "data.memory_mb=1000")
        decoded = PICTURES * SIDE * SIDE * 3
        self.assertGreater(kept, few + 0.8 * decoded)  # the measurement sees pictures that are kept
        self.assertLess(many, few + 0.2 * decoded)
        self.assertEqual(self.weights("peak-many"), self.weights("peak-kept"))

    def test_threads_and_mixed_pictures_have_the_same_bits(self):
        more = ("--updates", 8, "--valid", self.folder / "few", "--set", "data.mixup=0.4", "--set",
                "data.crop_area=0.5", "--set", "train.valid_every=4")
        self.train("all", "few", *more, "--threads", 1)
        self.train("one", "few", *more, "--threads", 1, "--set", "data.memory_mb=1")
        self.train("two", "few", *more, "--threads", 2, "--set", "data.memory_mb=1")
        self.assertEqual(self.weights("all"), self.weights("one"))
        self.assertEqual(self.weights("all"), self.weights("two"))

    def test_a_killed_run_goes_on_with_the_same_bits(self):
        more = ("--updates", 60, "--threads", 1, "--set", "data.memory_mb=1", "--set", "train.save_every=10")
        self.train("whole", "few", *more)
        child = subprocess.Popen(self.command("killed", "few", *more))
        for _ in range(3000):
            if (self.folder / "killed" / "checkpoints" / "step-10").exists() or child.poll() is not None:
                break
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        child.wait()
        result = subprocess.run([PROGRAM, "train", "--resume", "--output", str(self.folder / "killed"), "--quiet"],
                                capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.weights("whole"), self.weights("killed"))

    def test_a_picture_that_changes_is_named(self):
        data = self.folder / "changing"
        for label in ("a", "b"):
            (data / label).mkdir(parents=True)
            for i in range(20):
                (data / label / f"{i}.png").write_bytes(grey_png(i))
        child = subprocess.Popen(self.command("changed", "changing", "--updates", 1000000, "--threads", 1, "--set",
                                              "data.memory_mb=1", "--set", "train.save_every=2"),
                                 stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.kill)
        watchdog = threading.Timer(100, child.kill)
        watchdog.start()
        self.addCleanup(watchdog.cancel)
        while not (self.folder / "changed" / "checkpoints").exists() and child.poll() is None:
            time.sleep(0.01)
        (data / "b" / "19.png").write_bytes(grey_png(77))
        errors = child.stderr.read()
        child.stderr.close()
        self.assertEqual((child.wait(), errors.count("\n")), (2, 1), errors)
        self.assertIn("b/19.png: changed since the run read it first", errors)


if __name__ == "__main__":
    if os.environ.get("YONA_SANITIZED"):
        print("skipped: sanitizers take memory of their own")
        sys.exit(77)
    unittest.main()
