"""Marian training steps of generated text, timed: the peer that people train on CPUs with.

  python3 bench/peers/marian_train.py --preset base --vocab-size 37056 --tokens 2000 --threads 2

The sizes, dropout, label smoothing, tied embeddings and tokens of an update are those of
`yona bench train`; text is words drawn at random, every sentence of the same length. Marian's
threads are data parallel: each takes its share of the sentences of an update (--sync-sgd).
Needs pymarian. The rate is Marian's own: target words, </s> counted. One line of JSON."""
import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

PRESETS = {  # layers, d_model, heads, d_ff
    "tiny": (4, 128, 4, 256),
    "iwslt": (6, 512, 4, 1024),
    "base": (6, 512, 8, 2048),
    "big": (6, 1024, 16, 4096),
}


def write_corpus(a, folder, sentences):
    draw = random.Random(1)
    with open(os.path.join(folder, "vocabulary.yml"), "w", encoding="utf-8") as file:
        file.write("</s>: 0\n<unk>: 1\n")
        file.writelines(f"w{i}: {i}\n" for i in range(2, a.vocab_size))
    for name, length in (("source", a.src_len), ("target", a.tgt_len)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            for _ in range(sentences):
                words = (f"w{draw.randrange(2, a.vocab_size)}" for _ in range(length - 1))
                file.write(" ".join(words) + "\n")


def options(a, folder, sentences):
    layers, d_model, heads, d_ff = PRESETS[a.preset]
    path = lambda name: os.path.join(folder, name)
    return " ".join(str(word) for word in [
        "--type transformer --tied-embeddings-all --label-smoothing 0.1",
        "--transformer-dropout 0.1 --transformer-dropout-attention 0.1",
        "--optimizer adam --optimizer-params 0.9 0.98 1e-09 --learn-rate 1e-4",
        "--dim-emb", d_model, "--transformer-heads", heads, "--transformer-dim-ffn", d_ff,
        "--enc-depth", layers, "--dec-depth", layers,
        "--train-sets", path("source"), path("target"),
        "--vocabs", path("vocabulary.yml"), path("vocabulary.yml"),
        "--dim-vocabs", a.vocab_size, a.vocab_size, "--max-length", max(a.src_len, a.tgt_len) + 1,
        "--model", path("model.npz"), "--overwrite", "--save-freq 1000000u",
        "--cpu-threads", a.threads, "--sync-sgd", "--mini-batch", sentences,
        "--mini-batch-fit=false --maxi-batch 10 --shuffle none", "--workspace", a.workspace,
        "--disp-freq 1u --after-batches", a.warmup + a.steps])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--preset", default="base", choices=PRESETS)
    p.add_argument("--vocab-size", type=int, default=37056)
    p.add_argument("--src-len", type=int, default=32, help="</s> included")
    p.add_argument("--tgt-len", type=int, default=32)
    p.add_argument("--tokens", type=int, default=2000, help="target tokens of an update")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--steps", type=int, default=5)
    p.add_argument("--warmup", type=int, default=1)
    p.add_argument("--workspace", type=int, default=4000, help="MB of Marian's work space")
    a = p.parse_args()
    sentences = max(1, a.tokens // a.tgt_len)
    with tempfile.TemporaryDirectory(prefix="yona-marian-") as folder:
        write_corpus(a, folder, sentences * (a.warmup + a.steps + 1))
        code = f"from pymarian import Trainer; Trainer({options(a, folder, sentences)!r}).train()"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    log = run.stdout + run.stderr
    rates = [float(rate) for rate in re.findall(r"([\d.]+) words/s", log)][a.warmup:]
    if not rates:
        sys.exit(f"marian printed no speed; it ended with {run.returncode}: {log[-600:]}")
    tokens = re.findall(r"@ ([\d,]+) after", log)
    if tokens and int(tokens[-1].replace(",", "")) != sentences * a.tgt_len:
        sys.exit(f"marian's update has {tokens[-1]} target tokens, not {sentences * a.tgt_len}")
    version = re.search(r"Marian (v[\d.]+)", log)
    rate = statistics.median(rates)
    print(json.dumps(dict(
        engine="marian " + (version.group(1) if version else "?"), preset=a.preset,
        dtype="float32", threads=a.threads, batch=sentences,
        ms=round(sentences * a.tgt_len / rate * 1e3, 2),
        tgt_tok_s=round(rate, 1))), flush=True)


if __name__ == "__main__":
    main()
