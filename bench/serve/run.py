"""`yona serve` under load: throughput against latency, ten times what it can do, compared with `yona translate`
and with a small Python server over CTranslate2 (as LibreTranslate is one).

  bench/serve/run.py --model RUN --input test.en [--ct2 CT2_FOLDER] [--seconds 10] [--overload 60]
                     [--apart] [--compute-type int8] [--workers 2]
                     [--parts saturation,idle,curve,overload,ctranslate2]
                     [--output bench/results/serve.json]

Needs build/bench/serve/serve_load (cmake -B build -DYONA_BENCH=ON) and, for --ct2, a Python with
ctranslate2 and sentencepiece. Every answer is compared with what `yona translate` gives for the line.

Server and load generator share the machine. With --apart the last CPU is the generator's, and the
servers and `yona translate` have the others (one thread for each), as if it came over a network; without
it all programs have all of them, and on few CPUs what the generator takes is missing in the throughput.
The results have the CPU time of both sides. What is compared is measured in turn, --repeats times.
"""
import argparse
import json
import os
import platform
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PARTS = ("saturation", "idle", "curve", "overload", "ctranslate2")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--input", required=True)
    parser.add_argument("--ct2")
    parser.add_argument("--lines", type=int, default=4000, help="of the input; the more, the longer everything takes")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--overload", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=1, help="parts of the overload")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--compute-type", default="f32")
    parser.add_argument("--workers", type=int, default=1, help="of `yona serve` and `yona translate`")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--yona", default=os.path.join(ROOT, "build", "yona"))
    parser.add_argument("--load", default=os.path.join(ROOT, "build", "bench", "serve", "serve_load"))
    parser.add_argument("--output")
    a = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0))
    a.server_cpus = cpus[:-1] if a.apart and len(cpus) > 1 else cpus
    a.load_cpus = cpus[-1:] if a.apart and len(cpus) > 1 else cpus
    return a


def on(cpus, command):
    return ["taskset", "-c", ",".join(map(str, cpus)), *map(str, command)]


class Server:
    """A process that prints its port, and what it takes of CPU time and memory."""

    def __init__(self, a, command, pattern, stream):
        self.process = subprocess.Popen(on(a.server_cpus, command), text=True, **{stream: subprocess.PIPE})
        for line in getattr(self.process, stream):
            found = re.search(pattern, line)
            if found:
                self.port = int(found.group(1))
                return
        sys.exit(f"{command[0]} did not start")

    def memory_mb(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1000

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=120)


def yona_server(a):
    # More connections than requests that may wait: else it is the connections that limit the load.
    return Server(a, [a.yona, "serve", "--model", a.model, "--port", 0, "--compute-type", a.compute_type,
                      "--workers", a.workers, "--max-connections", 8000], r":(\d+); Ctrl-C", "stderr")


def load(a, server, lines, expected=None, **flags):
    command = [a.load, "--port", server.port, "--lines", lines]
    for name, value in flags.items():
        command += ["--" + name.replace("_", "-"), value]
    if expected:
        command += ["--expected", expected]
    before, start = server.cpu_seconds(), time.time()
    out = subprocess.run(on(a.load_cpus, command), capture_output=True, text=True, check=True).stdout
    row = json.loads(out)
    row["server_cpu_seconds"] = server.cpu_seconds() - before
    row["wall_seconds"] = time.time() - start
    return row


def show(name, row):
    good, refused = row["good_ms"], row["refused_ms"]
    print(f"{name:28} {row['good_per_second']:8.1f}/s  p50 {good.get('p50', 0):7.1f}  p99 {good.get('p99', 0):7.1f} ms"
          + (f"  refused p99 {refused['p99']:.1f} max {refused['max']:.1f} ms (generator paused {row['longest_pause_ms']:.1f})" if refused else "")
          + f"  {row['statuses']} wrong {row['wrong']} lost {row['lost']}"
          f"  CPU {row['server_cpu_seconds']:.1f} + {row['cpu_seconds']:.1f} of {row['wall_seconds']:.1f} s", flush=True)


