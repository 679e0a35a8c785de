#!/usr/bin/env python3
"""Runs clang-tidy over the library's sources, in parallel, skipping what it has already passed.

usage: tools/tidy.py BUILD_DIR [SOURCE…]

BUILD_DIR holds compile_commands.json. A source is skipped when it, every yona header it reaches,
.clang-tidy, its compile command and the clang-tidy version are as they were when it last passed;
the memory is BUILD_DIR/tidy/. Exit code 1 when there is any finding.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(rb'^\s*#\s*include\s+"(yona/[^"]+)"', re.MULTILINE)
FINDING = re.compile(r"^(?=\S+:\d+:\d+: (?:error|warning):)", re.MULTILINE)
SUMMARY = re.compile(r"^\d+ (?:warnings?|errors?)\b.*\n|^Suppressed .*\n", re.MULTILINE)


def files_reached(source, reached):
    """Adds `source` and every file of the tree it includes, directly or not, to `reached`."""
    if source in reached or not source.exists():
        return
    reached[source] = source.read_bytes()
    for name in INCLUDE.findall(reached[source]):
        files_reached(ROOT / name.decode(), reached)


def fingerprint(entry, setup):
    """What a verdict on this source depends on, as one name for a file."""
    reached = {}
    files_reached(Path(entry["file"]), reached)
    digest = hashlib.sha256(setup)
    digest.update(entry["command"].encode())
    for path in sorted(reached):
        digest.update(str(path).encode() + b"\0" + reached[path])
    return digest.hexdigest()


def tidy(entry, build):
    """Whether the source is clean, and the findings otherwise, as a list of texts."""
    command = ["clang-tidy", "--quiet", "-p", str(build), entry["file"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return True, []
    return False, FINDING.split(SUMMARY.sub("", done.stdout + done.stderr))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = Path(sys.argv[1]).resolve()
    wanted = {Path(name).resolve() for name in sys.argv[2:]}
    entries = json.loads((build / "compile_commands.json").read_text())
    entries = [e for e in entries if Path(e["file"]).is_relative_to(ROOT / "yona")]
    entries = [e for e in entries if e["file"].endswith(".cc")]
    entries = [e for e in entries if not wanted or Path(e["file"]) in wanted]

    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    setup = version + (ROOT / ".clang-tidy").read_bytes()
    passed = build / "tidy"
    passed.mkdir(exist_ok=True)
    prints = {e["file"]: fingerprint(e, setup) for e in entries}
    todo = [e for e in entries if not (passed / prints[e["file"]]).exists()]
    print(f"clang-tidy: {len(todo)} of {len(entries)} sources to look at", flush=True)

    said, failed = set(), 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        runs = {pool.submit(tidy, e, build): e["file"] for e in todo}
        for run in concurrent.futures.as_completed(runs):
            clean, findings = run.result()
            if clean:
                (passed / prints[runs[run]]).touch()
                continue
            failed += 1
            for finding in findings:  # one in a header comes once for each source that reads it
                if finding not in said and finding.strip():
                    said.add(finding)
                    print(finding, end="", flush=True)
    if failed:
        sys.exit(f"clang-tidy: findings in {failed} of {len(entries)} sources")


if __name__ == "__main__":
    main()
