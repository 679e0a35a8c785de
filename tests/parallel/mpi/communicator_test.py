"""Training over MPI: several processes on this machine have the bytes of one, go on with another number of ranks, and end together.

usage: communicator_test.py [--kills N] [--only PARTS] [--results FILE]    YONA_PROGRAM names the program (as in ctest)

Skipped where there is no mpirun, or yona was built without MPI.
"""

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

YONA = Path(os.environ.get("YONA_PROGRAM", "build/yona")).resolve()
SKIPPED = 77
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
ENVIRONMENT = os.environ | {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def write_corpus(folder):
    """Sentences of syllables, and the same in reverse."""
    draw = random.Random(7)
    words = ["".join(draw.choices(["ba", "do", "ki", "lu", "me", "no", "ra", "si"], k=draw.randint(1, 3))) for _ in range(100)]
    for name, count in (("train", 300), ("valid", 20)):
        lines = [draw.choices(words, k=draw.randint(2, 9)) for _ in range(count)]
        (folder / f"{name}.src").write_text("".join(" ".join(line) + "\n" for line in lines))
        (folder / f"{name}.tgt").write_text("".join(" ".join(reversed(line)) + "\n" for line in lines))
    (folder / "train.tsv").write_text("sentence\tlabel\n" + "".join(f"{draw.choice(words)} {w}\t{'yes' if i % 2 else 'no'}\n" for i, w in enumerate(words)))
    (folder / "text.txt").write_text("".join(" ".join(draw.choices(words, k=9)) + "\n" for _ in range(200)))


def flags(folder, output, *words):
    return ["train", "--train-src", folder / "train.src", "--train-tgt", folder / "train.tgt", "--valid-src", folder / "valid.src",
            "--valid-tgt", folder / "valid.tgt", "--batch-tokens", "256", "--vocab-size", "400", "--seed", "3",
            *settings("preset=tiny", "model.layers=1", "model.d_model=64", "train.warmup=8", "train.ema=0.9", "train.clip_norm=1",
                      "train.schedule=inverse_sqrt", "train.learning_rate=0.001", "train.patience=0", "train.save_every=3",
                      "train.valid_every=3"),
            "--progress", "plain", "--output", output, *words]


def settings(*values):
    return [word for value in values for word in ("--set", value)]


def run(words, ranks=0, expect=0, program=None):
    """Standard error of the program, alone or as so many ranks."""
    command = [*(MPIRUN + ["-np", str(ranks)] if ranks else []), program or YONA, *words]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    if done.returncode != expect:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}, expected {expect}\n{done.stdout}{done.stderr}")
    return done.stderr


def state_of(output):
    """Everything that a run has learnt."""
    last = output / "checkpoints" / "latest"
    files = [last / "model.safetensors", last / "optimizer.safetensors", last / "state.json", output / "model.safetensors"]
    return [file.read_bytes() for file in files]


def check(condition, text):
    if not condition:
        sys.exit(text)


def own_lines(text):
    return [line for line in text.splitlines() if line.startswith("yona:")]


def same_bytes(folder):
    """N ranks are one rank that accumulates as much, with an update that does not divide evenly too."""
    for accumulate, counts in ((2, (2,)), (4, (3, 4))):
        words = ["--updates", "6", *settings(f"train.accumulate={accumulate}")]
        run(flags(folder, folder / f"alone{accumulate}", *words))
        for ranks in counts:
            output = folder / f"ranks{ranks}"
            said = run(flags(folder, output, *words), ranks)
            check(said.count("update 6/6") <= 1 and f"{ranks} ranks of" in said, f"not one log:\n{said}")
            check(state_of(output) == state_of(folder / f"alone{accumulate}"), f"{ranks} ranks have other bytes than one")
            check(not (output / ".begun").exists(), "what ranks began with is still there")


def overlapped(folder):
    """A model of several buckets, which are exchanged while the backward pass goes on, in f32 and in bf16; recomputed and reversible layers too."""
    larger = {"model.d_model=64": "model.d_model=256", "model.layers=1": "model.layers=4"}
    large = lambda output, words: [larger.get(word, word) for word in flags(folder, output, "--updates", "2", *settings("train.accumulate=4", *words))]
    states = []
    for name, words in (("f32", []), ("bf16", ["train.exchange=bf16"]), ("recompute", ["train.recompute=true"]),
                        ("reversible", ["model.reversible=true", "model.norm=pre"])):
        run(large(folder / f"{name}-1", words))
        states.append(state_of(folder / f"{name}-1")[:2])
        for ranks in (2, 3):
            output = folder / f"{name}-{ranks}"
            run(large(output, words), ranks)
            check(state_of(output)[:2] == states[-1], f"{name}: {ranks} ranks have other bytes than one")
    check(states[0] != states[1], "rounded gradients have the bytes of others")
    check(states[0] == states[2], "recomputed layers have other bytes")
    said = run(["train", "--output", folder / "bf16-2", "--resume", "--updates", "3", *settings("train.exchange=f32")], expect=2)
    check(len(own_lines(said)) == 1 and "train.exchange: bf16 → f32" in said and "--allow-changes" in said, said)


