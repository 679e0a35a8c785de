#!/usr/bin/env python3
"""Table 3 of "Attention Is All You Need" on small data: every row trained, the table compared with the paper's.

  YONA_DATA=/path/to/data recipes/table3/run.py [--updates N] [--rows A1,C3] [--device cuda] [--jobs N] [OUTPUT]

Multi30k, English to German. The paper's base is too large for 29,000 pairs, so each row here is the
paper's row with every width divided by four and three layers instead of six: the base is N=3,
d_model=128, d_ff=512, h=8, d_k=d_v=16; the rows change the same thing in the same proportion. What
can be compared is the direction of each change, not the numbers. A row that is done is not trained
again: stop and go on as you like. With --jobs several rows train side by side, each with its log in its
folder: such models leave most of a GPU idle. Extra settings for `yona train` go through YONA_FLAGS.
"""
import argparse
import json
import math
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
YONA = ROOT / "build" / "yona"
BASE = {"layers": 3, "d_model": 128, "d_ff": 512, "heads": 8, "d_k": 16, "d_v": 16,
        "dropout": 0.1, "label_smoothing": 0.1, "positions": "sinusoidal"}
# name: what differs from the base; then the paper's PPL and BLEU on newstest2013 and millions of
# parameters (None where its table is blank).
ROWS = {
    "base": ({}, 4.92, 25.8, 65),
    "A1": ({"heads": 1, "d_k": 128, "d_v": 128}, 5.29, 24.9, None),
    "A2": ({"heads": 4, "d_k": 32, "d_v": 32}, 5.00, 25.5, None),
    "A3": ({"heads": 16, "d_k": 8, "d_v": 8}, 4.91, 25.8, None),
    "A4": ({"heads": 32, "d_k": 4, "d_v": 4}, 5.01, 25.4, None),
    "B1": ({"d_k": 4}, 5.16, 25.1, 58),
    "B2": ({"d_k": 8}, 5.01, 25.4, 60),
    "C1": ({"layers": 1}, 6.11, 23.7, 36),
    "C2": ({"layers": 2}, 5.19, 25.3, 50),
    "C3": ({"layers": 4}, 4.88, 25.5, 80),
    "C4": ({"d_model": 64, "d_k": 8, "d_v": 8}, 5.75, 24.5, 28),
    "C5": ({"d_model": 256, "d_k": 32, "d_v": 32}, 4.66, 26.0, 168),
    "C6": ({"d_ff": 256}, 5.12, 25.4, 53),
    "C7": ({"d_ff": 1024}, 4.75, 26.2, 90),
    "D1": ({"dropout": 0.0}, 5.77, 24.6, None),
    "D2": ({"dropout": 0.2}, 4.95, 25.5, None),
    "D3": ({"label_smoothing": 0.0}, 4.67, 25.3, None),
    "D4": ({"label_smoothing": 0.2}, 5.47, 25.7, None),
    "E": ({"positions": "learned"}, 4.92, 25.7, None),
    "big": ({"layers": 3, "d_model": 256, "d_ff": 1024, "heads": 16, "dropout": 0.3}, 4.33, 26.4, 213),
}
SHOWN = ["layers", "d_model", "d_ff", "heads", "d_k", "d_v", "dropout", "label_smoothing"]


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def train(folder, row, data, a):
    settings = []
    for key, value in row.items():
        section = "train" if key == "label_smoothing" else "model"
        settings += ["--set", f"{section}.{key}={value}"]
    resume = ["--resume"] if (folder / "checkpoints").exists() else [
        "--preset", "tiny", "--seed", a.seed, "--src-lang", "en", "--tgt-lang", "de",
        "--train-src", data / "train.en.gz", "--train-tgt", data / "train.de.gz",
        "--valid-src", data / "val.en.gz", "--valid-tgt", data / "val.de.gz",
        "--vocab-size", "6000", "--batch-tokens", "4096", "--updates", a.updates,
        "--set", "train.warmup=1000", "--set", "train.valid_every=500",
        "--set", "train.save_every=500", "--set", "train.keep_last=1", *settings,
        *shlex.split(os.environ.get("YONA_FLAGS", ""))]
    command = [YONA, "train", "--output", folder, "--device", a.device, *resume]
    if a.jobs > 1:
        command += ["--threads", "1"]
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "train.log", "w", encoding="utf-8") as file:
        log = file if a.jobs > 1 else sys.stderr
        subprocess.run([str(word) for word in command], check=True, stdout=log, stderr=log)


