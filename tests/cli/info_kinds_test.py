"""`yona info` of folders of every kind: image classifiers (ViT, DeiT, yona's own), parsers and memory networks.
Parameters are counted once more from the weights' files; a damaged file is named; other commands say in one line
that a memory network is not for them. Recurrent networks and their like are in architectures_test.py."""
import json
import math
import os
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")
FIXTURES = Path(os.environ.get("YONA_FIXTURES", "tests/fixtures"))
TREES = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))\n(S (NP (DT a) (NN dog)) (VP (VBZ sees) (NP (NN cat))))\n" * 20


def yona(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def grey_png(side, value):
    rows = (b"\0" + bytes([value]) * side) * side
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def stored_parameters(folder):
    with open(folder / "model.safetensors", "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    return sum(math.prod(value["shape"]) for name, value in header.items() if name != "__metadata__")


class InfoOfEveryKind(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.runs = 0

    def train(self, *arguments):
        self.runs += 1
        run = self.folder / f"run-{self.runs}"
        result = yona("train", "--output", run, "--updates", 3, "--set", "train.warmup=1", "--quiet",
                      "--threads", 1, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return run

    def info(self, folder):
        """The line of the text, and the object of --json."""
        text = yona("info", "--model", folder, "--verify")
        self.assertEqual(text.returncode, 0, text.stderr)
        model = json.loads(yona("info", "--model", folder, "--verify", "--json").stdout)["model"]
        self.assertEqual(model["parameters"], stored_parameters(folder))
        self.assertEqual(sum(row["parameters"] for row in model["weights"]), model["parameters"])
        return text.stdout.splitlines()[0], model

    def check_damage(self, folder, name):
        path = folder / name
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
        result = yona("info", "--model", folder, "--verify")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertIn(name, result.stderr)

    def test_vit_and_deit(self):
        for name, heads in (("vit", "tells 3 labels apart"), ("deit", "tells 3 labels apart"),
                            ("deit-teacher", "tells 3 labels apart, with a teacher's classifier")):
            with self.subTest(name=name):
                line, model = self.info(FIXTURES / "vit" / name)
                family = name.split("-")[0]
                self.assertIn(f": image classifier ({family}), {model['layers']} layers, d_model 16, d_ff 24, 2 heads",
                              line)
                self.assertTrue(line.endswith(heads), line)
                self.assertEqual((model["task"], model["family"]), ("image-classification", family))
                self.assertEqual(model["labels"], ["boot", "coat", "bag"])
                self.assertIn("config.json, preprocessor_config.json and every tensor", model["verified"])
        self.assertIn("grey pixels", self.info(FIXTURES / "vit" / "vit-grey")[0])

    def test_a_run_on_pictures(self):
        for label, value in (("dark", 10), ("light", 240)):
            (self.folder / "train" / label).mkdir(parents=True)
            for i in range(4):
                (self.folder / "train" / label / f"{i}.png").write_bytes(grey_png(8, value + i))
        run = self.train("--task", "image-classification", "--train", self.folder / "train", "--set", "model.layers=1",
                         "--set", "model.stride=2", "--set", "model.image_vector=mean", "--set", "model.d_model=16",
                         "--set", "model.d_ff=16")
        line, model = self.info(run)
        self.assertIn("image classifier (yona-vit), 1 layers, d_model 16, d_ff 16, 4 heads, 9 patches of 4 × 4 "
                      "every 2 of 8 × 8 coloured pixels, tells 2 labels apart", line)
        self.assertIn("as checksums.json says", model["verified"])
        self.check_damage(run, "model.safetensors")

    def test_a_parser(self):
        (self.folder / "trees.mrg").write_text(TREES)
        run = self.train("--task", "parsing", "--train", self.folder / "trees.mrg", "--set", "model.layers=1", "--set",
                         "model.d_model=16", "--set", "model.d_ff=16", "--vocab-size", 280)
        line, model = self.info(run)
        self.assertIn(": parser, 1 + 1 layers, d_model 16, d_ff 16, 4 heads of d_k 4 and d_v 4, vocabulary ", line)
        self.assertEqual(model["task"], "parsing")
        self.check_damage(run, "symbols.json")

    def test_a_memory_network(self):
        for tying in ("adjacent", "layer-wise"):
            with self.subTest(tying=tying):
                run = self.train("--task", "question-answering", "--set", "data.tasks=single-fact", "--set",
                                 f"model.tying={tying}", "--set", "data.questions=50", "--set", "model.d_model=8")
                line, model = self.info(run)
                self.assertRegex(line, rf": memory network, 3 hops, d_model 8, memory of 50 sentences, {tying} tying, "
                                       r"vocabulary \d+$")
                self.assertEqual(model["task"], "question-answering")
                self.assertEqual(model["vocabulary"],
                                 len(json.loads((run / "config.json").read_text())["yona"]["words"]))
        for command in (("translate", "--model", run), ("generate", "--model", run, "--prompt", "x"),
                        ("classify", "--model", run), ("embed", "--model", run), ("fill", "--model", run),
                        ("parse", "--model", run), ("serve", "--model", run, "--port", 0),
                        ("convert", "--quantize", "int8", "--model", run, "--output", self.folder / "int8")):
            with self.subTest(command=command[0]):
                result = subprocess.run([PROGRAM, *map(str, command)], capture_output=True, text=True, timeout=60,
                                        check=False, input="x\n")
                self.assertNotEqual(result.returncode, 0)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assertIn("is a memory network", result.stderr)
        self.check_damage(run, "model.safetensors")

    def test_a_wrong_config_is_named(self):
        run = self.train("--task", "question-answering", "--set", "data.tasks=single-fact", "--set",
                         "data.questions=50", "--set", "model.d_model=8")
        whole = json.loads((run / "config.json").read_text())
        (run / "checksums.json").unlink()
        for key, value, said in (("tying", "none", "\"tying\" is 'none'"), ("hops", 0, "model.hops: 0"),
                                 ("words", 7, '"words" cannot be 7'), ("d_model", 9, "has shape"),
                                 ("memory", None, '"memory" cannot be null')):
            with self.subTest(key=key):
                changed = json.loads(json.dumps(whole))
                changed["yona"][key] = value
                (run / "config.json").write_text(json.dumps(changed))
                result = yona("info", "--model", run)
                self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)
                self.assertIn(said, result.stderr)


if __name__ == "__main__":
    unittest.main()
