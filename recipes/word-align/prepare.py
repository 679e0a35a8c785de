#!/usr/bin/env python3
"""Writes PREFIX.de.xz and PREFIX.en.xz as the gold sentences of europarl100 are written: lower-cased, punctuation apart,
plain quotes. Pairs longer than 40 words are left out, and of the training set every second one is taken."""
import lzma
import re
import sys

PLAIN = str.maketrans({"’": "'", "„": '"', "“": '"', "”": '"', "–": "-"})


def plain(line):
    return " ".join(re.sub(r'([.,!?:;()"/…])', r" \1 ", line.lower().translate(PLAIN)).split())


def main(prefix, output):
    step = 2 if prefix.endswith("train") else 1
    with lzma.open(prefix + ".de.xz", "rt", encoding="utf-8") as german, \
            lzma.open(prefix + ".en.xz", "rt", encoding="utf-8") as english, \
            open(output + ".de", "w", encoding="utf-8") as to_german, \
            open(output + ".en", "w", encoding="utf-8") as to_english:
        for index, pair in enumerate(zip(german, english)):
            source, target = map(plain, pair)
            if index % step == 0 and max(len(source.split()), len(target.split())) <= 40:
                to_german.write(source + "\n")
                to_english.write(target + "\n")


main(*sys.argv[1:3])