def measure(folder, data, a):
    """Parameters, perplexity per sub-word and BLEU on the validation set."""
    info = json.loads(run(YONA, "info", "--model", folder, "--json"))
    threads = ["--threads", "1"] if a.jobs > 1 else []
    run(YONA, "translate", "--model", folder, "--input", data / "val.en.gz",
        "--output", folder / "val.de", *threads)
    score = json.loads(run(YONA, "score", "--ref", data / "val.de.gz", "--hyp", folder / "val.de",
                           "--metrics", "bleu", "--width", "2", "--json"))
    with open(folder / "checkpoints" / "latest" / "state.json", encoding="utf-8") as file:
        state = json.load(file)
    return {"parameters": info["model"]["parameters"], "perplexity": math.exp(state["best_loss"]),
            "bleu": score["score"], "updates": state["update"]}


def do_row(name, data, a):
    """Trains and measures a row that has no result yet; None, and a line, where that failed."""
    change, *_ = ROWS[name]
    folder = a.output / name
    result = folder / "row.json"
    if not result.exists():
        print(f"row {name}: {change or 'the base'}", file=sys.stderr, flush=True)
        try:
            train(folder, BASE | change, data, a)
            result.write_text(json.dumps(measure(folder, data, a)))
        except subprocess.CalledProcessError as error:
            print(f"row {name} failed: {error}", file=sys.stderr, flush=True)
            return None
    return json.loads(result.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?", default="table3", type=Path)
    parser.add_argument("--updates", type=int, default=2000)
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--jobs", type=int, default=1, help="rows that train side by side")
    a = parser.parse_args()
    data = Path(os.environ.get("YONA_DATA", "")) / "multi30k"
    if not (data / "train.en.gz").exists():
        print(f"recipes/table3: no data at '{data}'; set YONA_DATA to the folder that holds multi30k/",
              file=sys.stderr)
        sys.exit(77)
    wrong = [name for name in a.rows.split(",") if name not in ROWS]
    if wrong:
        sys.exit(f"recipes/table3: no row named {wrong[0]}; there are: {', '.join(ROWS)}")
    rows = a.rows.split(",")
    with ThreadPoolExecutor(a.jobs) as pool:
        found = pool.map(lambda name: do_row(name, data, a), rows)
        results = {name: row for name, row in zip(rows, found) if row is not None}
    print_table(results)
    sys.exit(0 if len(results) == len(rows) else 1)


def print_table(results):
    head = ["row", "N", "d_model", "d_ff", "h", "d_k", "d_v", "P_drop", "ε_ls",
            "PPL", "BLEU", "params", "paper: PPL", "BLEU", "params"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for name, found in results.items():
        change, perplexity, bleu, millions = ROWS[name]
        row = BASE | change
        values = [name] + [f"**{row[k]}**" if k in change else str(row[k]) for k in SHOWN]
        if row["positions"] != "sinusoidal":
            values[0] += " (learned positions)"
        values += [f"{found['perplexity']:.2f}", f"{found['bleu']:.1f}",
                   f"{found['parameters'] / 1e6:.2f} M", f"{perplexity:.2f}", f"{bleu:.1f}",
                   f"{millions} M" if millions else ""]
        print("| " + " | ".join(values) + " |")


if __name__ == "__main__":
    main()