def translate_seconds(a, path, output, *flags):
    start = time.time()
    subprocess.run(on(a.server_cpus, [a.yona, "-q", "translate", "--model", a.model, "--input", path, "--output", output,
                                      "--compute-type", a.compute_type, "--workers", a.workers, *flags]), check=True)
    return time.time() - start


def translate_speed(a, lines, few):
    """Lines a second of `yona translate`, without its start: all lines less the first few."""
    count = [open(path, encoding="utf-8").read().count("\n") for path in (lines, few)]
    return (count[0] - count[1]) / (translate_seconds(a, lines, os.devnull) - translate_seconds(a, few, os.devnull))


def measure_saturation(a, lines, few, expected, results):
    """`yona translate` and the server with as many requests as it wants, in turn: the machine's speed may change."""
    server = yona_server(a)
    load(a, server, lines, connections=256, seconds=1)
    rounds = []
    for _ in range(a.repeats):
        translate = translate_speed(a, lines, few)
        row = load(a, server, lines, expected, connections=256, seconds=a.seconds)
        rounds.append({"translate_per_second": translate, "served_per_second": row["good_per_second"],
                       "share": row["good_per_second"] / translate})
        show(f"saturated; translate {translate:.0f}/s", row)
    server.end()
    results["saturation"] = {"share_of_translate": statistics.median(one["share"] for one in rounds), "rounds": rounds}
    print(f"{'share of translate':28} {results['saturation']['share_of_translate']:8.1%}", flush=True)


def measure_idle(a, lines, results):
    """One request at a time, compared with `yona translate` with one sentence in a batch."""
    count = open(lines, encoding="utf-8").read().count("\n")
    server = yona_server(a)
    load(a, server, lines, connections=1, seconds=1)
    added = []
    with tempfile.NamedTemporaryFile() as empty:
        for _ in range(a.repeats):
            row = load(a, server, lines, connections=1, seconds=min(a.seconds, 5))
            alone = (translate_seconds(a, lines, os.devnull, "--batch-tokens", 1) -
                     translate_seconds(a, empty.name, os.devnull)) / count
            added.append({"served_ms": row["good_ms"]["mean"], "decoded_ms": 1e3 * alone,
                          "added_ms": row["good_ms"]["mean"] - 1e3 * alone, "p50": row["good_ms"]["p50"],
                          "p99": row["good_ms"]["p99"]})
    server.end()
    results["idle"] = {"added_ms": statistics.median(one["added_ms"] for one in added), "all": added}
    print(f"{'one request at a time':28} {results['idle']}", flush=True)


def measure_curve(a, lines, expected, results):
    server = yona_server(a)
    load(a, server, lines, connections=64, seconds=1)
    rows = []
    for connections in (1, 4, 16, 64, 256, 512):
        row = load(a, server, lines, expected, connections=connections, seconds=a.seconds)
        show(f"{connections} connections", row)
        rows.append(row)
    best = max(row["good_per_second"] for row in rows)
    results["curve"] = rows
    for share in (0.5, 0.8):
        row = load(a, server, lines, expected, connections=2000, seconds=a.seconds, rate=best * share)
        show(f"at {share:.0%} of that", row)
        results[f"at_{share}"] = row
    server.end()


def measure_overload(a, lines, expected, results):
    """Ten times what it can do, in --rounds parts, with the saturated speed before, between and after them."""
    server = yona_server(a)
    load(a, server, lines, connections=256, seconds=1)
    saturated = [load(a, server, lines, connections=256, seconds=a.seconds)["good_per_second"]]
    memory, rows = [server.memory_mb()], []
    for _ in range(a.rounds):
        row = load(a, server, lines, expected, connections=7000, seconds=a.overload / a.rounds, rate=10 * saturated[0],
                   warm_up=2)
        show("ten times that", row)
        saturated.append(load(a, server, lines, connections=256, seconds=a.seconds)["good_per_second"])
        row["share_of_saturated"] = row["good_per_second"] / statistics.mean(saturated[-2:])
        memory.append(server.memory_mb())
        rows.append(row)
    results[f"overload_{a.overload / a.rounds:.0f}_seconds"] = {
        "share_of_saturated": statistics.median(row["share_of_saturated"] for row in rows),
        "saturated_per_second": saturated, "rounds": rows, "memory_mb": memory, "exit_code": server.end()}
    print(f"{'of saturated':28} {[round(row['share_of_saturated'], 3) for row in rows]} of {saturated}  memory {memory} MB",
          flush=True)


