#!/usr/bin/env python3
"""The words of treebank trees, one sentence a line, without traces and other empty constituents."""
import re
import sys


def main():
    depth, words, tag = 0, [], ""
    for token in re.findall(r"\(|\)|[^()\s]+", sys.stdin.read()):
        if token == "(":
            depth, tag = depth + 1, ""
        elif token == ")":
            depth -= 1
            if depth == 0 and words:
                print(" ".join(words))
                words = []
        elif not tag:
            tag = token
        elif tag != "-NONE-":
            words.append(token)


if __name__ == "__main__":
    main()
