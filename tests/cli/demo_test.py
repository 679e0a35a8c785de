#!/usr/bin/env python3
"""`yona demo` on a terminal: an empty line at its prompt goes on to the question about the page, and another one serves
the page until Ctrl-C."""
import os
import pty
import re
import select
import signal
import sys
import tempfile
import time
import urllib.request


class Terminal:
    def __init__(self, *arguments):
        self.seen = ""
        self.process, self.side = pty.fork()
        if self.process == 0:
            os.execv(os.environ["YONA_PROGRAM"], ["yona", *arguments])

    def until(self, pattern, seconds=900):
        """Reads on until the pattern has been seen; gives the match."""
        end = time.time() + seconds
        while time.time() < end:
            found = re.search(pattern, self.seen)
            if found:
                return found
            if select.select([self.side], [], [], 1)[0]:
                try:
                    self.seen += os.read(self.side, 65536).decode(errors="replace")
                except OSError:  # the program has ended
                    break
        raise AssertionError(f"never seen: {pattern}\n{self.seen[-2000:]}")

    def write(self, text):
        os.write(self.side, text.encode())

    def exit_code(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def check_page(folder):
    terminal = Terminal("demo", "--updates", "3", "--output", os.path.join(folder, "yes"))
    terminal.until("or an empty line to end")
    terminal.write("\n")
    terminal.until(r"yona serve --model \S+yes/model")
    terminal.until(r"\[Y/n\]")
    terminal.write("\n")
    address = terminal.until(r" at (http://127\.0\.0\.1:\d+);").group(1)
    with urllib.request.urlopen(address + "/", timeout=60) as answer:
        assert b"<title>yona</title>" in answer.read()
    os.kill(terminal.process, signal.SIGINT)
    assert terminal.exit_code() == 0


def check_refusal(folder):
    terminal = Terminal("-q", "demo", "--updates", "3", "--output", os.path.join(folder, "no"))
    terminal.until("or an empty line to end")
    terminal.write("\n")
    terminal.until(r"\[Y/n\]")
    terminal.write("n\n")
    assert terminal.exit_code() == 0


try:
    for side in pty.openpty():
        os.close(side)
except OSError as error:
    print(f"skipped: no terminal can be made here (/dev/ptmx, /dev/pts): {error}")
    sys.exit(77)
with tempfile.TemporaryDirectory() as place:
    check_page(place)
    check_refusal(place)
sys.exit(0)
