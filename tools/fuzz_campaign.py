#!/usr/bin/env python3
"""Fuzzes every target for long: until 10 million inputs each, or half an hour where a target runs below 5,000 inputs a
second. `tools/fuzz.sh --campaign` builds the tree and calls this. Seconds are of CPU time: a busy machine makes a campaign
longer, not smaller.

Targets run in slices of a minute, those that have had least first. The result file is written after each slice, and a
campaign goes on from it: inputs and seconds of one target are added up over machines and commits, and the file says how many
were of which commit. A target with a finding is not run again at that commit. What the fuzzers found on the way is kept in
fuzz/corpus of the build tree.

With --commit, --sanitizers and --seeds it needs neither git nor the sources: a folder with fuzz/NAME_fuzz can be taken to
another machine. --minutes ends it early; the same command goes on."""
import argparse
import concurrent.futures
import json
import os
import platform
import re
import subprocess
import sys
import threading
import time

INPUTS, SECONDS, SLOW = 10_000_000, 1800, 5000  # below SLOW inputs a second the time decides
SLICE = 60
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def flags():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", help="the build tree, with fuzz targets and sanitizers")
    parser.add_argument("--only", help="names of targets, separated by commas")
    parser.add_argument("--jobs", type=int, default=2, help="targets at a time (2)")
    parser.add_argument("--minutes", type=float, help="stop after so many; what was counted is kept")
    parser.add_argument("--commit", help="what the targets were built from; otherwise git says")
    parser.add_argument("--sanitizers", help="what they were built with; otherwise the build tree says")
    parser.add_argument("--seeds", default=os.path.join(ROOT, "tests", "fuzz", "corpus"))
    parser.add_argument("--result", default=os.path.join(ROOT, "bench", "results", "fuzz_campaign.json"))
    return parser.parse_args()


