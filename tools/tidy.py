#!/usr/bin/env python3
"""Runs clang-tidy over the library's sources, in parallel, skipping what it has already passed.

usage: tools/tidy.py [--since COMMIT] BUILD_DIR [SOURCE…]

BUILD_DIR holds compile_commands.json. A source is skipped when it, every yona header it reaches,
.clang-tidy, its compile command and the clang-tidy version are as they were when it last passed;
the memory is BUILD_DIR/tidy/. With --since, only sources are looked at that a change since that
commit reaches, or all of them when the checks themselves changed. Exit code 1 when there is any
finding.

Most of clang-tidy's time goes into the libraries' headers, so sources of one folder are read
together, as one translation unit, where they can be: those that define the same name or a macro
stay apart, and a batch that still does not compile is read again source by source.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LARGEST_BATCH = 12
INCLUDE = re.compile(rb'^\s*#\s*include\s+"(yona/[^"]+)"', re.MULTILINE)
FINDING = re.compile(r"^(?=\S+:\d+:\d+: (?:error|warning):)", re.MULTILINE)
UNNAMED = re.compile(rb"^namespace \{$.*?^\}  // namespace$", re.MULTILINE | re.DOTALL)
DEFINED = re.compile(
    rb"^(?!namespace|using|template)(?=\w)[^\n({=;]*?\b(\w+(?:\(.*)?)(?=\s*(?:[\[{=;]|$))", re.MULTILINE
)
ALONE = re.compile(rb"^\s*#\s*(?:define|undef)\b|foreach_target", re.MULTILINE)
SUMMARY = re.compile(r"^\d+ (?:warnings?|errors?)\b.*\n|^Suppressed .*\n", re.MULTILINE)


def files_reached(source, reached):
    """Adds `source` and every file of the tree it includes, directly or not, to `reached`."""
    if source in reached or not source.exists():
        return
    reached[source] = source.read_bytes()
    for name in INCLUDE.findall(reached[source]):
        files_reached(ROOT / name.decode(), reached)


def changed_files(commit):
    """The files of the tree that are not as they were in that commit."""
    done = subprocess.run(["git", "diff", "--name-only", commit, "--"], cwd=ROOT, capture_output=True, text=True, check=True)
    return {ROOT / name for name in done.stdout.splitlines()}


def is_reached(entry, changed):
    reached = {}
    files_reached(Path(entry["file"]), reached)
    return not changed.isdisjoint(reached)


def fingerprint(entry, setup):
    """What a verdict on this source depends on, as one name for a file."""
    reached = {}
    files_reached(Path(entry["file"]), reached)
    digest = hashlib.sha256(setup)
    digest.update(entry["command"].encode())
    for path in sorted(reached):
        digest.update(str(path).encode() + b"\0" + reached[path])
    return digest.hexdigest()


def flags(entry):
    """The compiler's options for this source, without the source itself and the output."""
    words = shlex.split(entry["command"])[1:]
    drop = {i for i, word in enumerate(words) if word in ("-o", "-c")}
    drop |= {i + 1 for i in drop}
    return [word for i, word in enumerate(words) if i not in drop]


def batches(entries):
    """Lists of sources to be read together: same folder, same options, no name defined twice."""
    result = []  # of [folder and options, names, entries]
    for entry in entries:
        text = Path(entry["file"]).read_bytes()
        unnamed = b"".join(UNNAMED.findall(text))
        key = (Path(entry["file"]).parent, *flags(entry))
        names = set(DEFINED.findall(unnamed))
        for batch in [] if ALONE.search(text) else result:
            if batch[0] == key and len(batch[2]) < LARGEST_BATCH and not batch[1] & names:
                batch[1].update(names)
                batch[2].append(entry)
                break
        else:
            result.append([None if ALONE.search(text) else key, names, [entry]])
    return [batch[2] for batch in result]


def run(arguments):
    """Whether clang-tidy has no finding, and what it said otherwise."""
    command = ["clang-tidy", "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode == 0, SUMMARY.sub("", done.stdout + done.stderr)


def tidy(batch, build):
    """The sources that are clean, and the findings in the others, as a list of texts."""
    if len(batch) > 1:
        together = "".join(f'#include "{entry["file"]}"\n' for entry in batch)
        name = hashlib.sha256(together.encode()).hexdigest()[:16]
        source = build / "tidy" / f"together-{name}.cc"
        source.write_text(together)
        options = [f"--config-file={ROOT / '.clang-tidy'}", "--header-filter=/yona/.*\\.(h|cc)$"]
        options += ["--checks=-bugprone-suspicious-include", str(source), "--", *flags(batch[0])]
        clean, said = run(options)
        if clean or "[clang-diagnostic-error]" not in said:
            return (batch if clean else []), FINDING.split("" if clean else said)
    passed, findings = [], []
    for entry in batch:
        clean, said = run(["-p", str(build), entry["file"]])
        passed += [entry] if clean else []
        findings += [] if clean else FINDING.split(said)
    return passed, findings


def main():
    arguments = sys.argv[1:]
    since = None
    if arguments[:1] == ["--since"] and len(arguments) > 1:
        since = arguments[1]
        arguments = arguments[2:]
    if not arguments:
        sys.exit(__doc__)
    build = Path(arguments[0]).resolve()
    wanted = {Path(name).resolve() for name in arguments[1:]}
    entries = json.loads((build / "compile_commands.json").read_text())
    entries = [e for e in entries if Path(e["file"]).is_relative_to(ROOT / "yona")]
    entries = [e for e in entries if e["file"].endswith(".cc")]
    entries = [e for e in entries if not wanted or Path(e["file"]) in wanted]
    changed = changed_files(since) if since else set()
    if since and ROOT / ".clang-tidy" not in changed:
        entries = [e for e in entries if is_reached(e, changed)]

    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    setup = version + (ROOT / ".clang-tidy").read_bytes()
    passed = build / "tidy"
    passed.mkdir(exist_ok=True)
    prints = {e["file"]: fingerprint(e, setup) for e in entries}
    todo = [e for e in entries if not (passed / prints[e["file"]]).exists()]
    print(f"clang-tidy: {len(todo)} of {len(entries)} sources to look at", flush=True)

    said, clean = set(), len(entries) - len(todo)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        runs = [pool.submit(tidy, batch, build) for batch in batches(todo)]
        for done in concurrent.futures.as_completed(runs):
            sources, findings = done.result()
            clean += len(sources)
            for entry in sources:
                (passed / prints[entry["file"]]).touch()
            for finding in findings:  # one in a header comes once for each batch that reads it
                if finding not in said and finding.strip():
                    said.add(finding)
                    print(finding, end="", flush=True)
    if clean < len(entries):
        sys.exit(f"clang-tidy: findings; {clean} of {len(entries)} sources are clean")


if __name__ == "__main__":
    main()
