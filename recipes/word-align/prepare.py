#!/usr/bin/env python3
"""Writes parallel text as the gold sentences of word-align are written: lower-cased, punctuation apart, plain quotes; in
French the words that elision and contraction hide (l'homme → le homme, du → de le), as Hansards has them.

  prepare.py de en STEP PREFIX OUTPUT     PREFIX.de.xz and PREFIX.en.xz become OUTPUT.de and OUTPUT.en

Every STEP-th pair is taken; pairs longer than 40 words are left out, unless STEP is 0, which takes each line as it comes."""
import lzma
import re
import sys

PLAIN = str.maketrans({"’": "'", "„": '"', "“": '"', "”": '"', "–": "-"})
HIDDEN = {"du": "de le", "des": "de les", "au": "à le", "aux": "à les"}
ELIDED = re.compile(r"\b(l|d|c|j|s|n|m|t|qu|jusqu|lorsqu|puisqu)'(?=\w)")


def plain(line, language):
    line = re.sub(r'([.,!?:;()"/…])', r" \1 ", line.lower().translate(PLAIN))
    if language == "fr":
        line = re.sub(r"-", " - ", ELIDED.sub(r"\1e ", line))
        return " ".join(HIDDEN.get(word, word) for word in line.split())
    return " ".join(line.split())


def main(source_language, target_language, step, prefix, output):
    step = int(step)
    with lzma.open(f"{prefix}.{source_language}.xz", "rt", encoding="utf-8") as sources, \
            lzma.open(f"{prefix}.{target_language}.xz", "rt", encoding="utf-8") as targets, \
            open(f"{output}.{source_language}", "w", encoding="utf-8") as to_source, \
            open(f"{output}.{target_language}", "w", encoding="utf-8") as to_target:
        for index, (source, target) in enumerate(zip(sources, targets)):
            if step == 0:  # gold: its words stay as they are counted
                source, target = source.lower().strip(), target.lower().strip()
            elif index % step == 0:
                source, target = plain(source, source_language), plain(target, target_language)
            if step == 0 or index % step == 0 and max(len(source.split()), len(target.split())) <= 40:
                to_source.write(source + "\n")
                to_target.write(target + "\n")


main(*sys.argv[1:6])
