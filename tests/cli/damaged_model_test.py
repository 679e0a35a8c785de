"""A model folder proves itself: one changed byte of the weights or sub-words is one line and exit code 2, for
f32, bf16 and int8, in `translate`, `info` and `serve`; and what to do when another program wrote them."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.environ.get("YONA_SOURCE_DIR", "."), "tests", "inspect"))
from demo_model import demo_model  # noqa: E402

PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")


def yona(*arguments, text="half past three\n"):
    return subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120,
                          check=False)


def flip(path, share=0.6):
    """One bit of one byte behind the header."""
    content = bytearray(Path(path).read_bytes())
    content[int(len(content) * share)] ^= 0x40
    Path(path).write_bytes(content)


def halved(source, target):
    """The safetensors file with its f32 tensors in bf16, as another program would write it."""
    content = Path(source).read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header, data, out, at = json.loads(content[8:8 + size]), content[8 + size:], b"", 0
    for name, entry in sorted(header.items(), key=lambda item: item[1].get("data_offsets", [0])[0]):
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        words = b"".join(data[i + 2:i + 4] for i in range(begin, end, 4))
        entry.update(dtype="BF16", data_offsets=[at, at + len(words)])
        out, at = out + words, at + len(words)
    text = json.dumps(header).encode()
    Path(target).write_bytes(struct.pack("<Q", len(text)) + text + out)


class Damaged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.f32 = Path(demo_model(cls.temporary.name))
        cls.int8 = cls.folder / "int8"
        made = yona("convert", "--quantize", "int8", "--model", cls.f32, "--output", cls.int8)
        assert made.returncode == 0, made.stderr
        cls.bf16 = cls.folder / "bf16"
        shutil.copytree(cls.f32, cls.bf16, ignore=shutil.ignore_patterns("checkpoints"))
        halved(cls.f32 / "model.safetensors", cls.bf16 / "model.safetensors")
        made = yona("info", "--model", cls.bf16, "--record-checksums")
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def copy(self, model):
        folder = self.folder / "copy"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(model, folder, ignore=shutil.ignore_patterns("checkpoints"))
        return folder

    def check_refused(self, done, *words):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_one_changed_bit_is_refused_everywhere(self):
        for model, name in ((self.f32, "model.safetensors"), (self.bf16, "model.safetensors"),
                            (self.int8, "model.int8.safetensors")):
            folder = self.copy(model)
            self.assertEqual(yona("translate", "-q", "-m", folder).returncode, 0)
            for share in (0.3, 0.6, 0.99):
                shutil.copy(model / name, folder / name)
                flip(folder / name, share)
                for arguments in (("translate", "-q", "-m", folder), ("info", "-m", folder),
                                  ("info", "-m", folder, "--verify"), ("serve", "-q", "-m", folder, "--port", 0)):
                    self.check_refused(yona(*arguments), name, "is damaged: its checksum is not the one saved with it",
                                       f"yona info --model {folder} --record-checksums")

    def test_f32_weights_in_int8_arithmetic_are_verified_too(self):
        folder = self.copy(self.f32)
        flip(folder / "model.safetensors")
        self.check_refused(yona("translate", "-q", "-m", folder, "--compute-type", "int8"), "is damaged")

    def test_sub_words_are_verified_too(self):
        folder = self.copy(self.f32)
        flip(folder / "source.spm")
        self.check_refused(yona("translate", "-q", "-m", folder), "source.spm is damaged")

    def test_a_cut_file_and_a_damaged_list_are_told(self):
        folder = self.copy(self.f32)
        size = (folder / "model.safetensors").stat().st_size
        os.truncate(folder / "model.safetensors", size - 4)
        self.check_refused(yona("translate", "-q", "-m", folder), "model.safetensors")
        folder = self.copy(self.f32)
        (folder / "checksums.json").write_text("{")
        self.check_refused(yona("translate", "-q", "-m", folder), "checksums.json")

    def test_folders_without_checksums_load(self):
        folder = self.copy(self.f32)
        (folder / "checksums.json").unlink()
        self.assertEqual(yona("translate", "-q", "-m", folder).returncode, 0)
        told = yona("info", "-m", folder, "--verify")
        self.assertEqual(told.returncode, 0)
        self.assertIn("there is no checksums.json", told.stdout)

    def test_verify_says_what_it_looked_at_and_finds_edited_settings(self):
        folder = self.copy(self.f32)
        told = yona("info", "-m", folder, "--verify")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("verified: ", told.stdout)
        settings = json.loads((folder / "generation_config.json").read_text())
        (folder / "generation_config.json").write_text(json.dumps({**settings, "num_beams": 2}))
        self.assertEqual(yona("translate", "-q", "-m", folder).returncode, 0)  # people edit it
        self.check_refused(yona("info", "-m", folder, "--verify"), "generation_config.json is damaged")

    def test_weights_of_another_program_are_recorded_on_request(self):
        folder = self.copy(self.f32)
        halved(self.f32 / "model.safetensors", folder / "model.safetensors")
        self.check_refused(yona("translate", "-q", "-m", folder), "--record-checksums")
        told = yona("info", "-m", folder, "--record-checksums")
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("recorded: the checksums of", told.stdout)
        self.assertEqual(yona("translate", "-q", "-m", folder).returncode, 0)
        # what cannot be loaded is not vouched for
        before = (folder / "checksums.json").read_bytes()
        os.truncate(folder / "model.safetensors", 5000)
        self.check_refused(yona("info", "-m", folder, "--record-checksums"), "model.safetensors")
        self.assertEqual((folder / "checksums.json").read_bytes(), before)

    def test_info_refuses_what_translate_refuses(self):
        for model in (self.f32, self.int8):
            for path in sorted(model.iterdir()):
                if path.suffix not in (".json", ".spm", ".safetensors"):
                    continue
                content = path.read_bytes()
                for new in (b"", content[:len(content) // 2], content[:50] + b"}" + content[51:], None):
                    folder = self.copy(model)
                    (folder / path.name).unlink()
                    if new is not None:
                        (folder / path.name).write_bytes(new)
                    codes = [yona(*arguments).returncode for arguments in
                             (("translate", "-q", "-m", folder), ("info", "-m", folder))]
                    self.assertEqual(codes[0], codes[1], f"{path.name}: {new and len(new)}")

    def test_a_checkpoint_translates_with_the_sub_words_of_its_run(self):
        steps = sorted((self.f32 / "checkpoints").iterdir())
        self.assertTrue(steps)
        for step in steps:
            done = yona("translate", "-q", "-m", step)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.count("\n"), 1)
        made = yona("convert", "--quantize", "int8", "-m", steps[0], "-o", self.folder / "from-step")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(yona("translate", "-q", "-m", self.folder / "from-step").returncode, 0)


if __name__ == "__main__":
    unittest.main()
