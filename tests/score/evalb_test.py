"""yona score --metrics brackets compared with EVALB with COLLINS.prm on random trees: equal in every byte.

usage: evalb_test.py [SEED [PAIRS]]    YONA_PROGRAM names the program
       evalb_test.py --write FOLDER    writes the fixture: gold, test and what EVALB prints

YONA_EVALB names EVALB's program (gcc -o evalb evalb.c); without it the test is skipped (exit code 77).
YONA_TREEBANK may name .mrg files (plain, .gz or .xz, separated by colons): their trees are compared
too, each with disturbed copies of itself. EVALB holds 200 words and brackets of a sentence and lines of
5,000 bytes, so larger trees are left out.
"""

import copy
import gzip
import lzma
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")
EVALB = os.environ.get("YONA_EVALB", "")
PARAMETERS = ("DEBUG 0\nMAX_ERROR 10\nCUTOFF_LEN 40\nLABELED 1\n"
              + "".join(f"DELETE_LABEL {label}\n" for label in ["TOP", "-NONE-", ",", ":", "``", "''", "."])
              + "DELETE_LABEL_FOR_LENGTH -NONE-\nEQ_LABEL ADVP PRT\n")
LABELS = ["S", "NP", "VP", "PP", "ADVP", "PRT", "SBAR", "ADJP", "NP-SBJ", "NP-SBJ-1", "NP=2", "PP-LOC=3", "-LRB-", "TOP", "QP", "X"]
TAGS = ["NN", "NNS", "VBD", "DT", "IN", "JJ", "PRP$", "CD", "ADVP", "PRT", "-LRB-", "-RRB-", "POS", "NN-X"]
PUNCTUATION = [(",", ","), (".", "."), (":", "--"), (":", ";"), ("``", "``"), ("''", "''"), (".", "?"), ("''", "'"), ("``", '"')]
WORDS = ["the", "cat", "Zürich", "中文", "-LRB-", "-RRB-", "1\\/2", "'s", "'", "a", "b", "42", "%", "XX", "*"]
MOST_BRACKETS, LONGEST_LINE = 190, 4900


# A tree is [label, child, …] with trees or, in a leaf, one word as children.
def is_leaf(tree):
    return isinstance(tree[1], str) if len(tree) > 1 else False


def random_leaf(rng):
    kind = rng.random()
    if kind < 0.15:
        return list(rng.choice(PUNCTUATION))
    if kind < 0.22:
        return ["-NONE-", rng.choice(["*", "*T*-1", "0", "*U*"])]
    return [rng.choice(TAGS), rng.choice(WORDS)]


