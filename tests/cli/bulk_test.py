"""Decoding in bulk: ranks share out the lines of a file, a job that was ended is finished by the same command, and the bytes are those of one process.

usage: bulk_test.py    YONA_PROGRAM names the program, YONA_FIXTURES the folder of fixtures (as in ctest)

Skipped where there is no mpirun, or yona was built without MPI.
"""

import gzip
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

YONA = Path(os.environ.get("YONA_PROGRAM", "build/yona")).resolve()
SKIPPED = 77
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
ENVIRONMENT = os.environ | {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def run(words, ranks=0, expect=0):
    command = [*(MPIRUN + ["-np", str(ranks)] if ranks else []), YONA, *words]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    check(done.returncode == expect, f"{' '.join(map(str, command))}: exit {done.returncode}, expected {expect}\n{done.stdout}{done.stderr}")
    return done.stderr


def check(condition, text):
    if not condition:
        sys.exit(text)


def own_lines(text):
    return [line for line in text.splitlines() if line.startswith("yona:")]


def train(folder):
    """A translation model and a language model, small and hardly trained."""
    draw = random.Random(5)
    words = ["".join(draw.choices(["ba", "do", "ki", "lu", "me"], k=draw.randint(1, 3))) for _ in range(60)]
    lines = [" ".join(draw.choices(words, k=draw.randint(1, 8))) for _ in range(120)]
    (folder / "train.txt").write_text("".join(line + "\n" for line in lines))
    with gzip.open(folder / "input.gz", "wt") as file:
        file.write("".join(line + "\n" for line in lines[:50]))
    small = ["model.layers=1", "model.d_model=32", "model.heads=2", "model.d_ff=32"]
    common = ["--updates", "3", "--batch-tokens", "256", "--progress", "quiet", *[w for s in small for w in ("--set", s)]]
    run(["train", "--train-src", folder / "train.txt", "--train-tgt", folder / "train.txt", "--set", "preset=tiny", "--vocab-size", "400",
         *common, "--output", folder / "translation"])
    run(["train", "--task", "language-model", "--train", folder / "train.txt", "--set", "preset=char-small", *common[:-2], "--output", folder / "language"])


def commands(folder, encoder):
    """Each command that decodes in bulk, without its output."""
    chunked = ["--input", folder / "input.gz", "--chunk-lines", "8"]
    yield "translate", ["translate", "--model", folder / "translation", *chunked, "--beam", "2"]
    yield "generate", ["generate", "--model", folder / "language", *chunked, "--max-new", "5", "--temperature", "1", "--json"]
    yield "embed", ["embed", "--model", encoder, *chunked, "--json"]


def same_bytes(folder, encoder):
    for name, words in commands(folder, encoder):
        alone, shared = folder / f"{name}.alone.zst", folder / f"{name}.shared.zst"
        run([*words, "--output", alone])
        run([*words, "--output", shared], 3)
        check(alone.read_bytes() and alone.read_bytes() == shared.read_bytes(), f"{name}: three ranks have other bytes than one process")
        check(not Path(f"{shared}.chunks").exists(), f"{name}: chunks are left")


def fails(folder, encoder):
    """A line that cannot be decoded ends the job; what is done stays, and other options are refused by name."""
    _, words = next(commands(folder, encoder))
    output = folder / "fails.txt"
    chunks = Path(f"{output}.chunks")
    lines = gzip.open(folder / "input.gz").read().splitlines(keepends=True)
    damaged = folder / "damaged.txt"
    damaged.write_bytes(b"".join(lines[:30]) + b"\xff\xfe\n" + b"".join(lines[31:]))
    words = [damaged if word == folder / "input.gz" else word for word in words] + ["--encoding", "refuse"]
    said = run([*words, "--output", output], 2, expect=2)
    check(len(own_lines(said)) == 1 and "damaged.txt:31: is not UTF-8" in said, said)
    check(not output.exists() and (chunks / "record.json").exists() and (chunks / "1").exists(), "what was done is gone")
    inside = folder / "translation" / "inside.txt"  # its parts are not the model's
    for _ in range(2):
        said = run([*words, "--output", inside], 2, expect=2)
        check("damaged.txt:31: is not UTF-8" in said, said)
    shutil.rmtree(f"{inside}.chunks")
    said = run([*words, "--output", output, "--n-best", "2"], 2, expect=2)
    check(len(own_lines(said)) == 1 and "--n-best" in said and "was started with other options or files" in said, said)
    damaged.write_bytes(damaged.read_bytes() + b"more\n")
    said = run([*words, "--output", output], expect=2)
    check("damaged.txt" in said and "was started with other options or files" in said, said)


def killed(folder, encoder):
    """A rank that dies ends the job; the same command does the missing chunks alone, with ranks or without."""
    long = folder / "long.txt"
    long.write_bytes(gzip.open(folder / "input.gz").read() * 40)
    _, words = next(commands(folder, encoder))
    words = [long if word == folder / "input.gz" else word for word in words]
    run([*words, "--output", folder / "whole.txt"])
    whole = (folder / "whole.txt").read_text().splitlines(keepends=True)
    for ranks in (2, 0):
        output = folder / f"killed{ranks}.txt"
        chunks = Path(f"{output}.chunks")
        job = subprocess.Popen([str(w) for w in [*MPIRUN, "-np", "2", YONA, *words, "--output", output]], env=ENVIRONMENT,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while job.poll() is None and not (chunks / "4").exists():
            time.sleep(0.001)
        children = subprocess.run(["pgrep", "-P", str(job.pid), "yona"], capture_output=True, text=True).stdout.split()
        os.kill(int(children[-1]), signal.SIGKILL)
        check(job.wait(20) != 0 and not output.exists() and chunks.exists(), "a job with a dead rank goes on")
        mark = ["marked\n"] * 8  # in the place of chunk 4, to see that it is taken as it is
        (chunks / "4").write_text("".join(mark))
        run([*words, "--output", output], ranks)
        check(output.read_text() == "".join(whole[:32] + mark + whole[40:]), f"{ranks} ranks: not the missing chunks alone, or other bytes")
        check(not chunks.exists(), "chunks are left")


def refused(folder, encoder):
    _, words = next(commands(folder, encoder))
    said = run(words, 2, expect=2)
    check(len(own_lines(said)) == 1 and "--output" in said, said)
    said = run([*words, "--output", "/dev/null"], 2, expect=2)
    check(len(own_lines(said)) == 1 and "is not a file" in said, said)


def main():
    if not shutil.which("mpirun") or not (YONA.parent / "libyona_mpi.so").exists():
        print("skipped: mpirun or libyona_mpi.so is not here")
        sys.exit(SKIPPED)
    encoder = Path(os.environ.get("YONA_FIXTURES", "tests/fixtures")) / "encoders" / "bert-masked-lm"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train(folder)
        for part in (same_bytes, fails, killed, refused):
            part(folder, encoder)


if __name__ == "__main__":
    main()
