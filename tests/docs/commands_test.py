#!/usr/bin/env python3
"""Runs the shell commands of the documentation.

Every `sh` and `console` block of README.md, CONTRIBUTING.md, docs/, bench/ and recipes/ is run, or says why not in a comment before it:

    <!-- not run: needs a GPU -->

The blocks of a page run one after another, in a folder of their own that has what a reader would have made before: text
(train, valid, test, news and my, .en and .de; train.tsv and dev.tsv with labels; text.txt, held-out.txt, reviews.txt, prompts.txt)
and small models: `my-model`, and `run`, the same; `gpt2`, `bert-base-uncased` and `all-MiniLM-L6-v2`, named after those of the hub.
`yona` is the program that was built, with runs and ports made small by shim.py. Needs nothing but the program and Python.
"""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from pages import read_page  # noqa: E402

SOURCE = Path(os.environ.get("YONA_SOURCE_DIR", Path(__file__).parents[2]))
PROGRAM = os.environ.get("YONA_PROGRAM", str(SOURCE / "build/yona"))
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted(SOURCE.glob("docs/*.md")), *sorted(SOURCE.glob("bench/*.md")),
         *sorted(SOURCE.glob("recipes/*/*.md"))]
LIMIT = 60  # seconds of one block
LINES = {"train": 2000, "valid": 60, "test": 40}
# `head` reads its input to the end, so that with pipefail the command before it is not seen to fail by SIGPIPE.
PRELUDE = 'head() { command head "$@"; cat > /dev/null; }\n'


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [str(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports


def make_material(folder):
    """Texts and a model, by the commands that the tutorial teaches."""
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([PROGRAM, "demo", "--text-only", "--output", folder / "all"], **quiet)
    for name, count in LINES.items():
        for language in ("en", "de"):
            with open(folder / f"all/{name}.{language}", encoding="utf-8") as text:
                (folder / f"{name}.{language}").write_text("".join(text.readlines()[:count]), encoding="utf-8")
    shutil.rmtree(folder / "all")
    for language in ("en", "de"):
        for copy in ("news", "my"):
            shutil.copy(folder / f"test.{language}", folder / f"{copy}.{language}")
    subprocess.run([PROGRAM, "train", "--train-src", "train.en", "--train-tgt", "train.de", "--valid-src", "valid.en",
                    "--valid-tgt", "valid.de", "--src-lang", "en", "--tgt-lang", "de", "--preset", "tiny", "--updates", "60",
                    "--batch-tokens", "1024", "--set", "train.warmup=20", "--set", "train.save_every=20",
                    "--output", "my-model"], cwd=folder, **quiet)
    shutil.copytree(folder / "my-model", folder / "run", symlinks=True)
    make_texts(folder)
    for name, fixture in (("bert-base-uncased", "bert-masked-lm"), ("all-MiniLM-L6-v2", "bert-classes")):
        shutil.copytree(SOURCE / "tests/fixtures/encoders" / fixture, folder / name)
    subprocess.run([PROGRAM, "train", "--task", "language-model", "--train", "text.txt", "--preset", "char-small", "--set",
                    "model.layers=1", "--set", "model.max_positions=256", "--set", "train.warmup=5", "--updates", "20", "--output", "gpt2"], cwd=folder, **quiet)


def make_texts(folder):
    """What the pages on encoders and language models take."""
    lines = (folder / "train.en").read_text(encoding="utf-8").splitlines()
    for name, some in (("text", lines[:500]), ("held-out", lines[500:550]), ("reviews", lines[:5]), ("sentences", lines[:5]),
                       ("prompts", lines[:2])):
        (folder / f"{name}.txt").write_text("\n".join(some) + "\n", encoding="utf-8")
    for name, some in (("train", lines[:100]), ("dev", lines[100:120])):
        rows = [f"{'short' if len(line) < 30 else 'long'}\t{line}" for line in some]
        (folder / f"{name}.tsv").write_text("\n".join(["label\tsentence", *rows]) + "\n", encoding="utf-8")


class Page:
    """One page's folder, its programs and the servers that it starts."""

    def __init__(self, material):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name) / "work"
        shutil.copytree(material, self.folder, symlinks=True)
        programs, scratch = Path(self.temporary.name) / "bin", Path(self.temporary.name) / "tmp"
        for path in (programs, scratch, self.folder / "build"):
            path.mkdir()
        for place in (programs / "yona", programs / "curl", self.folder / "build/yona"):
            place.symlink_to(Path(__file__).parent / "shim.py")
        (self.folder / "tests").symlink_to(SOURCE / "tests")
        port, dashboard = free_ports(2)
        self.servers = Path(self.temporary.name) / "servers"
        self.environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", HOME=str(scratch), TMPDIR=str(scratch),
                                YONA_PROGRAM=PROGRAM, DOCS_PORT=port, DOCS_DASHBOARD_PORT=dashboard,
                                DOCS_SERVERS=str(self.servers), DOCS_CURL=shutil.which("curl") or "")

    def run(self, commands):
        """None, or what went wrong."""
        process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", PRELUDE + commands], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            output = process.communicate(timeout=LIMIT)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return f"takes more than {LIMIT} s: shorten it, or mark it <!-- not run: … -->"
        return None if process.returncode == 0 else f"exit code {process.returncode}\n{output[-2000:]}"

    def close(self):
        if self.servers.exists():
            for pid in self.servers.read_text(encoding="utf-8").split():
                try:
                    os.kill(int(pid), signal.SIGKILL)
                except ProcessLookupError:
                    pass
        self.temporary.cleanup()


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.material = Path(cls.temporary.name) / "material"
        cls.material.mkdir()
        make_material(cls.material)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def check_page(self, path):
        blocks, _ = read_page(path.read_text(encoding="utf-8"))
        if not any(not block.reason for block in blocks):
            return 0
        page = Page(self.material)
        try:
            for block in blocks:
                if not block.reason:
                    with self.subTest(f"{path.relative_to(SOURCE)}:{block.line}"):
                        wrong = page.run(block.commands)
                        self.assertIsNone(wrong, f"\n{block.commands}{wrong}")
        finally:
            page.close()
        return sum(not block.reason for block in blocks)

    def test_every_block_runs_or_says_why_not(self):
        wanted = os.environ.get("DOCS_PAGES", "")  # by hand: DOCS_PAGES=tutorial tests/docs/commands_test.py
        pages = [path for path in PAGES if wanted in str(path)]
        count = sum(self.check_page(path) for path in pages)
        if not wanted:
            self.assertGreater(count, 15)

    def test_no_command_hides_in_an_indented_block(self):
        for path in PAGES:
            with self.subTest(path.relative_to(SOURCE)):
                _, stray = read_page(path.read_text(encoding="utf-8"))
                self.assertEqual(stray, [], "lines with commands outside of a ```sh block")


class Reading(unittest.TestCase):
    """The test's own reader of pages."""

    PAGE = ("text\n\n```sh\nfirst\nsecond\n```\n<!-- not run: needs a GPU -->\n\n```console\n$ third \\\n  more\noutput\n$ fourth\n```\n"
            "```python\nfifth\n```\n    yona train\n<!-- not run:  -->\n```sh\nsixth\n```\n")

    def test_blocks_and_reasons(self):
        blocks, stray = read_page(self.PAGE)
        self.assertEqual([(b.line, b.commands, b.reason) for b in blocks],
                         [(3, "first\nsecond\n", ""), (9, "third \\\n  more\nfourth\n", "needs a GPU"), (20, "sixth\n", "")])
        self.assertEqual(stray, [18])


if __name__ == "__main__":
    if os.environ.get("YONA_SANITIZED"):
        print("skipped: the commands themselves are tested under sanitizers")
        sys.exit(77)
    unittest.main()
