"""A training step compared with PyTorch and Marian: same sizes, same threads, one run, as ratios.

The engines take turns, so that a slow minute of the machine hits all of them, and each figure is
the median over rounds. The speed of yona's steps is also held against the fastest product that the
machine did in the same run, and attention is measured against length. One table, one JSON file."""
import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time

import report

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = [("tiny", 8000), ("iwslt", 16000), ("base", 37056)]
LENGTHS = [64, 256, 1024, 4096, 16384]
QUICK_LENGTHS = [64, 256, 1024]
NO_BF16 = "not measured: this CPU has no bf16 instructions"


def output_of(command):
    command = [str(word) for word in command]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode or not run.stdout:
        sys.exit(f"{' '.join(command)}\nfailed with {run.returncode}: {run.stderr[-800:]}")
    return run.stdout


def json_lines(command):
    return [json.loads(line) for line in output_of(command).splitlines() if line.startswith("{")]


class Bench:
    """What is measured in one run, and with which engines."""

    def __init__(self, a):
        self.a = a
        self.threads = min(2, os.cpu_count() or 1)
        self.sizes = SIZES[:1] if a.quick else SIZES
        self.devices = json.loads(output_of([a.yona, "info", "--devices", "--json"]))["devices"]
        self.peers = [name for name, module in (("pytorch", "torch"), ("marian", "pymarian"))
                      if importlib.util.find_spec(module) is not None]

    def yona(self, case, steps):
        flags = ["--ragged"] * case["ragged"] + ["--profile"]
        precision = "bf16" if case["dtype"] == "bfloat16" else "f32"
        return json_lines([self.a.yona, "bench", "train", "--preset", case["preset"],
                           "--vocab-size", case["vocabulary"], "--tokens", self.a.tokens,
                           "--threads", case["threads"], "--steps", steps, "--warmup", 1,
                           "--precision", precision] + flags)[0]

    def peer(self, script, case, steps, flags):
        return json_lines([sys.executable, os.path.join(HERE, "peers", script),
                           "--preset", case["preset"], "--vocab-size", case["vocabulary"],
                           "--tokens", self.a.tokens, "--threads", case["threads"],
                           "--steps", steps, "--warmup", 1] + flags)[0]

    def measure(self, case, rounds, steps):
        """One row: the engines in turn, `rounds` times; Marian once, for the cases it can do."""
        runs = {"yona": [], "pytorch": [], "marian": []}
        for _ in range(rounds):
            runs["yona"].append(self.yona(case, steps))
            if "pytorch" in self.peers:
                flags = ["--dtype", case["dtype"]] + ["--ragged"] * case["ragged"]
                runs["pytorch"].append(self.peer("torch_train.py", case, steps, flags))
        if "marian" in self.peers and case["dtype"] == "float32" and not case["ragged"]:
            runs["marian"].append(self.peer("marian_train.py", case, steps, []))
        return row_of(case, {name: found for name, found in runs.items() if found})

    def peak(self, threads, dtype):
        precision = "bf16" if dtype == "bfloat16" else "f32"
        return json_lines([self.a.yona, "bench", "peak", "--threads", threads, "--seconds", 2,
                           "--precision", precision])[0]["gflops"]

    def attention(self):
        lengths = QUICK_LENGTHS if self.a.quick else LENGTHS
        return json_lines([self.a.yona, "bench", "attention", "--threads", self.threads,
                           "--lengths", ",".join(map(str, lengths))])


def median(rows, key):
    return round(statistics.median(row[key] for row in rows), 2)


