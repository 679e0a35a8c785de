"""yona score compared with the sacreBLEU that is installed, on random texts: equal in every digit.

usage: sacrebleu_test.py [SEED [LINES]]    YONA_PROGRAM names the program

Texts are drawn from characters that tokenisers treat in different ways and from every character
that Python's Unicode knows, so classes and case mappings are compared one by one. Exits with 77
(skipped) where sacreBLEU is not installed.
"""

import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

try:
    from sacrebleu.metrics import BLEU, CHRF, TER
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

logging.disable(logging.WARNING)
PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")
PIECES = (["the", "cat", "sat", "Mat", "on", "a", "b", "c", "ΣΑΣ", "İx", "straße", "don't", "Tom's", "'s", "3.5", "1,234", "12-3"]
          + list("abcxyz.,;:!?'\"()[]{}<>-–—…/\\@#$%^&*_+=~`|0123456789")
          + ["&quot;", "&amp;", "&lt;", "<skipped>", "。", "、", "，", "「", "」", "中", "文", "字", "ひ", "カ", "ー", "ア", "𠀀", "豈", "㈱",
             "한국", "ไทย", "عربي", "؟", "١٢", "½", "²", "№", "€", "😀", "👨‍👩‍👧", "e\u0301", "\u200b", "\u00ad", "\ufeff"])
SPACES = [" "] * 12 + ["  ", "\t", "\u00a0", "\u2028", "\u3000", "\x1c", "\u0085", "", ""]
CASES = (
    [("bleu", BLEU, {"tokenize": t}, ["--tokenize", t]) for t in ("13a", "intl", "zh", "char", "none")]
    + [("bleu", BLEU, {"lowercase": True, "tokenize": "intl"}, ["--lowercase", "--tokenize", "intl"]),
       ("bleu", BLEU, {"smooth_method": "floor"}, ["--smooth-method", "floor"]),
       ("bleu", BLEU, {"smooth_method": "add-k", "smooth_value": 0.3}, ["--smooth-method", "add-k", "--smooth-value", "0.3"]),
       ("bleu", BLEU, {"smooth_method": "none"}, ["--smooth-method", "none"]),
       ("bleu", BLEU, {"max_ngram_order": 2}, ["--max-ngram-order", "2"]),
       ("chrf", CHRF, {}, []),
       ("chrf", CHRF, {"word_order": 2, "lowercase": True}, ["--chrf-word-order", "2", "--chrf-lowercase"]),
       ("chrf", CHRF, {"whitespace": True, "eps_smoothing": True, "beta": 1},
        ["--chrf-whitespace", "--chrf-eps-smoothing", "--chrf-beta", "1"]),
       ("ter", TER, {}, []),
       ("ter", TER, {"normalized": True, "asian_support": True}, ["--ter-normalized", "--ter-asian-support"]),
       ("ter", TER, {"no_punct": True, "asian_support": True, "case_sensitive": True},
        ["--ter-no-punct", "--ter-asian-support", "--ter-case-sensitive"])])


def random_line(rng):
    return "".join(rng.choice(PIECES) + rng.choice(SPACES) for _ in range(rng.randrange(20))).rstrip()


def disturbed(rng, line):
    """Some words dropped, doubled, moved or replaced."""
    words = line.split(" ")
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(words))
        kind = rng.randrange(4)
        if kind == 0 and len(words) > 1:
            del words[at]
        elif kind == 1:
            words.insert(at, words[at])
        elif kind == 2:
            block = words[at:at + 3]
            del words[at:at + 3]
            place = rng.randrange(len(words) + 1)
            words[place:place] = block
        else:
            words[at] = rng.choice(PIECES)
        words = words or [""]
    return " ".join(words).rstrip()


def every_character():
    """Blocks of 64 characters, each between letters, that Python and ICU both know."""
    known = [chr(c) for c in range(0x110000)
             if chr(c) not in "\n\r\ufeff" and unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
    known = [c for c in known if not "\u4e00" < c < "\u9f00" and not "\uac00" < c < "\ud700" and not "\U00017000" < c < "\U00018d00"
             and not "\U00020000" < c < "\U000323af"]  # thousands of letters that are all alike
    return ["a" + "a".join(known[i:i + 64]) + "a" for i in range(0, len(known), 64)]


def run(arguments):
    done = subprocess.run([PROGRAM, "score", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{arguments}: {done.stderr}")
    return done.stdout


def compare(folder, hyps, references, cases):
    """The number of scores that differ, corpus and sentences."""
    (folder / "hyp").write_text("".join(h + "\n" for h in hyps), newline="\n")
    files = []
    for i, lines in enumerate(references):
        files.append(folder / f"ref{i}")
        files[-1].write_text("".join(line + "\n" for line in lines), newline="\n")
    wrong = 0
    for name, kind, options, flags in cases:
        common = ["--ref", *map(str, files), "--hyp", str(folder / "hyp"), "-m", name, "--json", "--force", *flags]
        ours = [json.loads(run(common))["unrounded"]]
        theirs = [kind(**options).corpus_score(hyps, references).score]
        sentence = kind(**options, **({"effective_order": True} if kind is BLEU else {}))
        ours += [json.loads(line)["unrounded"] for line in run([*common, "--sentence"]).splitlines()]
        theirs += [sentence.sentence_score(h, list(r)).score for h, *r in zip(hyps, *references)]
        assert len(ours) == len(theirs), (len(ours), len(theirs))
        for i, (a, b) in enumerate(zip(ours, theirs)):
            if a != b:
                wrong += 1
                where = "the corpus" if i == 0 else f"{hyps[i - 1]!r} against {[r[i - 1] for r in references]!r}"
                print(f"{name} {options}: {a!r} instead of {b!r} for {where}"[:2000])
    return wrong


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 150
    rng = random.Random(seed)
    first = [random_line(rng) for _ in range(count)]
    second = [disturbed(rng, line) for line in first]
    hyps = [disturbed(rng, line) for line in first]
    characters = every_character()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wrong = compare(folder, hyps, [first], CASES)
        wrong += compare(folder, hyps, [first, second], CASES[:1] + CASES[10:14])
        classes = [case for case in CASES if case[2].get("tokenize") in ("13a", "intl", "zh")]
        wrong += compare(folder, characters, [[line.lower() for line in characters]], classes)
    print(f"{len(hyps)} lines, {sum(map(len, characters)) // 2} characters: {wrong} scores differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
