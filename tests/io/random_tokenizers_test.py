"""Random tokenizer.json files, read by yona and by Hugging Face's tokenizers, and random .spm files, read by yona
and by SentencePiece: the same ids of random texts.

usage: random_tokenizers_test.py [TEST_IO]   TEST_IO is the built program test_io; without it, the one beside
                                             the program that YONA_PROGRAM names (as in ctest)
       random_tokenizers_test.py --write DIR   writes the few that tests/fixtures/random_tokenizers keeps

Unigram models whose pieces have equal or almost equal scores, so that many segmentations are equally good; BPE
with merges in any order, repeated, and with several ways to a piece; byte-level BPE; WordPiece. Each with bytes
for unknown characters or without, unknown ones in a row one piece or several, marks inside words, and every
way to treat spaces. random_tokenizers_test.cc compares. Exits with 77 (skipped) where a package is missing.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import sentencepiece
    import tokenizers
    from sentencepiece import sentencepiece_model_pb2 as protocol
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

CORE = ["<s>", "<pad>", "</s>", "<unk>"]
LETTERS = "aabbcde.é日"
UNKNOWN = "xyß☃😀"
MARK = "▁"
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def text_of(rng, added, letters=LETTERS + UNKNOWN):
    """Runs of a few characters, which many pieces fit, and now and then a special token."""
    parts = []
    for _ in range(rng.randint(1, 12)):
        kind = rng.random()
        if kind < 0.22:
            parts.append(rng.choice([" ", " ", " ", "  ", "   "]))
        elif kind < 0.24:
            parts.append(rng.choice(["\t", "\n", "\u00a0", MARK, " \n"]))
        elif kind < 0.28 and added:
            parts.append(rng.choice(added))
        elif kind < 0.55:
            parts.append(rng.choice(letters) * rng.randint(1, 7))
        else:
            parts.append("".join(rng.choice(letters) for _ in range(rng.randint(1, 9))))
    return "".join(parts)


def pieces_of(rng, count, longest=6):
    """Random pieces; not each character is one."""
    pieces = set(rng.sample(LETTERS + MARK, rng.randint(5, len(set(LETTERS)))))
    letters = "".join(sorted(pieces)) + MARK * 2
    while len(pieces) < count:
        pieces.add("".join(rng.choice(letters) for _ in range(rng.randint(1, longest))))
    return sorted(pieces)


SCORES = {
    "equal": lambda rng, piece: -1.0,
    "few": lambda rng, piece: float(-rng.randint(1, 3)),
    "by length": lambda rng, piece: -0.1 * len(piece),
    "tenths": lambda rng, piece: -rng.randint(1, 30) / 10,
    "thirds": lambda rng, piece: -rng.randint(1, 9) / 3 - 1e-15 * rng.randint(0, 2),
    "positive": lambda rng, piece: float(rng.randint(0, 4)),
    "random": lambda rng, piece: -rng.random() * 12,
    "large": lambda rng, piece: -1e6 - rng.randint(0, 3) * 1e-9,
}


def set_steps(rng, tokenizer):
    """How text is normalised and cut before the model. (yona does not know that a step has removed the first
    character of a text, after which the scheme "first" marks no word.)"""
    scheme = rng.choice(["always", "always", "first", "never"])
    steps = []
    if rng.random() < 0.3:
        steps.append(normalizers.Strip(left=False, right=True))
    if rng.random() < 0.5:
        steps.append(normalizers.Replace(Regex(" {2,}"), rng.choice([" ", MARK])))
    if rng.random() < 0.2 and scheme != "first":
        steps.append(normalizers.Replace(Regex(" +$"), ""))
    if rng.random() < 0.2:
        steps.append(normalizers.Replace(".", rng.choice(["e", "de"] if scheme == "first" else ["", "e", "de"])))
    if steps:
        tokenizer.normalizer = normalizers.Sequence(steps)
    space = pre_tokenizers.Metaspace(prepend_scheme=scheme, split=rng.random() < 0.6)
    if rng.random() < 0.4:
        space = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), space])
    tokenizer.pre_tokenizer = space
    tokenizer.decoder = decoders.Metaspace()


def add_tokens(rng, tokenizer):
    tokenizer.add_special_tokens(CORE)
    added = [AddedToken("<mask>", lstrip=rng.random() < 0.5, rstrip=rng.random() < 0.3, special=True, normalized=False),
             AddedToken("<m", special=True, normalized=False), AddedToken("[a]", special=False, normalized=False)]
    tokenizer.add_tokens(added)
    return [token.content for token in added]


def unigram(rng, scores):
    pieces = CORE + pieces_of(rng, rng.randint(20, 90))
    bytes_kept = rng.choice([[], [], BYTES, BYTES[:200]])
    score = SCORES[scores]
    vocabulary = [(piece, 0.0) for piece in CORE]
    vocabulary += [(piece, score(rng, piece)) for piece in pieces[len(CORE):]]
    vocabulary += [(piece, 0.0) for piece in bytes_kept]
    tokenizer = Tokenizer(models.Unigram(vocabulary, CORE.index("<unk>"), bool(bytes_kept)))
    set_steps(rng, tokenizer)
    return tokenizer, ["translation", "language model"]


def write_spm(folder, name, seed, scores, texts):
    """A unigram model of SentencePiece, with its ids: it adds scores in single precision."""
    rng = random.Random(f"{name} {seed}")
    bytes_kept = BYTES * rng.randint(0, 1)
    model = protocol.ModelProto()
    model.trainer_spec.model_type = 2 if scores == "merged" else 1
    model.trainer_spec.byte_fallback = bool(bytes_kept)
    model.trainer_spec.unk_id, model.trainer_spec.eos_id, model.trainer_spec.bos_id = 1, 0, -1
    model.normalizer_spec.add_dummy_prefix = rng.random() < 0.7
    model.normalizer_spec.remove_extra_whitespaces = rng.random() < 0.7
    kind = protocol.ModelProto.SentencePiece
    pieces = [("</s>", 0, kind.CONTROL), ("<unk>", 0, kind.UNKNOWN)]
    pieces += [(piece, SCORES["few" if scores == "merged" else scores](rng, piece), kind.NORMAL)
               for piece in pieces_of(rng, rng.randint(20, 90))]
    for text, score, sort in pieces + [(piece, 0, kind.BYTE) for piece in bytes_kept]:
        model.pieces.add(piece=text, score=score, type=sort)
    folder = Path(folder, f"{name.replace(' ', '-')}-{seed}")
    folder.mkdir(parents=True)
    (folder / "model.spm").write_bytes(model.SerializeToString())
    spm = sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())
    lines = list(dict.fromkeys(text_of(rng, []) for _ in range(texts)))
    return write_expected(folder, "sentencepiece " + sentencepiece.__version__, ["SentencePiece"], len(pieces),
                          [[line, spm.encode(line)] for line in lines])


def write_expected(folder, program, kinds, size, rows):
    (folder / "expected.json").write_text(json.dumps(
        {"origin": f"tests/io/random_tokenizers_test.py, {program}", "kinds": kinds, "size": size, "texts": rows},
        ensure_ascii=False, separators=(",", ":")) + "\n")
    return len(rows)


def grown(rng, symbols, count, continuation="", end=""):
    """Random merges: each joins two symbols or pieces that are there; some are named twice, and the last
    character of a piece keeps its end mark last."""
    pieces, merges = list(symbols), []
    for _ in range(count * 3):
        left, right = rng.choice(pieces), rng.choice(pieces)
        if continuation and not right.startswith(continuation):
            continue
        if end and left.endswith(end):
            continue
        whole = left + right[len(continuation):]
        if len(whole) > 8:
            continue
        if whole not in pieces:
            pieces.append(whole)
        merges.append((left, right))
    merges = merges[:]
    rng.shuffle(merges)
    return pieces, merges


def bpe(rng, kind):
    known = rng.sample(sorted(set(LETTERS)), rng.randint(5, len(set(LETTERS)))) + [MARK]
    continuation = "##" if kind == "continuation" else ""
    end = "</w>" if kind == "end" else ""
    symbols = known + [continuation + piece for piece in known] * bool(continuation)
    symbols += [piece + end for piece in known] * bool(end)
    pieces, merges = grown(rng, symbols, rng.randint(20, 80), continuation, end)
    whole = kind == "whole words"
    if whole:  # some that no merge makes
        pieces += [piece for piece in {rng.choice([MARK, ""]) + "".join(rng.choice(known) for _ in range(4))
                                       for _ in range(12)} if piece not in pieces]
    bytes_kept = rng.choice([[], BYTES, BYTES[:200]]) if kind == "bytes" else []
    rng.shuffle(pieces)
    vocabulary = {piece: i for i, piece in enumerate(CORE + pieces + bytes_kept)}
    more = {"continuing_subword_prefix": continuation} if continuation else {}
    more.update({"end_of_word_suffix": end} if end else {})
    unknown = None if kind == "no unknown" else "<unk>"
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, unk_token=unknown, fuse_unk=rng.random() < 0.5,
                                     byte_fallback=bool(bytes_kept), ignore_merges=whole, **more))
    set_steps(rng, tokenizer)
    return tokenizer, ["translation"]


def llama(rng, _):
    """As language models have it: spaces are written as marks by the normaliser or by Metaspace."""
    tokenizer, _ = bpe(rng, rng.choice(["bytes", "plain", "whole words", "no unknown"]))
    tokenizer.normalizer = normalizers.Sequence([])
    if rng.random() < 0.5:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend(MARK), normalizers.Replace(" ", MARK)])
        tokenizer = Tokenizer.from_str(json.dumps({**json.loads(tokenizer.to_str()), "pre_tokenizer": None}))
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=rng.choice(["first", "always", "never"]),
                                                           split=rng.random() < 0.5)
    return tokenizer, ["language model"]


def byte_level(rng, kind):
    symbols = sorted(pre_tokenizers.ByteLevel.alphabet())
    often = list("abcdeĠ.Ã©xy") + ["ĠĠ"]
    pieces, merges = grown(rng, often, rng.randint(20, 80))
    if kind == "whole words":
        pieces += ["".join(rng.choice(often[:6]) for _ in range(3)) for _ in range(15)]
    pieces = list(dict.fromkeys(symbols + pieces))
    vocabulary = {piece: i for i, piece in enumerate(CORE + pieces)}
    merges.append(("Ġ", "Ġ"))
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, ignore_merges=kind == "whole words"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=rng.random() < 0.5)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer, ["translation", "language model"]


def word_piece(rng, kind):
    letters = sorted(set(LETTERS + "äñÄ"))
    known = rng.sample(letters, rng.randint(6, len(letters)))
    pieces = set(known) | {"##" + piece for piece in rng.sample(known, len(known) - 2)}
    while len(pieces) < 80:
        pieces.add(rng.choice(["", "##"]) + "".join(rng.choice(known) for _ in range(rng.randint(1, 5))))
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {piece: i for i, piece in enumerate(special + sorted(pieces))}
    longest = {"max_input_chars_per_word": rng.randint(3, 8)} if kind == "short words" else {}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", **longest))
    tokenizer.normalizer = normalizers.BertNormalizer(
        lowercase=rng.random() < 0.5, strip_accents=rng.choice([None, True, False]), clean_text=rng.random() < 0.7)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(special)
    return tokenizer, ["encoder"]


def write(folder, name, seed, made, texts):
    rng = random.Random(f"{name} {seed}")
    tokenizer, kinds = made(rng)
    added = ["[MASK]"] if kinds == ["encoder"] else add_tokens(rng, tokenizer)
    folder = Path(folder, f"{name.replace(' ', '-')}-{seed}")
    folder.mkdir(parents=True)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))  # as users have it
    lines = list(dict.fromkeys(text_of(rng, added) for _ in range(texts)))
    rows = [[line, tokenizer.encode(line, add_special_tokens=False).ids] for line in lines]
    return write_expected(folder, "tokenizers " + tokenizers.__version__, kinds,
                          tokenizer.get_vocab_size(with_added_tokens=True), rows)


FAMILIES = {f"unigram {name}": lambda rng, name=name: unigram(rng, name) for name in SCORES}
FAMILIES.update({f"bpe {kind}": lambda rng, kind=kind: bpe(rng, kind)
                 for kind in ("plain", "bytes", "continuation", "end", "whole words", "no unknown")})
FAMILIES["llama"] = lambda rng: llama(rng, None)
FAMILIES.update({f"byte level {kind}": lambda rng, kind=kind: byte_level(rng, kind)
                 for kind in ("plain", "whole words")})
FAMILIES.update({f"word piece {kind}": lambda rng, kind=kind: word_piece(rng, kind)
                 for kind in ("plain", "short words")})
KEPT = ["unigram few", "unigram tenths", "bpe bytes", "bpe continuation", "bpe whole words", "llama",
        "word piece short words"]
SEEDS, LINES = 8, 600


def main(arguments):
    if arguments[:1] == ["--write"]:
        for name in KEPT:
            write(arguments[1], name, 1, FAMILIES[name], 40)
        return
    program = (arguments[0] if arguments
               else Path(os.environ["YONA_PROGRAM"]).parent / "tests" / "test_io")
    with tempfile.TemporaryDirectory() as root:
        count = sum(write(root, name, seed, made, LINES) for name, made in FAMILIES.items() for seed in range(SEEDS))
        print(f"{count} texts, {len(FAMILIES) * SEEDS} tokenisers, tokenizers {tokenizers.__version__}")
        count = sum(write_spm(root, f"sentencepiece {scores}", seed, scores, LINES)
                    for scores in [*SCORES, "merged"] for seed in range(SEEDS))
        print(f"{count} texts, {(len(SCORES) + 1) * SEEDS} models, sentencepiece {sentencepiece.__version__}",
              flush=True)
        subprocess.run([program, "--gtest_filter=RandomTokenizers.*"], check=True,
                       env=dict(os.environ, YONA_TOKENIZERS=root))


if __name__ == "__main__":
    main(sys.argv[1:])
