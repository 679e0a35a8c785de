"""`yona train --arch`: each architecture learns a toy language, is resumed with the same bytes, and
its folder is translated with (greedily, by beam, in int8), scored, described, averaged, drawn and
served.

usage: architectures_test.py    YONA_PROGRAM names the program (as in ctest)
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

YONA = os.environ.get("YONA_PROGRAM", "build/yona")

WORDS = [{"two": "zwei", "three": "drei", "nine": "neun", "ten": "zehn"},
         {"red": "rote", "green": "grüne", "old": "alte", "new": "neue"},
         {"dogs": "Hunde", "houses": "Häuser", "trees": "Bäume"}]
# The architecture, its settings, and how many of the corpus' sentences it has right at least.
KINDS = {
    "lstm": ("rnn", [], 0.9),
    "gru": ("rnn", ["model.cell=gru", "model.alignment=multiplicative"], 0.9),
    "tanh": ("rnn", ["model.cell=tanh"], 0.9),
    "last state": ("rnn", ["model.alignment=none"], 0.1),  # learns slowly without attention
    "convs2s": ("convs2s", [], 0.9),
    "bytenet": ("bytenet", ["model.longest_dilation=2"], 0.6),
    "feed-forward": ("feed-forward", ["model.input_length=16", "model.d_ff=64"], 0.9),
}
ATTENDING = ("lstm", "gru", "tanh", "convs2s")


def run(*arguments, text=None, status=0):
    result = subprocess.run([YONA, *map(str, arguments)], input=text, capture_output=True, text=True)
    if result.returncode != status:
        sys.exit(f"yona {' '.join(map(str, arguments))}\n  exit code {result.returncode}, not {status}"
                 f"\n{result.stderr}")
    return result


def expect(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def write_corpus(folder):
    """The adjective goes to the end, so that order matters."""
    pairs = []
    for n, c, t in itertools.product(*WORDS):
        pairs.append((f"{n} {c} {t}", f"{WORDS[0][n]} {WORDS[2][t]} {WORDS[1][c]}"))
    for side, name in enumerate(("en", "de")):
        Path(folder, f"train.{name}").write_text("\n".join(pair[side] for pair in pairs) + "\n")
    return pairs


def flags(folder, kind, output, updates):
    arch, settings, _ = KINDS[kind]
    return ["train", "--quiet", "--arch", arch, "--output", output, "--preset", "tiny",
            "--updates", updates, "--train-src", f"{folder}/train.en", "--train-tgt",
            f"{folder}/train.de", "--src-lang", "en", "--tgt-lang", "de", "--batch-tokens", "400",
            "--vocab-size", "360", "--set", "model.layers=2", "--set", "model.d_model=32",
            "--set", "model.dropout=0", "--set", "train.schedule=constant",
            "--set", "train.learning_rate=0.003", "--set", "train.warmup=20", "--set",
            "train.save_every=100",
            *itertools.chain.from_iterable(("--set", setting) for setting in settings)]


def same_bytes(a, b):
    return Path(a, "model.safetensors").read_bytes() == Path(b, "model.safetensors").read_bytes()


def check_training(folder, kind, pairs):
    whole = Path(folder, kind)
    run(*flags(folder, kind, whole, 200), "--threads", "2")
    parts = Path(folder, kind + "-parts")
    run(*flags(folder, kind, parts, 100), "--threads", "1")
    run(*flags(folder, kind, parts, 200), "--threads", "1", "--resume")
    expect(same_bytes(whole, parts), f"{kind}: one thread, stopped and resumed, gives other bytes")
    source = "".join(pair[0] + "\n" for pair in pairs)
    least = KINDS[kind][2]
    outputs = {}
    for how in (["--beam", "1"], ["--beam", "4"], ["--beam", "4", "--compute-type", "int8"]):
        lines = run("translate", "--model", whole, *how, text=source).stdout.splitlines()
        right = sum(line == pair[1] for line, pair in zip(lines, pairs)) / len(pairs)
        print(f"{kind} {' '.join(how)}: {right:.0%} of {len(pairs)} sentences right", flush=True)
        expect(right >= least, f"{kind} {how}: {right:.0%} right, at least {least:.0%} expected")
        outputs[" ".join(how)] = lines
    again = run("translate", "--model", whole, "--beam", "4", "--threads", "1", "--batch-tokens",
                "40", text=source).stdout.splitlines()
    expect(again == outputs["--beam 4"], f"{kind}: translations depend on threads or batches")
    return whole


def check_folder(folder, kind, model):
    arch = KINDS[kind][0]
    described = json.loads(run("info", "--model", model, "--json").stdout)
    expect(described["model"]["arch"] == arch, f"{kind}: info says {described}")
    run("info", "--model", model, "--verify")
    config = json.loads(Path(model, "config.json").read_text())
    expect(config["model_type"] == "yona" and config["yona"]["model"]["arch"] == arch,
           f"{kind}: config.json says {config}")
    averaged = Path(folder, kind + "-mean")
    run("average", "--run", model, "--output", averaged, "--last", "2")
    run("translate", "--model", averaged, text="two red dogs\n")
    drawn = ["attention", "--model", model, "--source", "two red dogs", "--format", "json"]
    if kind in ATTENDING:
        maps = json.loads(run(*drawn).stdout)
        expect(maps["maps"] if "maps" in maps else maps, f"{kind}: no maps of attention")
        aligned = run("translate", "--model", model, "--alignment", "hard", text="two red dogs\n")
        expect(aligned.stdout.strip(), f"{kind}: no alignment")
    else:
        said = run(*drawn, status=2).stderr
        expect("has none" in said, f"{kind}: {said}")


def check_refusals(folder):
    output = Path(folder, "refused")
    for arch, setting, said in (
            ("rnn", "model.heads=2", "model.heads: is not read by the architecture rnn"),
            ("transformer", "model.cell=gru", "model.cell: is not read by the architecture"),
            ("convs2s", "model.kernel_width=4", "model.kernel_width: 4 is even"),
            ("rnn", "model.d_model=33", "model.d_model: 33 is odd"),
            ("bytenet", "model.input_length=9", "model.input_length: is not read by"),
            ("perceptron", "model.layers=2", "--arch")):
        result = run("train", "--arch", arch, "--set", setting, "--preset", "tiny", "--output",
                     output, "--train-src", f"{folder}/train.en", "--train-tgt",
                     f"{folder}/train.de", status=2)
        expect(said in result.stderr, f"{arch} {setting}: {result.stderr}")
        expect(result.stderr.count("\n") == 1, f"not one line: {result.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        pairs = write_corpus(folder)
        check_refusals(folder)
        for kind in KINDS:
            check_folder(folder, kind, check_training(folder, kind, pairs))


if __name__ == "__main__":
    main()
