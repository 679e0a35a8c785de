#!/usr/bin/env python3
"""Runs the shell commands of the documentation.

Every `sh` and `console` block of README.md, CONTRIBUTING.md, docs/, bench/ and recipes/ is run, or says why not in a comment before it:

    <!-- not run: needs a GPU -->

If the commands of a `console` block are to fail, their exit code is given before it, and their output is compared with the page's:

    <!-- fails: 2 -->

The blocks of a page run one after another, in a folder of their own that has what a reader would have made before (material.py).
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
from material import make_material  # noqa: E402
from pages import read_page  # noqa: E402

SOURCE = Path(os.environ.get("YONA_SOURCE_DIR", Path(__file__).parents[2]))
PROGRAM = os.environ.get("YONA_PROGRAM", str(SOURCE / "build/yona"))
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted(SOURCE.glob("docs/*.md")), *sorted(SOURCE.glob("bench/**/*.md")),
         *sorted(SOURCE.glob("recipes/**/*.md"))]
LIMIT = 60  # seconds of one block
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

    def run(self, commands, expected=None):
        """None, or what went wrong; with `expected`, also other output than that."""
        process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", PRELUDE + commands], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            output = process.communicate(timeout=LIMIT)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return f"takes more than {LIMIT} s: shorten it, or mark it <!-- not run: … -->"
        if process.returncode != 0:
            return f"exit code {process.returncode}\n{output[-2000:]}"
        return None if expected in (None, output) else f"printed\n{output}instead of\n{expected}"

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
        make_material(cls.material, PROGRAM, SOURCE)

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
                        wrong = page.run(block.script(), block.expected)
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

    def test_a_block_whose_commands_fail(self):
        blocks, _ = read_page("<!-- fails: 2 -->\n```console\n$ first\nwrong: first\n$ second \\\n  more\nwrong: second\n```\n")
        self.assertEqual((blocks[0].fails, blocks[0].expected), (2, "wrong: first\nwrong: second\n"))
        self.assertEqual(blocks[0].script(), 'code=0\nfirst || code=$?\n[ "$code" = 2 ]\n'
                                             'code=0\nsecond \\\n  more || code=$?\n[ "$code" = 2 ]\n')


if __name__ == "__main__":
    if os.environ.get("YONA_SANITIZED"):
        print("skipped: the commands themselves are tested under sanitizers")
        sys.exit(77)
    unittest.main()
