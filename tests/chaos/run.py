#!/usr/bin/env python3
"""Breaks yona in every way that can be arranged, for a while, and checks that nothing is lost and no answer is wrong.

  tests/chaos/run.py --yona build/yona                  ten minutes
  tests/chaos/run.py --yona build/yona --hour --json bench/results/chaos.json
  tests/chaos/run.py --yona build/yona --only train --seed 7

Parts take turns: train (kills and resumes), disk (disks that fill), files (model files replaced under load), serve
(hostile clients next to honest ones). What is done follows from the seed; when it happens does not, quite: processes
have a timing of their own. The last line counts the faults that were injected and the failures; with a failure the
exit code is 1. Python's standard library is all that is needed."""
import argparse
import os
import platform
import subprocess
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from disks import Disks  # noqa: E402
from files import Files  # noqa: E402
from hostile import Hostile  # noqa: E402
from kills import Kills  # noqa: E402
from program import Models, Program, Texts  # noqa: E402
from report import Report, stop_with  # noqa: E402

PARTS = ["train", "disk", "files", "serve"]


def flags():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--yona", default="build/yona", help="the program (build/yona)")
    parser.add_argument("--minutes", type=float, default=10, help="how long (10)")
    parser.add_argument("--hour", action="store_true", help="the same as --minutes 60")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other faults (1)")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, separated by commas: " + ",".join(PARTS))
    parser.add_argument("--memory-mb", type=float, default=1500, help="what a server may use at most (1500)")
    parser.add_argument("--json", help="a file for the result")
    given = parser.parse_args()
    unknown = set(given.only.split(",")) - set(PARTS)
    if unknown:
        stop_with(f"--only: there is no part {', '.join(sorted(unknown))}; expected {', '.join(PARTS)}")
    if not os.access(given.yona, os.X_OK):
        stop_with(f"--yona: {given.yona} is not a program; build it first")
    return given


def parts_of(given, program, report):
    texts = Texts(program)
    chosen = given.only.split(",")
    models = Models(program, texts, updates=400) if chosen != ["train"] else None
    made = {"train": lambda: Kills(program, texts, report), "disk": lambda: Disks(program, texts, models, report),
            "files": lambda: Files(program, texts, models, report),
            "serve": lambda: Hostile(program, texts, models, report, given.memory_mb * 1e6)}
    return [made[name]() for name in PARTS if name in chosen]


def take_turns(parts, report):
    """Until the time is over, but each part once at least."""
    while True:
        for part in parts:
            if part.turns > 0 and report.left() <= 0:
                return
            try:
                part.turn()
            except Exception:  # the run goes on: one part's trouble must not hide another's
                report.fail(f"{part.name}: turn {part.turns} ended early: {traceback.format_exc()}")
            report.progress(f"{part.name}, turn {part.turns}")


def commit_of(folder):
    found = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return found.stdout.strip() or None


def main():
    given = flags()
    report = Report(given.seed, 60 * (60 if given.hour else given.minutes))
    with tempfile.TemporaryDirectory(prefix="yona-chaos-") as work:
        program = Program(given.yona, work)
        parts = parts_of(given, program, report)
        report.progress("models are trained")
        try:
            take_turns(parts, report)
        finally:
            for part in parts:
                part.end()
    if given.json:
        report.write(given.json, {"command": "tests/chaos/run.py " + " ".join(sys.argv[1:]),
                                  "commit": commit_of(os.path.dirname(os.path.abspath(__file__))),
                                  "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} CPUs"})
    print(report.last_line(), flush=True)
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
