"""What a reader of the documentation would have made before: the files and small models that its commands take (commands_test.py).

Text (train, valid, test, news and my, .en and .de), tables with labels (train.tsv, dev.tsv, test.tsv), plain texts (text.txt, prompts.txt
and others), trees, word alignments, pictures, and models: `my-model`, and `run`, the same; a small `gpt2`; and fixtures named after models
of the hub, as the pages name them.
"""
import gzip
import shutil
import struct
import subprocess

LINES = {"train": 2000, "valid": 60, "test": 40}
MODELS = {"bert-base-uncased": "encoders/bert-masked-lm", "all-MiniLM-L6-v2": "encoders/bert-classes",
          "my-classifier": "encoders/bert-classes", "nllb-200-distilled-600M": "families/nllb", "vit-base": "vit/vit"}


def make_material(folder, program, source):
    """Texts and a model, by the commands that the tutorial teaches."""
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([program, "demo", "--text-only", "--output", folder / "all"], **quiet)
    for name, count in LINES.items():
        for language in ("en", "de"):
            with open(folder / f"all/{name}.{language}", encoding="utf-8") as text:
                (folder / f"{name}.{language}").write_text("".join(text.readlines()[:count]), encoding="utf-8")
    shutil.rmtree(folder / "all")
    for language in ("en", "de"):
        for copy in ("news", "my"):
            shutil.copy(folder / f"test.{language}", folder / f"{copy}.{language}")
    subprocess.run([program, "train", "--train-src", "train.en", "--train-tgt", "train.de", "--valid-src", "valid.en",
                    "--valid-tgt", "valid.de", "--src-lang", "en", "--tgt-lang", "de", "--preset", "tiny", "--updates", "60",
                    "--batch-tokens", "1024", "--set", "train.warmup=20", "--set", "train.save_every=20",
                    "--output", "my-model"], cwd=folder, **quiet)
    shutil.copytree(folder / "my-model", folder / "run", symlinks=True)
    make_texts(folder)
    make_trees(folder)
    make_pictures(folder, source / "tests/fuzz/corpus/picture_fuzz")
    for name, fixture in MODELS.items():
        shutil.copytree(source / "tests/fixtures" / fixture, folder / name)
    subprocess.run([program, "train", "--task", "language-model", "--train", "text.txt", "--preset", "char-small", "--set",
                    "model.layers=1", "--set", "model.max_positions=256", "--set", "train.warmup=5", "--updates", "20", "--output", "gpt2"], cwd=folder, **quiet)


def make_texts(folder):
    """What the pages on encoders and language models take."""
    lines = (folder / "train.en").read_text(encoding="utf-8").splitlines()
    for name, some in (("text", lines[:500]), ("held-out", lines[500:550]), ("reviews", lines[:5]), ("sentences", lines[:5]),
                       ("prompts", lines[:2])):
        (folder / f"{name}.txt").write_text("\n".join(some) + "\n", encoding="utf-8")
    for name, some in (("train", lines[:100]), ("dev", lines[100:120])):
        rows = [f"{'short' if len(line) < 30 else 'long'}\t{line}" for line in some]
        (folder / f"{name}.tsv").write_text("\n".join(["label\tsentence", *rows]) + "\n", encoding="utf-8")
    labels = ["bad", "fair", "good"]
    (folder / "texts.txt").write_text("\n".join(lines[:6]) + "\n", encoding="utf-8")
    (folder / "test.tsv").write_text("\n".join(["label\tsentence"] + [f"{labels[i % 3]}\t{lines[i]}" for i in range(6)]) + "\n",
                                     encoding="utf-8")
    (folder / "similarity.tsv").write_text("pair\tscore\na\t4.5\nb\t1\nc\t3\n", encoding="utf-8")
    (folder / "values.txt").write_text("0.9\n0.2\n0.4\n", encoding="utf-8")
    (folder / "test.align").write_text("0-0\n" * LINES["test"], encoding="utf-8")
    (folder / "my.yaml").write_text("train:\n  warmup: 100\n  udpates: 300\n", encoding="utf-8")


def make_trees(folder):
    """The two sentences of docs/scoring.md."""
    (folder / "gold.mrg").write_text(
        "( (S\n    (NP-SBJ (DT The) (NN gardener) )\n    (VP (VBD saw)\n      (NP (DT a) (NN fox) )\n"
        "      (PP (IN behind) (NP (DT the) (NN shed) )))\n    (. .) ))\n"
        "( (S\n    (NP-SBJ-1 (PRP She) )\n    (VP (VBD closed) (NP (DT the) (NN gate) ) (ADVP (RB quietly) ))\n    (. .) ))\n",
        encoding="utf-8")
    (folder / "parsed.txt").write_text(
        "(S (NP (DT The) (NN gardener)) (VP (VBD saw) (NP (NP (DT a) (NN fox)) (PP (IN behind) (NP (DT the) (NN shed))))) (. .))\n"
        "(S (NP (PRP She)) (VP (VBD closed) (NP (DT the) (NN gate)) (PRT (RB quietly))) (. .))\n", encoding="utf-8")


def make_pictures(folder, samples):
    """IDX files of 12 × 12 pixels in three classes, and folders of small pictures."""
    for name, count in (("train", 30), ("t10k", 6)):
        pixels = bytes(i // 144 % 3 * 100 + i % 50 for i in range(count * 144))
        pictures = struct.pack(">BBBBIII", 0, 0, 8, 3, count, 12, 12) + pixels
        labels = struct.pack(">BBBBI", 0, 0, 8, 1, count) + bytes(i % 3 for i in range(count))
        (folder / f"{name}-images-idx3-ubyte.gz").write_bytes(gzip.compress(pictures))
        (folder / f"{name}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(labels))
    for part in ("train", "valid"):
        for label, files in (("cat", ("rgba.png", "grey.jpg")), ("dog", ("palette.png", "progressive.jpg"))):
            (folder / "pets" / part / label).mkdir(parents=True)
            for file in files:
                shutil.copy(samples / file, folder / "pets" / part / label)
    shutil.copy(samples / "rgba.png", folder / "boot.png")
    shutil.copy(samples / "turned.jpg", folder / "coat.jpg")
