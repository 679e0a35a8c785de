"""Reads the shell commands out of a Markdown page.

A block is a fence marked `sh` (every line is a command) or `console` (commands follow "$ ", the other lines are output). The line
before the fence may be `<!-- not run: REASON -->` or, of a `console` block, `<!-- fails: CODE -->`: each of its commands ends with that
exit code and prints what the block shows. Blank lines between the two do not count.
"""
import re
from dataclasses import dataclass

FENCE = re.compile(r"^```(\w*)\s*$")
NOT_RUN = re.compile(r"^<!-- not run: (\S.*) -->$")
FAILS = re.compile(r"^<!-- fails: (\d+) -->$")
# A command in an indented block, which would be shown as code but never run.
STRAY = re.compile(r"^ {4,}(\$ |(build/)?yona [a-z]|make [a-z]|curl |pip |cmake |ctest |tools/|bench/|recipes/|tests/\S+\.py)")


@dataclass
class Block:
    line: int  # of the fence, from 1
    commands: str
    reason: str  # why it is not run; empty: it is
    fails: int = 0  # the exit code of every command
    expected: str | None = None  # the output, if it is compared

    def script(self):
        """The commands for a shell that ends at the first failure."""
        if not self.fails:
            return self.commands
        whole = re.split(r"(?<!\\)\n", self.commands.rstrip("\n"))
        return "".join(f'code=0\n{command} || code=$?\n[ "$code" = {self.fails} ]\n' for command in whole)


def console_lines(lines):
    """What a person typed in a transcript, after "$ " and as long as lines end in a backslash; and the lines that were printed."""
    commands, printed, continues = [], [], False
    for line in lines:
        if continues or line.startswith("$ "):
            commands.append(line if continues else line[2:])
            continues = line.endswith("\\")
        else:
            printed.append(line)
    return commands, printed


def read_page(text):
    """The blocks of a page, and the numbers of lines with commands outside of any fence."""
    blocks, stray = [], []
    language, start, inside, before = None, 0, [], ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if language is None and fence:
            language, start, inside = fence.group(1), number, []
        elif language is not None and line.rstrip() == "```":
            if language in ("sh", "console"):
                commands, printed = (inside, []) if language == "sh" else console_lines(inside)
                marked, fails = NOT_RUN.match(before), FAILS.match(before)
                block = Block(start, "\n".join(commands) + "\n", marked.group(1) if marked else "")
                if fails:
                    block.fails, block.expected = int(fails.group(1)), "\n".join(printed) + "\n"
                blocks.append(block)
            language, before = None, ""
        elif language is not None:
            inside.append(line)
        else:
            if STRAY.match(line):
                stray.append(number)
            before = line.strip() or before
    return blocks, stray