def measure_ctranslate2(a, lines, results):
    """Side by side at equal connections. CTranslate2 with one worker of all threads, and with a worker for each."""
    threads = len(a.server_cpus)
    rows = []
    ways = {(1, threads), (threads, 1)}
    for connections in (1, 16, 64):
        for workers, each in sorted(ways):
            peer = Server(a, [sys.executable, os.path.join(ROOT, "bench", "peers", "ct2_server.py"), a.model, a.ct2,
                              "--workers", workers, "--threads", each, "--compute-type",
                              {"f32": "float32"}.get(a.compute_type, a.compute_type)], r"^(\d+)$", "stdout")
            load(a, peer, lines, connections=connections, seconds=1)
            row = load(a, peer, lines, connections=connections, seconds=a.seconds)
            peer.process.terminate()
            peer.process.wait()
            show(f"CTranslate2 {workers}×{each}, {connections}", row)
            rows.append({"engine": "ctranslate2", "workers": workers, "threads": each, **row})
        server = yona_server(a)
        load(a, server, lines, connections=connections, seconds=1)
        row = load(a, server, lines, connections=connections, seconds=a.seconds)
        server.end()
        show(f"yona, {connections}", row)
        rows.append({"engine": "yona", **row})
    results["beside_ctranslate2"] = rows
    best = {}
    for row in rows:
        best[row["engine"]] = max(best.get(row["engine"], 0), row["good_per_second"])
    results["times_ctranslate2"] = best["yona"] / best["ctranslate2"]
    print(f"{'times CTranslate2':28} {results['times_ctranslate2']:.2f}", flush=True)


def measure(a, lines, few, expected, results):
    parts = a.parts.split(",")
    translate_seconds(a, lines, expected)
    if "saturation" in parts:
        measure_saturation(a, lines, few, expected, results)
    if "idle" in parts:
        measure_idle(a, few, results)
    if "curve" in parts:
        measure_curve(a, lines, expected, results)
    if "overload" in parts:
        measure_overload(a, lines, expected, results)
    if "ctranslate2" in parts and a.ct2:
        measure_ctranslate2(a, lines, results)


def rounded(value):
    """The same with three digits behind the point."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return round(value, 3) if isinstance(value, float) else value


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*: (.*)", file.read())
    return found.group(1) if found else platform.machine()


def main():
    a = arguments()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(16384, most), most))
    key = f"{'apart' if a.apart else 'shared'}_{a.compute_type}" + (f"_workers_{a.workers}" if a.workers > 1 else "")
    everything = {}
    if a.output and os.path.exists(a.output):
        everything = json.load(open(a.output, encoding="utf-8"))
    results = everything.setdefault(key, {})
    with tempfile.TemporaryDirectory() as folder:
        lines, few, expected = (os.path.join(folder, name) for name in ("lines", "few", "expected"))
        with open(a.input, encoding="utf-8") as file:
            # The server translates sentence by sentence, `yona translate` line by line; twice the same would be easier.
            given = [line for line in dict.fromkeys(file) if line.strip() and not re.search(r"[.!?]\s*\S", line)][:a.lines]
        for path, part in ((lines, given), (few, given[:len(given) // 8])):
            with open(path, "w", encoding="utf-8") as out:
                out.writelines(part)
        measure(a, lines, few, expected, results)
    results["machine"] = {"cpu": cpu_name(), "server_cpus": len(a.server_cpus), "generator":
                          "on a CPU of its own" if a.apart else "on the same CPUs", "compute_type": a.compute_type, "workers": a.workers}
    if a.output:
        with open(a.output, "w", encoding="utf-8") as file:
            json.dump(rounded(everything), file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
