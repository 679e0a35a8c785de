"""What a chaos run counts: faults that were injected, failures, and figures of honest clients."""
import json
import random
import sys
import threading
import time


class Report:
    """One for all parts; any thread may write to it."""

    def __init__(self, seed, seconds):
        self.seed, self.seconds = seed, seconds
        self.start = time.monotonic()
        self.lock = threading.Lock()
        self.faults, self.checks, self.failures = {}, {}, []
        self.figures = {}

    def left(self):
        """Seconds until the run should end."""
        return self.start + self.seconds - time.monotonic()

    def passed(self):
        return time.monotonic() - self.start

    def fault(self, kind, count=1):
        """Something was broken on purpose."""
        with self.lock:
            self.faults[kind] = self.faults.get(kind, 0) + count

    def check(self, condition, kind, text=""):
        """Something that must hold; `text` says what was seen instead."""
        with self.lock:
            self.checks[kind] = self.checks.get(kind, 0) + 1
        if not condition:
            self.fail(f"{kind}: {text}")
        return condition

    def fail(self, text):
        with self.lock:
            self.failures.append({"second": round(self.passed(), 1), "text": text[:2000]})
            first = len(self.failures) <= 100
        if first:
            print(f"FAILED {text[:2000]}", flush=True)

    def figure(self, name, value):
        """A measured number: kept as a list."""
        with self.lock:
            self.figures.setdefault(name, []).append(value)

    def counted(self):
        return sum(self.faults.values())

    def progress(self, what):
        print(f"{self.passed():6.0f} s  {self.counted()} faults, {sum(self.checks.values())} checks, "
              f"{len(self.failures)} failures  {what}", flush=True)

    def last_line(self):
        return (f"chaos: {self.counted()} faults injected, {len(self.failures)} failures, seed {self.seed}, "
                f"{self.passed():.0f} s")

    def write(self, path, more):
        summary = {**more, "seed": self.seed, "seconds": round(self.passed(), 1), "faults_injected": self.counted(),
                   "failures": self.failures, "faults": dict(sorted(self.faults.items())),
                   "checks": dict(sorted(self.checks.items())),
                   "figures": {name: summary_of(values) for name, values in sorted(self.figures.items())}}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(summary, file, indent=2)
            file.write("\n")


def summary_of(values):
    """Count, median and tail of a list of numbers."""
    ordered = sorted(values)

    def at(part):
        return round(ordered[min(len(ordered) - 1, int(part * len(ordered)))], 4)
    return {"count": len(ordered), "p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "max": round(ordered[-1], 4)}


def dice(seed, *names):
    """The random numbers of one turn of one part: the same for the same seed, whatever other parts do."""
    return random.Random("/".join(map(str, (seed, *names))))


def stop_with(message):
    print(f"chaos: {message}", file=sys.stderr)
    sys.exit(2)
