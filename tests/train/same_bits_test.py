"""A change of structure must not change a bit: the bytes of a short training run and the lines that it translates, by their
digests.

usage: same_bits_test.py [--device cpu|cuda] [--record]    YONA_PROGRAM names the program (as in ctest)

Trains the preset tiny for 20 updates with dropout, with and without R-Drop; on a CPU in f32 with one and two threads, which must
agree on any machine; on a GPU in bf16. Digests of model.safetensors, optimizer.safetensors and of translated lines are compared with
fixtures/same_bits.json, which holds them by processor, instruction set, compiler and the library that multiplies; a machine that is not in it
skips that part. `--record` adds this machine. A commit that changes bits on purpose records them again and says why.
"""

import argparse
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

YONA = os.environ.get("YONA_PROGRAM", "build/yona")
FIXTURES = Path(os.environ.get("YONA_FIXTURES", Path(__file__).resolve().parent.parent / "fixtures"))
DIGESTS = FIXTURES / "same_bits.json"
COMPILER = os.environ.get("YONA_COMPILER", "GNU 12 Release")  # what the program was built by, as ctest says
SKIPPED = 77


def yona(*words, stdin=None, **environment):
    """Standard output of the program; its messages where it fails."""
    done = subprocess.run([YONA, *map(str, words)], input=stdin, capture_output=True, text=True,
                          env=os.environ | environment)
    if done.returncode:
        sys.exit(f"yona {' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def write_corpus(folder):
    """Sentences of syllables; the target has them in reverse, so that attention has work."""
    draw = random.Random(7)
    words = ["".join(draw.choices(["ba", "do", "ki", "lu", "me", "no", "ra", "si"], k=draw.randint(1, 3))) for _ in range(120)]
    for name, count in (("train", 1200), ("valid", 40)):
        lines = [draw.choices(words, k=draw.randint(2, 12)) for _ in range(count)]
        (folder / f"{name}.src").write_text("".join(" ".join(line) + "\n" for line in lines))
        (folder / f"{name}.tgt").write_text("".join(" ".join(reversed(line)).upper() + "\n" for line in lines))


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def run(folder, name, *words):
    """Digests of a run of 20 updates, and of what it translates."""
    output = folder / name
    yona("train", "--train-src", folder / "train.src", "--train-tgt", folder / "train.tgt", "--valid-src", folder / "valid.src",
         "--valid-tgt", folder / "valid.tgt", "--preset", "tiny", "--updates", 20, "--batch-tokens", 512, "--vocab-size", 450,
         "--seed", 3, "--set", "train.save_every=20", "--set", "train.valid_every=20", "--set", "train.warmup=8",
         "--progress", "quiet", "--output", output, *words)
    last = output / "checkpoints" / "latest"
    return {file: digest((last / file).read_bytes()) for file in ("model.safetensors", "optimizer.safetensors")}


def translated(folder, name, *words):
    return digest(yona("translate", "--model", folder / name, "--input", folder / "valid.src", "--beam", 4, *words).encode())


def library(pattern):
    """The version of a shared library that the program or its GPU library is linked with."""
    files = [Path(YONA), *Path(YONA).parent.glob("libyona*.so")]
    found = "".join(subprocess.run(["ldd", file], capture_output=True, text=True).stdout for file in files)
    path = re.search(pattern + r"\S* => (\S+)", found)
    return os.path.basename(os.path.realpath(path[1])) if path else "unknown library"


def processor(name):
    """Virtual machines call different processors by one name; oneDNN chooses its code by what they are."""
    text = Path("/proc/cpuinfo").read_text()
    family, model = (re.search(rf"^{field}\s*: (\d+)", text, re.M) for field in ("cpu family", "model"))
    return f"{name} ({family[1]}, {model[1]})" if family and model else name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    device = json.loads(yona("info", "--devices", "--json"))["devices"][options.device]
    known = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        write_corpus(folder)
        if options.device == "cuda":
            if not device["usable"]:
                print(f"skipped: {device['reason']}")
                sys.exit(SKIPPED)
            name = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True).stdout
            key = f"{name.splitlines()[0]}, {library('libcublasLt')}"
            words = ("--device", "cuda", "--precision", "bf16", "--set", "train.measure=false")
            for r_drop in (0, 1):
                found[f"rdrop {r_drop}"] = run(folder, f"r{r_drop}", *words, "--set", f"train.rdrop={r_drop}")
            found["translated"] = translated(folder, "r0", "--device", "cuda", "--compute-type", "bf16")
        else:
            key = f"{processor(device['name'])}, {device['in_use']}, {library('libdnnl')}, {COMPILER}"
            for r_drop in (0, 1):
                both = [run(folder, f"r{r_drop}t{threads}", "--threads", threads, "--set", f"train.rdrop={r_drop}")
                        for threads in (1, 2)]
                if both[0] != both[1]:
                    sys.exit(f"one thread and two differ: {both}")
                found[f"rdrop {r_drop}"] = both[0]
            lines = [translated(folder, "r0t1", "--threads", threads, "--compute-type", "f32") for threads in (1, 2)]
            if lines[0] != lines[1]:
                sys.exit(f"translations by one thread and two differ: {lines}")
            found["translated"] = lines[0]
    if options.record:
        known[key] = found
        DIGESTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
        print(f"recorded: {key}")
    elif key not in known:
        print(f"one thread and two agree; digests skipped: none are recorded for {key}: {json.dumps(found)}")
        sys.exit(SKIPPED)
    elif known[key] != found:
        sys.exit(f"{key}: bits changed\nrecorded {json.dumps(known[key])}\nnow      {json.dumps(found)}")
    else:
        print(f"same bits: {key}")


if __name__ == "__main__":
    main()
