"""`yona serve` under load: throughput against latency, ten times what it can do, beside `yona translate`
and beside a small Python server over CTranslate2 (as LibreTranslate is one).

  bench/serve/run.py --model RUN --input test.en [--ct2 CT2_FOLDER] [--seconds 20] [--overload 60]
                     [--output bench/results/serve.json]

Needs build/serve_load (cmake -B build -DYONA_BENCH=ON) and, for --ct2, a Python with ctranslate2 and
sentencepiece. Server, load and everything else share the machine, as the JSON says: on few cores the
load generator takes its part. Every answer is compared with what `yona translate` gives for the line.
"""
import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--input", required=True)
    parser.add_argument("--ct2")
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--overload", type=float, default=60)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--yona", default=os.path.join(ROOT, "build", "yona"))
    parser.add_argument("--load", default=os.path.join(ROOT, "build", "bench", "serve", "serve_load"))
    parser.add_argument("--output")
    return parser.parse_args()


class Server:
    """A process that prints its port, and what it took of CPU time and memory in the end."""

    def __init__(self, command, pattern, stream):
        self.process = subprocess.Popen([str(word) for word in command], text=True,
                                        **{stream: subprocess.PIPE})
        for line in getattr(self.process, stream):
            found = re.search(pattern, line)
            if found:
                self.port = int(found.group(1))
                return
        sys.exit(f"{command[0]} did not start")

    def memory_mb(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1000

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=120)


def yona_server(a, *flags):
    return Server([a.yona, "serve", "--model", a.model, "--port", 0, "--threads", a.threads, *flags],
                  r":(\d+); Ctrl-C", "stderr")


def load(a, port, lines, expected=None, **flags):
    command = [a.load, "--port", port, "--lines", lines]
    for name, value in flags.items():
        command += ["--" + name.replace("_", "-"), value]
    if expected:
        command += ["--expected", expected]
    out = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout
    return json.loads(out)


def translate_speed(a, lines, expected):
    """Lines a second of `yona translate`, without its start: of many times the lines less of none."""
    with tempfile.NamedTemporaryFile("w", suffix=".en") as many:
        text = open(lines, encoding="utf-8").read()
        copies = 5
        many.write(text * copies)
        many.flush()

        def seconds(path, output):
            start = time.time()
            subprocess.run([a.yona, "-q", "translate", "--model", a.model, "--input", path, "--output", output,
                            "--threads", str(a.threads)], check=True)
            return time.time() - start
        once = seconds(lines, expected)
        return text.count("\n") * (copies - 1) / (seconds(many.name, os.devnull) - once)


def show(name, row):
    good = row["good_ms"]
    print(f"{name:32} {row['good_per_second']:9.1f}/s  p50 {good.get('p50', 0):8.1f}  p99 {good.get('p99', 0):8.1f} ms  "
          f"{row['statuses']}  wrong {row['wrong']} lost {row['lost']}", flush=True)


def idle_latency(a, lines, results):
    """One request at a time, beside the time that decoding itself takes."""
    server = yona_server(a)
    row = load(a, server.port, lines, connections=1, seconds=min(a.seconds, 10))
    server.end()
    show("one connection", row)
    results["idle"] = row


def measure(a, lines, expected):
    results = {"translate_lines_per_second": translate_speed(a, lines, expected)}
    print(f"{'yona translate':32} {results['translate_lines_per_second']:9.1f}/s", flush=True)
    idle_latency(a, lines, results)
    server = yona_server(a)
    memory = [server.memory_mb()]
    curve = []
    for connections in (1, 4, 16, 64, 256):
        row = load(a, server.port, lines, expected, connections=connections, seconds=a.seconds)
        show(f"{connections} connections", row)
        curve.append(row)
    results["curve"] = curve
    best = max(row["good_per_second"] for row in curve)
    results["saturated_per_second"] = best
    results["share_of_translate"] = best / results["translate_lines_per_second"]
    for share in (0.5, 0.8):
        row = load(a, server.port, lines, expected, connections=512, seconds=a.seconds, rate=best * share)
        show(f"at {share:.0%} of the best", row)
        results[f"at_{share}"] = row
    memory.append(server.memory_mb())
    if a.overload:
        row = load(a, server.port, lines, expected, connections=1000, seconds=a.overload, rate=best * 10)
        show("ten times the best", row)
        results["overload"] = row
        results["overload"]["share_of_saturated"] = row["good_per_second"] / best
    memory.append(server.memory_mb())
    results["memory_mb"] = memory
    results["exit_code"] = server.end()
    if a.ct2:
        peer = Server([sys.executable, os.path.join(ROOT, "bench", "peers", "ct2_server.py"), a.model, a.ct2,
                       "--threads", a.threads or os.cpu_count()], r"^(\d+)$", "stdout")
        results["ctranslate2"] = []
        for connections in (1, 16, 64):
            row = load(a, peer.port, lines, connections=connections, seconds=a.seconds)
            show(f"CTranslate2, {connections} connections", row)
            results["ctranslate2"].append(row)
        peer.process.terminate()
        theirs = max(row["good_per_second"] for row in results["ctranslate2"])
        results["times_ctranslate2"] = best / theirs
    return results


def main():
    a = arguments()
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    with tempfile.TemporaryDirectory() as folder:
        lines = os.path.join(folder, "lines")
        with open(a.input, encoding="utf-8") as file, open(lines, "w", encoding="utf-8") as out:
            # The server translates sentence by sentence, `yona translate` line by line.
            out.writelines([line for line in file if line.strip() and not re.search(r"[.!?]\s*\S", line)][:a.lines])
        results = measure(a, lines, os.path.join(folder, "expected"))
    results["machine"] = {"cpus": os.cpu_count(), "load_generator": "on the same machine, one thread"}
    print(json.dumps({key: results[key] for key in results if isinstance(results[key], float)}))
    if a.output:
        with open(a.output, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main()