def random_tree(rng, words):
    if words <= 1 and rng.random() < 0.7:
        return random_leaf(rng)
    tree, left = [rng.choice(LABELS)], words
    while left > 0 or len(tree) == 1:
        part = rng.randint(1, max(1, left if rng.random() < 0.15 else (left + 1) // 2))
        tree.append(random_tree(rng, part) if rng.random() < 0.6 and part < words + 1 and words > 1 else random_leaf(rng))
        left -= part
    return tree


def random_gold(rng):
    tree = random_tree(rng, rng.choice([1, 2, 3, 5, 8, 13, 25, 39, 40, 41, 45, 60]))
    if is_leaf(tree) and rng.random() < 0.7:
        tree = ["NP", tree]
    return ["TOP", tree] if rng.random() < 0.7 else ["", tree] if rng.random() < 0.2 else tree


def nodes(tree):
    """Every node with its parent."""
    found, waiting = [], [(tree, None)]
    while waiting:
        node, parent = waiting.pop()
        found.append((node, parent))
        if not is_leaf(node):
            waiting.extend((child, node) for child in node[1:])
    return found


def disturb_once(rng, tree):
    everything = nodes(tree)
    node, parent = rng.choice(everything)
    kind = rng.choice(["label"] * 4 + ["remove"] * 3 + ["add"] * 3 + ["chain", "tag", "tag", "move", "move", "trace", "empty", "punctuation"]
                      + ["word", "drop"] * (rng.random() < 0.1))
    place = next((i for i, child in enumerate(parent) if child is node), None) if parent else None
    if kind == "label" and not is_leaf(node):
        node[0] = rng.choice(LABELS)
    elif kind == "remove" and parent and not is_leaf(node):
        parent[place:place + 1] = node[1:]
    elif kind == "add" and not is_leaf(node) and len(node) > 1:
        begin = rng.randint(1, len(node) - 1)
        end = rng.randint(begin, len(node) - 1)
        node[begin:end + 1] = [[rng.choice(LABELS), *node[begin:end + 1]]]
    elif kind == "chain" and not is_leaf(node) and len(node) > 1:
        node[1:] = [[node[0], *node[1:]]]
    elif kind == "tag" and is_leaf(node):
        node[0] = rng.choice(TAGS) if rng.random() < 0.9 else rng.choice(PUNCTUATION)[0]
    elif kind == "move" and parent and place > 1 and not is_leaf(parent[place - 1]):
        parent[place - 1].append(parent.pop(place))  # into the constituent on its left
    elif kind == "trace" and not is_leaf(node):
        node.insert(rng.randint(1, len(node)), ["-NONE-", "*"])
    elif kind == "empty" and not is_leaf(node):
        node.insert(rng.randint(1, len(node)), [rng.choice(LABELS)])
    elif kind == "punctuation" and is_leaf(node):
        match = [tag for tag, word in PUNCTUATION if word == node[1]]
        node[0] = rng.choice(match or [node[0]])
    elif kind == "word" and is_leaf(node):
        node[1] = rng.choice(WORDS)
    elif kind == "drop" and is_leaf(node) and parent and len(parent) > 2:
        parent.pop(place)


def disturbed(rng, tree):
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice([0, 1, 1, 2, 4, 8, 20])):
        disturb_once(rng, tree)
    if rng.random() < 0.1:
        tree = tree[1] if tree[0] == "TOP" and len(tree) == 2 and not is_leaf(tree) else ["TOP", tree]
    return tree


def text_of(tree, space=" "):
    if is_leaf(tree):
        return f"({tree[0]}{space}{tree[1]})"
    return f"({tree[0]}{''.join(space + text_of(child, space) for child in tree[1:])})"


def test_line(rng, tree):
    chance = rng.random()
    if chance < 0.01:
        return rng.choice(["", "(())", "(TOP)", "(TOP (-NONE- *))", "(", "((TOP"])
    line = text_of(tree, rng.choice([" ", " ", " ", "  ", " \t"]))
    closing = len(line) - len(line.rstrip(")"))
    if chance < 0.02 and closing > 1:
        return line[:-rng.randint(1, closing - 1)]  # brackets that stay open
    if chance < 0.03:
        return line.replace(") (", ")(")
    return line


def fits(line):
    return len(line.encode()) < LONGEST_LINE and line.count("(") < MOST_BRACKETS


def random_pairs(rng, count):
    pairs = [("", ""), ("", "(S (NN a))"), ("(S (NN a))", ""), ("(S (NP ) (NN a))", "(S (NP ) (NN a))"), ("(NN a)", "(NN a)")]
    while len(pairs) < count:
        gold = random_gold(rng)
        pair = (text_of(gold), test_line(rng, disturbed(rng, gold)))
        if all(map(fits, pair)):
            pairs.append(pair)
    return pairs[:count]


def read_treebank(path):
    """The trees of a .mrg file, TOP in place of an outer bracket without a label."""
    opened = lzma.open if path.endswith(".xz") else gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        tokens = file.read().replace("(", " ( ").replace(")", " ) ").split()
    stack, trees = [], []
    for token in tokens:
        if token == "(":
            stack.append([])
        elif token == ")":
            tree = stack.pop()
            if stack:
                stack[-1].append(tree)
            else:
                trees.append(["TOP", *tree] if isinstance(tree[0], list) else tree)
        else:
            stack[-1].append(token)
    return trees


def treebank_pairs(rng, paths):
    pairs = []
    for path in paths:
        for gold in read_treebank(path):
            for _ in range(3):
                pair = (text_of(gold), test_line(rng, disturbed(rng, gold)))
                if all(map(fits, pair)):
                    pairs.append(pair)
    return pairs


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")


def evalb_output(folder, pairs):
    write_lines(folder / "gold", [gold for gold, _ in pairs])
    write_lines(folder / "test", [test for _, test in pairs])
    (folder / "COLLINS.prm").write_text(PARAMETERS)
    done = subprocess.run([EVALB, "-p", folder / "COLLINS.prm", "-e", "100000000", folder / "gold", folder / "test"],
                          capture_output=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-500:])
    return done.stdout.decode()


def our_output(folder):
    done = subprocess.run([PROGRAM, "score", "--metrics", "brackets", "--evalb", "--ref", folder / "gold", "--hyp", folder / "test"],
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return done.stdout.decode()


def compare(name, pairs):
    """The number of lines of the report that differ."""
    with tempfile.TemporaryDirectory() as folder:
        theirs = evalb_output(Path(folder), pairs).splitlines()
        ours = our_output(Path(folder)).splitlines()
    assert len(ours) == len(theirs), (len(ours), len(theirs))
    wrong = [i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b]
    for i in wrong[:5]:
        print(f"{name}: EVALB printed {theirs[i]!r}, yona {ours[i]!r}")
        if 3 <= i < len(pairs) + 3:
            print("  gold {}\n  test {}".format(*pairs[i - 3]))
    states = [line.split()[2] for line in theirs[3:3 + len(pairs)]]
    print(f"{name}: {len(pairs)} pairs ({states.count('1')} errors, {states.count('2')} skipped), {len(theirs)} lines, {len(wrong)} differ")
    return len(wrong)


def main():
    if not EVALB:
        print("skipped: YONA_EVALB does not name EVALB's program")
        sys.exit(77)
    if sys.argv[1:2] == ["--write"]:
        folder = Path(sys.argv[2])
        with tempfile.TemporaryDirectory() as name:
            report = evalb_output(Path(name), random_pairs(random.Random(7), 120))
            for part in ("gold", "test"):
                (folder / f"brackets.{part}").write_bytes((Path(name) / part).read_bytes())
        (folder / "brackets.evalb").write_text(report)
        return
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    rng = random.Random(seed)
    wrong = compare("random trees", random_pairs(rng, count))
    for _ in range(40):  # small corpora: totals that are 0, or not a number
        wrong += compare("few trees", random_pairs(rng, rng.randint(1, 12))[-rng.randint(1, 3):])
    treebank = [path for path in os.environ.get("YONA_TREEBANK", "").split(":") if path]
    if treebank:
        wrong += compare("treebank", treebank_pairs(rng, treebank))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