def resumed(folder):
    """A run goes on with another number of ranks."""
    words = settings("train.accumulate=2")
    output = folder / "resumed"
    run(flags(folder, output, "--updates", "3", *words), 2)
    run(flags(folder, output, "--updates", "6", "--resume"))
    check(state_of(output) == state_of(folder / "alone2"), "one rank goes on otherwise than two")
    shutil.rmtree(output)
    run(flags(folder, output, "--updates", "3", *words))
    run(["train", "--output", output, "--resume", "--updates", "6"], 2)
    check(state_of(output) == state_of(folder / "alone2"), "two ranks go on otherwise than one")


def other_tasks(folder):
    """Tasks that make tokenizers of their own; accumulation follows from the ranks where it is left out."""
    for name, words in (("classification", ["--train", folder / "train.tsv", *settings("model.layers=1", "model.d_model=32", "model.heads=2", "model.d_ff=32")]),
                        ("language-model", ["--train", folder / "text.txt", *settings("preset=char-small", "model.layers=1", "model.d_model=32", "model.heads=2")])):
        common = ["train", "--task", name, *words, "--updates", "2", "--batch-tokens", "128", "--progress", "quiet", "--output"]
        run([*common, folder / f"{name}1", *settings("train.accumulate=2")])
        run([*common, folder / f"{name}2"], 2)
        check((folder / f"{name}1" / "model.safetensors").read_bytes() == (folder / f"{name}2" / "model.safetensors").read_bytes(),
              f"{name}: two ranks have other bytes than one")


def refused(folder):
    """One line, once, and exit code 2."""
    output = folder / "refused"
    said = run(flags(folder, output, *settings("train.accumulate=1")), 2, expect=2)
    check(len(own_lines(said)) == 1 and "cannot be shared by 2 ranks" in said, said)
    said = run(flags(folder, output, "--no-such-flag"), 2, expect=2)
    check(len(own_lines(said)) == 1, said)
    # Ranks that are asked for different things: a colon divides what mpirun starts.
    words = flags(folder, output, "--updates", "2")
    said = run([*words, ":", "-np", "1", YONA, *words, "--set", "train.beta1=0.8"], 1, expect=2)
    check(len(own_lines(said)) == 1 and "rank 1" in said and "train.beta1: 0.9 → 0.8" in said, said)
    other = folder / "other.src"
    other.write_text((folder / "train.src").read_text().replace("ba", "bu"))
    elsewhere = [other if word == folder / "train.src" else word for word in words]
    said = run([*words, ":", "-np", "1", YONA, *elsewhere], 1, expect=2)
    check(len(own_lines(said)) == 1 and "rank 1" in said and "other.src" in said, said)
    shutil.rmtree(output)
    said = run([*words, ":", "-np", "1", YONA, *words[:-3], folder / "not-shared", *words[-2:]], 1, expect=2)
    check(len(own_lines(said)) == 1 and "rank 1" in said and "all ranks share" in said, said)
    said = run(["CUDA_VISIBLE_DEVICES=0", YONA, *words, "--device", "cuda"], 2, expect=2, program="env")  # a GPU that need not exist
    check(len(own_lines(said)) == 1 and "2 ranks share 1 GPU on one machine" in said, said)


