"""Memory of a loaded language model: bf16 and f16 folders take 2 bytes for each weight, int8 takes 1, f32 takes 4;
and what they generate is the same where it must be. The models are made here, some 20 million weights each."""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")
SIZE, LAYERS, WIDTH, POSITIONS = 512, 5, 2048, 64
CHARACTERS = "abcdefghijklmnopqrstuvwxyz .,"
VOCABULARY = 4096


def shapes():
    """A Llama without grouped heads, tied: name → shape."""
    found = {"model.embed_tokens.weight": (VOCABULARY, SIZE), "model.norm.weight": (SIZE,)}
    for layer in range(LAYERS):
        prefix = f"model.layers.{layer}."
        for name in "qkvo":
            found[f"{prefix}self_attn.{name}_proj.weight"] = (SIZE, SIZE)
        found[prefix + "mlp.gate_proj.weight"] = found[prefix + "mlp.up_proj.weight"] = (WIDTH, SIZE)
        found[prefix + "mlp.down_proj.weight"] = (SIZE, WIDTH)
        found[prefix + "input_layernorm.weight"] = found[prefix + "post_attention_layernorm.weight"] = (SIZE,)
    return found


def elements(shape):
    return shape[0] * (shape[1] if len(shape) > 1 else 1)


def write_folder(folder, dtype):
    """The same values in each type: bf16 has them exactly, and so has f16."""
    folder.mkdir()
    draw = random.Random(1)
    values = [draw.choice([-1, 1]) * (1 + draw.randrange(64) / 64) * 2.0 ** -draw.randrange(4, 8) for _ in range(65521)]
    pack = {"F32": lambda x: struct.pack("<f", x), "BF16": lambda x: struct.pack("<f", x)[2:],
            "F16": lambda x: struct.pack("<e", x)}[dtype]
    pattern = b"".join(map(pack, values))
    one, header, data, at = pack(1.0), {}, [], 0
    for name, shape in shapes().items():
        count = elements(shape) * len(one)
        content = one * elements(shape) if len(shape) == 1 else (pattern * (count // len(pattern) + 1))[:count]
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + count]}
        data.append(content)
        at += count
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data))
    (folder / "config.json").write_text(json.dumps({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": SIZE, "hidden_act": "silu",
        "intermediate_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": 8, "num_key_value_heads": 8,
        "max_position_embeddings": POSITIONS, "rms_norm_eps": 1e-6, "vocab_size": VOCABULARY,
        "tie_word_embeddings": True, "bos_token_id": 0, "eos_token_id": 1}))
    pieces = ["<s>", "</s>", "<unk>", *CHARACTERS]
    pieces += [f"<extra{n}>" for n in range(VOCABULARY - len(pieces))]
    (folder / "tokenizer.json").write_text(json.dumps({
        "added_tokens": [{"id": n, "content": pieces[n], "special": True} for n in range(3)],
        "normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": {"type": "Fuse"},
        "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": False, "byte_fallback": False,
                  "vocab": {piece: n for n, piece in enumerate(pieces)}, "merges": []}}))
    return folder


# The peak of a process counts that of the one which started it, so a small one starts it.
START = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(child.pid, 0)
print(usage.ru_maxrss, file=sys.stderr)
os._exit(os.waitstatus_to_exitcode(status))
"""


def run(*arguments):
    """What the program prints, and the peak of its resident memory in bytes."""
    done = subprocess.run([sys.executable, "-S", "-c", START, PROGRAM, *map(str, arguments)], capture_output=True,
                          text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, int(done.stderr.splitlines()[-1]) * 1024


class WeightMemory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temp = tempfile.TemporaryDirectory()
        root = Path(cls.temp.name)
        cls.folders = {dtype: write_folder(root / dtype, dtype) for dtype in ("F32", "BF16", "F16")}
        cls.weights = sum(map(elements, shapes().values()))
        # The program itself, with its libraries and threads.
        cls.program = run("info", "--preset", "tiny", "--vocab-size", 100)[1]
        cls.out = root / "int8"

    @classmethod
    def tearDownClass(cls):
        cls.temp.cleanup()

    def generated(self, folder, *more):
        """Text, and bytes of memory for each weight at the peak."""
        out, peak = run("generate", "--model", folder, "--prompt", "once upon", "--max-new", 12, "--threads", 2, "--json",
                        *more)
        return json.loads(out)["tokens"], (peak - self.program) / self.weights

    def test_weights_take_the_bytes_of_their_file(self):
        tokens, f32 = self.generated(self.folders["F32"])
        self.assertGreater(f32, 3.9)
        for dtype in ("BF16", "F16"):
            same, half = self.generated(self.folders[dtype])
            self.assertEqual(same, tokens, "the arithmetic is f32 in each")
            self.assertLess(half, 2.8, dtype)
        if "avx512_bf16" in Path("/proc/cpuinfo").read_text():  # else f32 is used, with a warning
            same, half = self.generated(self.folders["F32"], "--compute-type", "bf16")
            self.assertEqual(same, tokens)
            self.assertLess(half, 2.8)

    def test_int8_keeps_no_other_copy(self):
        for dtype in ("F32", "BF16"):
            self.assertLess(self.generated(self.folders[dtype], "--compute-type", "int8")[1], 1.9, dtype)
        run("convert", "--model", self.folders["BF16"], "--quantize", "int8", "--output", self.out)
        self.assertLess(self.generated(self.out)[1], 1.9)

    def test_perplexity_is_that_of_the_same_weights(self):
        text = Path(self.temp.name) / "text.txt"
        text.write_text("once upon a time there was a text. " * 4)
        figures = {}
        for name, folder, more in (("f32", "F32", []), ("bf16", "BF16", []), ("int8", "BF16", ["--compute-type", "int8"])):
            out, _ = run("perplexity", "--model", self.folders[folder], "--input", text, "--json", *more)
            figures[name] = json.loads(out)["nll"]
        self.assertAlmostEqual(figures["f32"], figures["bf16"], delta=1e-3)
        self.assertAlmostEqual(figures["int8"], figures["f32"], delta=0.05 * figures["f32"])


if __name__ == "__main__":
    if os.environ.get("YONA_SANITIZED"):
        print("skipped: sanitizers take memory of their own")
        sys.exit(77)
    unittest.main()
