"""A training step of yona beside PyTorch (and Marian): same sizes, same threads, one run, as ratios.

The runs of the engines are interleaved, so that a slow minute of the machine hits all of them, and
each figure is the median over rounds. Results go to a JSON file with the machine and versions."""
import argparse
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = [("tiny", 8000), ("iwslt", 16000), ("base", 37056)]


def json_line(command, **options):
    run = subprocess.run(command, capture_output=True, text=True, **options)
    lines = [line for line in run.stdout.splitlines() if line.startswith("{")]
    if run.returncode or not lines:
        sys.exit(f"{' '.join(command)}\nfailed with {run.returncode}: {run.stderr[-800:]}")
    return json.loads(lines[-1])


def yona(a, preset, vocabulary, threads, dtype, ragged, profile=False):
    command = [a.yona, "bench", "train", "--preset", preset, "--vocab-size", vocabulary,
               "--tokens", a.tokens, "--threads", threads, "--steps", a.steps, "--warmup", 2,
               "--precision", "bf16" if dtype == "bfloat16" else "f32"]
    command += ["--ragged"] * ragged + ["--profile"] * profile
    return json_line([str(word) for word in command])


def torch(a, preset, vocabulary, threads, dtype, ragged):
    command = [sys.executable, os.path.join(HERE, "peers", "torch_train.py"), "--preset", preset,
               "--vocab-size", vocabulary, "--tokens", a.tokens, "--threads", threads,
               "--steps", a.steps, "--warmup", 2, "--dtype", dtype] + ["--ragged"] * ragged
    return json_line([str(word) for word in command])


def compare(a, preset, vocabulary, threads, dtype, ragged, with_torch):
    ours, theirs = [], []
    for _ in range(a.rounds):
        ours.append(yona(a, preset, vocabulary, threads, dtype, ragged))
        if with_torch:
            theirs.append(torch(a, preset, vocabulary, threads, dtype, ragged))
    median = lambda rows, key: statistics.median(row[key] for row in rows)
    row = dict(preset=preset, vocabulary=vocabulary, threads=threads, dtype=dtype, ragged=ragged,
               yona=dict(tgt_tok_s=round(median(ours, "tgt_tok_s"), 1), ms=round(median(ours, "ms"), 2),
                         gflops=round(median(ours, "tflops") * 1e3, 1),
                         mem_gb=round(max(r["mem_gb"] for r in ours), 3)))
    if theirs:
        row["pytorch"] = dict(version=theirs[0]["engine"], tgt_tok_s=median(theirs, "tgt_tok_s"),
                              ms=median(theirs, "ms"), mem_gb=max(r["mem_gb"] for r in theirs))
        row["speed_ratio"] = round(row["yona"]["tgt_tok_s"] / row["pytorch"]["tgt_tok_s"], 2)
        row["memory_ratio"] = round(row["yona"]["mem_gb"] / row["pytorch"]["mem_gb"], 2)
    return row


def machine(a):
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True).stdout.strip()
    version = subprocess.run([a.yona, "--version"], capture_output=True, text=True).stdout.strip()
    return dict(cpu=names[0] if names else platform.processor(), cores=os.cpu_count(),
                yona=version, commit=commit)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--yona", required=True)
    p.add_argument("--tokens", type=int, default=2000)
    p.add_argument("--steps", type=int, default=8)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--quick", action="store_true", help="tiny alone, one round")
    p.add_argument("--bf16", action="store_true", help="also with bf16 products")
    p.add_argument("--output", default="")
    a = p.parse_args()
    if a.quick:
        a.rounds = 1
    with_torch = importlib.util.find_spec("torch") is not None
    if not with_torch:
        print(f"{sys.executable} has no torch: yona is measured alone (set PYTHON)", file=sys.stderr)
    threads = min(2, os.cpu_count() or 1)
    rows = []
    cases = [(preset, vocabulary, threads, dtype, ragged)
             for preset, vocabulary in (SIZES[:1] if a.quick else SIZES)
             for dtype in (["float32", "bfloat16"] if a.bf16 else ["float32"])
             for ragged in (False, True)]
    cases += [(preset, vocabulary, 1, "float32", False)
              for preset, vocabulary in (SIZES[:1] if a.quick else SIZES)]
    print(f"{'preset':7} {'dtype':9} {'lengths':8} thr {'yona tok/s':>11} {'torch tok/s':>11} "
          f"{'speed':>6} {'memory':>6}")
    for preset, vocabulary, count, dtype, ragged in cases:
        row = compare(a, preset, vocabulary, count, dtype, ragged, with_torch)
        rows.append(row)
        peer = row.get("pytorch", {})
        print(f"{preset:7} {dtype:9} {'unequal' if ragged else 'equal':8} {count:3} "
              f"{row['yona']['tgt_tok_s']:11,.0f} {peer.get('tgt_tok_s', float('nan')):11,.0f} "
              f"{row.get('speed_ratio', float('nan')):5.2f}x {row.get('memory_ratio', float('nan')):5.2f}x",
              flush=True)
    profiles = {preset: yona(a, preset, vocabulary, threads, "float32", False, True)["ms_by_kernel"]
                for preset, vocabulary in (SIZES[:1] if a.quick else SIZES)}
    for preset, parts in profiles.items():
        total = sum(parts.values())
        shares = sorted(parts.items(), key=lambda item: -item[1])
        print(f"{preset}: " + ", ".join(f"{name} {ms:.1f} ms ({100 * ms / total:.0f} %)"
                                        for name, ms in shares if ms > total / 200))
    if a.output:
        with open(a.output, "w", encoding="utf-8") as file:
            json.dump(dict(machine=machine(a), tokens=a.tokens, rows=rows, ms_by_kernel=profiles),
                      file, indent=1)


if __name__ == "__main__":
    main()