def without_library(folder):
    """Started as one of several, with no library to join them, or their GPUs."""
    lonely = folder / "lonely"
    lonely.mkdir()
    for file in (YONA, *YONA.parent.glob("libyona.so*")):
        shutil.copy(file, lonely)
    done = subprocess.run([lonely / "yona", "train", "--output", folder / "x"], capture_output=True, text=True,
                          env=os.environ | {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"})
    check(done.returncode == 2 and done.stderr.count("\n") == 1 and "no libyona_mpi.so" in done.stderr, done.stderr)
    check(not (folder / "x").exists(), "something was written")
    shutil.copy(YONA.parent / "libyona_mpi.so", lonely)
    words = flags(folder, folder / "x", "--device", "cuda", "--updates", "2")
    said = run(["CUDA_VISIBLE_DEVICES=0,1", f"LD_LIBRARY_PATH={lonely}", lonely / "yona", *words], 2, expect=2, program="env")
    check(len(own_lines(said)) == 1 and "libyona_nccl.so" in said and "YONA_NCCL=off" in said, said)


def scaling(folder):
    """The measured exchange of two ranks, printed once."""
    command = [*MPIRUN, "-np", "2", str(YONA), *"bench scaling --preset tiny --vocab-size 100 --tokens 200 --steps 2 --warmup 1".split()]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    check(done.returncode == 0 and done.stdout.count("\n") == 1, done.stdout + done.stderr)
    figures = json.loads(done.stdout)
    check(figures["ranks"] == 2 and 0 < figures["exchange_ms"] and 0 < figures["compute_ms"] and 0 < figures["efficiency"] <= 1, done.stdout)
    check(0 <= figures["overlap"] <= 1 and 0 < figures["ms_without_overlap"], done.stdout)


def started(folder, output, ranks, *words):
    """A run in the background, and the processes of its ranks once it trains."""
    command = [*MPIRUN, "-np", str(ranks), YONA, *flags(folder, output, "--updates", "100000", *words)]
    log = open(folder / "background.log", "w+")
    process = subprocess.Popen([str(word) for word in command], stderr=log, stdout=log, env=ENVIRONMENT)
    until = time.monotonic() + 60
    begun = lambda: " updates into " in (folder / "background.log").read_text() and (output / "checkpoints" / "latest").exists()
    while not begun() and time.monotonic() < until and process.poll() is None:
        time.sleep(0.05)
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
    pids = [int(pid) for pid in children if (Path("/proc") / pid / "comm").read_text().strip() == "yona"]
    check(len(pids) == ranks, f"{len(pids)} processes of {ranks}: {(folder / 'background.log').read_text()}")
    return process, pids, log


def ended(process, log):
    try:
        code = process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit("the ranks did not end")
    log.seek(0)
    return code, log.read()


def stopped(folder):
    """SIGTERM at one rank saves and stops all; the run goes on with the same bytes."""
    output = folder / "stopped"
    words = settings("train.accumulate=2")
    process, pids, log = started(folder, output, 2, *words)
    os.kill(pids[1], signal.SIGTERM)
    code, said = ended(process, log)
    check(code == 130, f"exit {code}: {said}")
    update = int(os.readlink(output / "checkpoints" / "latest").split("-")[1])
    more = str(update + 2)
    run(flags(folder, output, "--updates", more, *words, "--resume"), 2)
    run(flags(folder, folder / "whole", "--updates", more, *words))
    check(state_of(output)[:2] == state_of(folder / "whole")[:2], "a run that was stopped has other bytes")


def killed(folder, times):
    """A rank that dies ends all within seconds, with one line that names it."""
    draw = random.Random(times)
    output = folder / "killed"
    seconds = []
    for turn in range(times):
        process, pids, log = started(folder, output, 3, *settings("train.accumulate=3"), *(["--resume"] if turn else []))
        time.sleep(draw.random())
        victim = draw.choice(pids)
        os.kill(victim, signal.SIGKILL)
        began = time.monotonic()
        code, said = ended(process, log)
        seconds.append(time.monotonic() - began)
        check(code != 0 and seconds[-1] < 10, f"exit {code} after {seconds[-1]:.1f} s: {said}")
        rank = pids.index(victim)
        lines = own_lines(said)  # mpirun may end the others before one of them can speak; then its own line names the rank
        check(len(lines) <= 1 and all(f"rank {rank}: process {victim}" in line for line in lines), f"not one line:\n{said}")
        check(lines or f"rank {rank} with PID" in said, f"no line names rank {rank}:\n{said}")
    last = int(os.readlink(output / "checkpoints" / "latest").split("-")[1])
    words = ["--updates", str(last + 1), *settings("train.accumulate=3")]
    run(flags(folder, output, *words, "--resume"), 3)
    run(flags(folder, folder / "unkilled", *words))
    check(state_of(output)[:2] == state_of(folder / "unkilled")[:2], "a run that was killed has other bytes")
    return {"kills": times, "ranks": 3, "updates": last + 1, "same_bytes": True,
            "seconds_to_end": {"median": round(statistics.median(seconds), 2), "most": round(max(seconds), 2)}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--only")
    parser.add_argument("--results", help="a JSON file for what the kills came to")
    options = parser.parse_args()
    if not shutil.which("mpirun") or not (YONA.parent / "libyona_mpi.so").exists():
        print("skipped: mpirun or libyona_mpi.so is not here")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_corpus(folder)
        parts = [same_bytes, overlapped, resumed, other_tasks, refused, without_library, scaling, stopped, lambda f: killed(f, options.kills)]
        names = ["same_bytes", "overlapped", "resumed", "other_tasks", "refused", "without_library", "scaling", "stopped", "killed"]
        for title, part in zip(names, parts):
            if options.only and title not in options.only.split(","):
                continue
            began = time.monotonic()
            found = part(folder)
            if found and options.results:
                Path(options.results).write_text(json.dumps({"date": time.strftime("%Y-%m-%d"), **found}, indent=1) + "\n")
            print(f"{title}: {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
