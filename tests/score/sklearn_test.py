"""yona score of labels compared with the scikit-learn and SciPy that are installed: equal in every digit.

usage: sklearn_test.py [SEED [CASES]]    YONA_PROGRAM names the program

Labels and numbers are drawn at random: ties, one class, classes that only one side has, constant
numbers, hundreds of classes. Exits with 77 (skipped) where one of them is not installed.
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

try:
    from scipy.stats import spearmanr
    from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

warnings.simplefilter("ignore")
PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")
NAMES = ["negative", "positive", "neutral", "Ärger", "zo\u0308", "entailment", "not entailment", "10", "9", "1.5"]


def run(arguments):
    done = subprocess.run([PROGRAM, "score", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{arguments}: {done.stderr}")
    return json.loads(done.stdout)


def draw(rng):
    """Labels that are expected and predicted, as text."""
    count = rng.choice([1, 2, 3, 5, 20, 100, 300])
    kind = rng.randrange(6)
    if kind == 0:
        known = ["0", "1"]
    elif kind == 1:
        known = rng.sample(NAMES, rng.randrange(1, 4))
    elif kind == 2:
        known = [str(i) for i in rng.sample(range(-5, 40), rng.randrange(1, 12))]
    elif kind == 3:
        known = [str(i) for i in range(rng.choice([8, 9, 130, 500]))]
    elif kind == 4:
        known = [str(round(rng.gauss(0, 3), rng.randrange(1, 6))) for _ in range(rng.choice([1, 2, 10, 400]))]
    else:
        known = [repr(rng.random()) for _ in range(400)]
    expected = [rng.choice(known) for _ in range(count)]
    others = rng.sample(known, rng.randrange(1, len(known) + 1))  # some classes are never predicted
    keep = rng.random()
    predicted = [e if rng.random() < keep else rng.choice(others) for e in expected]
    return expected, predicted


def is_whole(text):
    try:
        int(text)
        return True
    except ValueError:
        return False


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def theirs(expected, predicted):
    classes = sorted({*expected, *predicted})
    if all(is_whole(c) for c in classes):
        classes.sort(key=int)
    ids = {name: i for i, name in enumerate(classes)}
    y, p = [ids[e] for e in expected], [ids[q] for q in predicted]
    figures = {"Accuracy": accuracy_score(y, p), "Matthews": matthews_corrcoef(y, p)}
    if {*classes} <= {"0", "1"}:
        figures["F1"] = f1_score(list(map(int, expected)), list(map(int, predicted)), zero_division=0)
    else:
        figures["F1"] = f1_score(y, p, average="binary" if len(classes) == 2 else "macro", zero_division=0)
    if all(map(is_number, classes)):
        figures["Spearman"] = float(spearmanr(list(map(float, expected)), list(map(float, predicted))).statistic)
    return figures


def compare(folder, expected, predicted):
    (folder / "ref").write_text("".join(e + "\n" for e in expected))
    (folder / "hyp").write_text("".join(p + "\n" for p in predicted))
    figures = theirs(expected, predicted)
    names = "accuracy,f1,matthews" + (",spearman" if "Spearman" in figures else "")
    ours = run(["--ref", str(folder / "ref"), "--hyp", str(folder / "hyp"), "-m", names, "--json"])
    wrong = 0
    for score in ours:
        value = math.nan if score["unrounded"] is None else score["unrounded"]
        wanted = figures[score["name"]]
        if value != wanted and not (math.isnan(value) and math.isnan(wanted)):
            wrong += 1
            print(f"{score['name']}: {value!r} instead of {wanted!r} for {expected} and {predicted}"[:2000])
    return len(ours), wrong


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    rng = random.Random(seed)
    compared = wrong = 0
    with tempfile.TemporaryDirectory() as name:
        for _ in range(count):
            figures, different = compare(Path(name), *draw(rng))
            compared += figures
            wrong += different
    print(f"{count} cases: {wrong} of {compared} figures differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
