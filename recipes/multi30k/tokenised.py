#!/usr/bin/env python3
"""Tokenised BLEU of Multi30k translations, as published figures for this model size are computed.

  YONA_DATA=/path/to/data recipes/multi30k/tokenised.py TRANSLATIONS [TARGET]

Translations and reference are lower-cased, then their punctuation is normalised and they are tokenised as Moses does
(`lowercase.perl`, `normalize-punctuation.perl`, `tokenizer.perl`, here by sacremoses), the preparation of Multi30k's own
`lc.norm.tok` files; then n-grams are counted without any further tokenisation and without smoothing. The German
reference of test_2016_flickr has 12,103 tokens then, as many as the published run reports. Needs `pip install sacremoses`.
"""
import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from sacremoses import MosesPunctNormalizer, MosesTokenizer

ROOT = Path(__file__).resolve().parent.parent.parent


def prepare(lines, language, path):
    normaliser, tokeniser = MosesPunctNormalizer(language), MosesTokenizer(language)
    with open(path, "w", encoding="utf-8") as file:
        for line in lines:
            normal = normaliser.normalize(line.lower())
            file.write(tokeniser.tokenize(normal, escape=False, return_str=True) + "\n")


def main(translations, language="de"):
    reference = Path(os.environ.get("YONA_DATA", "")) / "multi30k" / f"test_2016_flickr.{language}.gz"
    if not reference.exists():
        print(f"recipes/multi30k: no {reference}; set YONA_DATA to the folder that holds multi30k/", file=sys.stderr)
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        with gzip.open(reference, "rt", encoding="utf-8") as file:
            prepare(file.read().split("\n")[:-1], language, folder + "/ref")
        with open(translations, encoding="utf-8") as file:
            prepare(file.read().split("\n")[:-1], language, folder + "/hyp")
        subprocess.run([ROOT / "build" / "yona", "score", "--ref", folder + "/ref", "--hyp", folder + "/hyp",
                        "--tokenize", "none", "--smooth-method", "none", "--force", "--width", "2"], check=True)


if len(sys.argv) not in (2, 3):
    sys.exit("usage: recipes/multi30k/tokenised.py TRANSLATIONS [TARGET]")
main(*sys.argv[1:])