def row_of(case, runs):
    row = dict(case)
    for name, found in runs.items():
        row[name] = dict(engine=found[0]["engine"], tgt_tok_s=median(found, "tgt_tok_s"),
                         ms=median(found, "ms"))
        if "mem_gb" in found[0]:
            row[name]["mem_gb"] = round(max(run["mem_gb"] for run in found), 3)
    row["yona"]["gflops"] = round(median(runs["yona"], "tflops") * 1e3, 1)
    row["yona"]["ms_by_kernel"] = runs["yona"][0]["ms_by_kernel"]
    row["speed_ratio"] = {name: round(row["yona"]["tgt_tok_s"] / row[name]["tgt_tok_s"], 2)
                          for name in runs if name != "yona"}
    row["memory_ratio"] = {name: round(row["yona"]["mem_gb"] / row[name]["mem_gb"], 2)
                           for name in runs if name != "yona" and "mem_gb" in row[name]}
    return row


def cases_of(bench):
    """(case, rounds, steps): equal lengths first, then bf16, unequal lengths, one thread."""
    a = bench.a
    make = lambda size, threads=bench.threads, dtype="float32", ragged=False: dict(
        preset=size[0], vocabulary=size[1], threads=threads, dtype=dtype, ragged=ragged)
    rounds = 1 if a.quick else a.rounds
    steps = 2 if a.quick else a.steps
    cases = [(make(size), rounds, steps) for size in bench.sizes]
    cases += [(make(size, dtype="bfloat16"), rounds, steps) for size in bench.sizes]
    cases += [(make(size, ragged=True), 1, 2 * steps) for size in bench.sizes]
    if bench.threads > 1:
        cases += [(make(size, threads=1), 1, max(2, steps // 2)) for size in bench.sizes]
    return cases


def machine(bench):
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True).stdout.strip()
    version = output_of([bench.a.yona, "--version"]).strip()
    cpu = bench.devices["cpu"]
    return dict(cpu=cpu["name"], usable_cpus=cpu["usable_cpus"], instruction_set=cpu["in_use"],
                bf16=cpu["bf16"], yona=version, commit=commit)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--yona", required=True)
    p.add_argument("--tokens", type=int, default=2000, help="target tokens of a step")
    p.add_argument("--steps", type=int, default=5)
    p.add_argument("--rounds", type=int, default=2)
    p.add_argument("--quick", action="store_true", help="tiny alone, few steps: a minute")
    p.add_argument("--output", default="", help="the JSON file")
    a = p.parse_args()
    start = time.monotonic()
    bench = Bench(a)
    has_bf16 = bench.devices["cpu"]["bf16"]
    result = dict(machine=machine(bench), quick=a.quick, tokens=a.tokens, length=32)
    report.print_machine(result["machine"], a.tokens, bench.peers)
    counts = sorted({1, bench.threads})
    dtypes = ["float32", "bfloat16"] if has_bf16 else ["float32"]
    peaks = {(count, dtype): bench.peak(count, dtype) for count in counts for dtype in dtypes}
    rows = []
    report.print_heading()
    for case, rounds, steps in cases_of(bench):
        if case["dtype"] == "bfloat16" and not has_bf16:
            rows.append(dict(case, note=NO_BF16))
        else:
            rows.append(bench.measure(case, rounds, steps))
        report.print_row(rows[-1], peaks.get((case["threads"], case["dtype"])))
    for key in peaks:  # the machine may have been slower when the run began
        peaks[key] = max(peaks[key], bench.peak(*key))
    for row in rows:
        if "yona" in row:
            row["peak_gflops"] = round(peaks[row["threads"], row["dtype"]], 1)
            row["share_of_peak"] = round(row["yona"]["gflops"] / row["peak_gflops"], 3)
    result.update(peaks=[dict(threads=count, dtype=dtype, gflops=round(gflops, 1))
                         for (count, dtype), gflops in peaks.items()],
                  rows=rows, attention=bench.attention())
    report.print_peaks(result["peaks"])
    report.print_parts(rows)
    report.print_scaling(rows)
    report.print_attention(result["attention"])
    result["minutes"] = round((time.monotonic() - start) / 60, 1)
    if a.output:
        with open(a.output, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")
    print(f"\n{result['minutes']} minutes" + (f"; written to {a.output}" if a.output else ""))


if __name__ == "__main__":
    main()
