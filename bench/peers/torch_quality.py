"""Trains the PyTorch peer on real text with the settings and sub-words of a yona run, and prints the
validation loss (not smoothed, nats per target byte) against target tokens seen.

  python3 bench/peers/torch_quality.py --subwords RUN/source.spm --data DIR --updates 2000

Works on a CPU or a GPU; the numbers do not depend on which beyond rounding."""
import argparse
import json
import math
import os
import random
import time

import sentencepiece
import torch
import torch.nn.functional as F

from torch_model import Transformer


def read(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\r\n") for line in file]


def pairs_of(spm, prefix, source, target):
    encode = lambda lines: [ids + [0] for ids in spm.encode(lines)]
    return list(zip(encode(read(f"{prefix}.{source}")), encode(read(f"{prefix}.{target}"))))


def padded(rows, pad, device):
    width = max(map(len, rows))
    return torch.tensor([r + [pad] * (width - len(r)) for r in rows], device=device)


def batches_of(pairs, budget, rng=None):
    order = sorted(range(len(pairs)), key=lambda i: max(map(len, pairs[i])) + (rng.random() if rng else 0))
    batches, batch, s, t = [], [], 0, 0
    for i in order:
        a, b = map(len, pairs[i])
        if batch and max(s + a, t + b) > budget:
            batches.append(batch)
            batch, s, t = [], 0, 0
        batch.append(i)
        s, t = s + a, t + b
    batches.append(batch)
    if rng:
        rng.shuffle(batches)
    return batches


def losses(model, pairs, picked, pad, device, smoothing):
    source = padded([pairs[i][0] for i in picked], pad, device)
    target = padded([pairs[i][1] for i in picked], pad, device)
    start = torch.full((len(picked), 1), pad, device=device)
    inputs = torch.cat([start, target[:, :-1]], 1)
    logits = model(source, inputs, (source != pad)[:, None, None])[..., :pad]  # <pad> never comes out
    labels = target.masked_fill(target == pad, -100).flatten()
    return F.cross_entropy(logits.flatten(0, 1), labels, label_smoothing=smoothing,
                           reduction="sum"), int((labels >= 0).sum())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--subwords", required=True)
    p.add_argument("--data", required=True, help="folder with train.* and valid.* as plain text")
    p.add_argument("--source", default="en")
    p.add_argument("--target", default="de")
    p.add_argument("--preset", default="tiny")
    p.add_argument("--dropout", type=float, default=0.3)
    p.add_argument("--attention-dropout", type=float, default=0.0)
    p.add_argument("--batch-tokens", type=int, default=4096)
    p.add_argument("--updates", type=int, default=2000)
    p.add_argument("--rate", type=float, default=1.0, help="factor on the paper's eq. 3")
    p.add_argument("--warmup", type=int, default=1000)
    p.add_argument("--valid-every", type=int, default=250)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    a = p.parse_args()
    torch.manual_seed(a.seed)
    rng = random.Random(a.seed)
    spm = sentencepiece.SentencePieceProcessor(model_file=a.subwords)
    pad = spm.get_piece_size()
    train = pairs_of(spm, os.path.join(a.data, "train"), a.source, a.target)
    valid = pairs_of(spm, os.path.join(a.data, "valid"), a.source, a.target)
    valid_bytes = sum(len(line.encode()) for line in read(os.path.join(a.data, f"valid.{a.target}")))
    model = Transformer(pad + 1, a.preset, a.dropout, a.attention_dropout).to(a.device)
    with torch.no_grad():
        model.table.weight[pad].zero_()
    adam = torch.optim.Adam(model.parameters(), 1.0, betas=(0.9, 0.98), eps=1e-9)
    update, seen, start, queue = 0, 0, time.time(), []
    while update < a.updates:
        queue = queue or batches_of(train, a.batch_tokens, rng)
        update += 1
        rate = a.rate * model.d ** -0.5 * min(update ** -0.5, update * a.warmup ** -1.5)
        adam.param_groups[0]["lr"] = rate
        loss, tokens = losses(model, train, queue.pop(), pad, a.device, 0.1)
        seen += tokens
        (loss / tokens).backward()
        model.table.weight.grad[pad].zero_()
        adam.step()
        adam.zero_grad(set_to_none=True)
        if update % a.valid_every == 0 or update == a.updates:
            model.eval()
            with torch.no_grad():
                parts = [losses(model, valid, b, pad, a.device, 0.0) for b in batches_of(valid, 4096)]
            model.train()
            nats = sum(float(part[0]) for part in parts)
            print(json.dumps(dict(engine="pytorch " + torch.__version__, update=update, target_tokens=seen,
                                  loss=nats / sum(part[1] for part in parts),
                                  perplexity=math.exp(nats / sum(part[1] for part in parts)),
                                  nats_per_byte=nats / valid_bytes,
                                  seconds=round(time.time() - start, 1))), flush=True)


if __name__ == "__main__":
    main()
