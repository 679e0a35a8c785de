#!/usr/bin/env python3
"""Processes over MPI compared with threads of one process, at the same tokens per update, and the model of `yona bench scaling` compared with what processes do.

usage: bench/ranks.py [--yona build/yona] [--presets tiny,base] [--tokens 2048] [--steps 5] [--repeats 3] [--output bench/results/ranks.json]

For each preset: one process with two threads; two processes with one thread each; four processes with one thread each.
`speed` is the time of the first divided by that of the others (the median of repeats, taken in turn). `compute_ms`,
`exchange_ms`, `overlap`, `ms_without_overlap` and `efficiency` are those of `yona bench scaling` (docs/cluster.md). The
expected efficiency of four processes, with nothing overlapped, follows from the bytes per second that two of them exchanged. Four processes need four CPUs to be compared; with fewer, `oversubscribed` is true.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

FIGURES = ["ms", "parameters", "compute_ms", "exchange_ms", "overlap", "ms_without_overlap", "efficiency"]
ENVIRONMENT = os.environ | {"OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def measured(yona, ranks, threads, preset, tokens, steps):
    """The figures of a step."""
    start = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", str(ranks)] if ranks > 1 else []
    command = [*start, yona, "bench", "scaling" if ranks > 1 else "train", "--preset", preset, "--vocab-size", "8000", "--threads", str(threads),
               "--tokens", str(tokens // ranks), "--steps", str(steps), "--warmup", "1"]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    figures = json.loads(done.stdout)
    return {name: figures[name] for name in FIGURES if name in figures}


def exchanged_bytes(parameters, ranks):
    """As yona/train/scaling.h counts them: gradients and weights in f32, to the other ranks."""
    return 8 * parameters * (ranks - 1) / ranks


def compare(options, preset):
    ways = {"one process, 2 threads": (1, 2), "2 processes, 1 thread": (2, 1), "4 processes, 1 thread": (4, 1)}
    times = {name: [] for name in ways}
    for _ in range(options.repeats):
        for name, (ranks, threads) in ways.items():
            times[name].append(measured(options.yona, ranks, threads, preset, options.tokens, options.steps))
    medians = {name: {figure: statistics.median(each[figure] for each in values) for figure in values[0]} for name, values in times.items()}
    alone = medians["one process, 2 threads"]["ms"]
    result = {"preset": preset, "tokens": options.tokens, "ms": round(alone, 1)}
    for name, (ranks, _) in list(ways.items())[1:]:
        found = medians[name]
        result[name] = {figure: round(found[figure], 3) for figure in FIGURES if figure != "parameters"}
        result[name] |= {"speed": round(alone / found["ms"], 3), "oversubscribed": ranks > (os.cpu_count() or 1)}
    two, four = medians["2 processes, 1 thread"], medians["4 processes, 1 thread"]
    bandwidth = exchanged_bytes(two["parameters"], 2) / two["exchange_ms"]
    step = four["compute_ms"]
    result["4 processes, 1 thread"]["expected_efficiency"] = round(step / (step + exchanged_bytes(four["parameters"], 4) / bandwidth), 3)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--yona", default="build/yona")
    parser.add_argument("--presets", default="tiny,base")
    parser.add_argument("--tokens", type=int, default=2048)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output")
    options = parser.parse_args()
    options.yona = str(Path(options.yona).resolve())
    results = {"date": time.strftime("%Y-%m-%d"), "machine": platform.processor() or platform.machine(), "cpus": os.cpu_count(),
               "load": round(os.getloadavg()[0], 1), "runs": []}
    for preset in options.presets.split(","):
        results["runs"].append(compare(options, preset))
        print(json.dumps(results["runs"][-1]), flush=True)
    if options.output:
        Path(options.output).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