class Campaign:
    def __init__(self, given):
        self.given, self.lock, self.stopped = given, threading.Lock(), threading.Event()
        self.folder = os.path.join(os.path.abspath(given.build), "fuzz")
        self.commit = given.commit or output_of("git", "-C", ROOT, "rev-parse", "HEAD")
        self.sanitizers = given.sanitizers or cache_value(given.build, "YONA_SANITIZE")
        self.end = time.monotonic() + 60 * given.minutes if given.minutes else float("inf")
        self.busy = set()
        self.result = {"command": "tools/fuzz.sh --campaign", **read_json(given.result), "sanitizers": self.sanitizers}
        self.counts = self.result.setdefault("targets", {})
        every = sorted(name for name in os.listdir(self.folder) if name.endswith("_fuzz"))
        self.targets = given.only.split(",") if given.only else every
        unknown = sorted(set(self.targets) - set(every))
        if unknown:
            sys.exit(f"fuzz: there is no target {', '.join(unknown)}; there are {', '.join(every)}")

    def run(self):
        print(f"fuzzing campaign: {len(self.targets)} targets at {self.commit[:10]}, {self.sanitizers}", flush=True)
        for name in self.targets:
            self.counts.setdefault(name, {"inputs": 0, "seconds": 0, "coverage": 0, "complete": False, "commits": {}})
        with concurrent.futures.ThreadPoolExecutor(self.given.jobs) as pool:
            slots = [pool.submit(self.fuzz) for _ in range(self.given.jobs)]
            try:
                for slot in slots:
                    slot.result()
            except KeyboardInterrupt:
                self.stopped.set()  # the slices that run get the signal too, and end
                raise
        counts = [self.counts[name] for name in self.targets]
        done = sum(is_enough(count) for count in counts)
        findings = sum(self.here(count)["findings"] for count in counts)
        print(f"fuzzing campaign: {done} of {len(counts)} targets complete, {findings} findings", flush=True)
        return done == len(counts) and findings == 0

    def fuzz(self):
        """Slices of one target after another, while there is time and one that has not had enough."""
        while name := self.next():
            count = self.counts[name]
            try:
                self.slice(name, count)
            finally:
                with self.lock:
                    self.busy.discard(name)
            found = self.here(count)["findings"]
            if found or is_enough(count):
                words = "FAILED: see " + os.path.join(self.folder, name + ".log") if found else "no finding"
                print(f"  {name}: {count['inputs']} inputs in {count['seconds']} s, {words}", flush=True)

    def here(self, count):
        """What a target has had at this commit."""
        return count["commits"].get(self.commit, {"inputs": 0, "seconds": 0, "findings": 0, "slices": 0})

    def next(self):
        """The target that has had least and that no other slot runs; none: nothing is left for this slot."""
        with self.lock:
            left = [name for name in self.targets if name not in self.busy and not self.here(self.counts[name])["findings"]
                    and not is_enough(self.counts[name])]
            if not left or self.stopped.is_set() or self.slice_seconds() < 1:
                return None
            name = min(left, key=lambda each: self.counts[each]["seconds"])
            self.busy.add(name)
            return name

    def slice_seconds(self):
        return int(min(SLICE, self.end - time.monotonic()))

    def slice(self, name, count):
        corpus = os.path.join(self.folder, "corpus", name)
        os.makedirs(corpus, exist_ok=True)
        seeds = os.path.join(self.given.seeds, name)
        log = os.path.join(self.folder, name + ".log")
        with open(log, "wb") as file:
            process = subprocess.Popen(
                [os.path.join(self.folder, name), f"-seed={self.seed(count)}", f"-max_total_time={max(1, self.slice_seconds())}",
                 f"-runs={INPUTS - count['inputs']}", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1",
                 f"-artifact_prefix={self.folder}/{name}-", corpus, *([seeds] if os.path.isdir(seeds) else [])],
                stdout=file, stderr=subprocess.STDOUT)
            status, used = os.wait4(process.pid, 0)[1:]
        code = os.waitstatus_to_exitcode(status)
        with open(log, encoding="utf-8", errors="replace") as file:
            said = file.read()
        inputs = re.search(r"^stat::number_of_executed_units: *(\d+)", said, re.M)
        if "libFuzzer: run interrupted" in said:  # Ctrl-C: the slice does not count
            self.stopped.set()
            return
        coverage = re.findall(r" cov: (\d+) ", said)
        with self.lock:
            here = count["commits"][self.commit] = self.here(count)
            here["slices"] += 1
            here["findings"] += code != 0
            for each in (count, here):
                each["inputs"] += int(inputs.group(1)) if inputs else 0
                each["seconds"] += round(used.ru_utime + used.ru_stime)
            count["coverage"] = int(coverage[-1]) if coverage else 0
            count["complete"] = is_enough(count)
            self.keep()

    def seed(self, count):
        """Another one for each slice, at whatever commit."""
        return 1 + sum(each["slices"] for each in count["commits"].values())

    def keep(self):
        machine = f"{cpu_name()}, {os.cpu_count()} CPUs"
        machines = self.result.setdefault("machines", [])
        if machine not in machines:
            machines.append(machine)
        self.result["targets"] = dict(sorted(self.counts.items()))
        write_json(self.given.result, self.result)


def is_enough(count):
    is_slow = count["inputs"] < SLOW * count["seconds"]
    return count["inputs"] >= INPUTS or (count["seconds"] >= SECONDS and is_slow)


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def cache_value(build, name):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        found = re.search(rf"^{name}:\w+=(.*)$", file.read(), re.M)
    return found.group(1) if found else ""


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return re.search(r"model name\s*: (.*)", file.read()).group(1)
    except (OSError, AttributeError):
        return platform.machine()


def read_json(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write_json(path, value):
    with open(path + ".tmp", "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2)
        file.write("\n")
    os.replace(path + ".tmp", path)


if __name__ == "__main__":
    campaign = Campaign(flags())
    try:
        sys.exit(0 if campaign.run() else 1)
    except KeyboardInterrupt:
        sys.exit("fuzz: interrupted; the same command goes on where it was")
