"""A PyTorch training step of random tokens, timed: the peer of `yona bench train`.

  python3 bench/peers/torch_train.py --preset base --vocab-size 37056 --tokens 2000 --threads 2
  python3 bench/peers/torch_train.py --preset base --tokens 25000 --device cuda --compile --steps 30 --warmup 10

--ragged pads unequal sentences (the lengths that `yona bench train --ragged` draws: uniform from a
quarter to seven quarters of the mean) to the longest of the batch, after sorting by length into
batches, as practitioners do. --compile compiles model and loss; the warm-up must be long enough for
it. On a GPU the step is timed to its end. One line of JSON."""
import argparse
import json
import statistics

import torch
import torch.nn.functional as F

from torch_model import Transformer
from torch_timing import add_device_flags, autocast, prepare, run_facts, seconds_of


def lengths(count, mean, ragged, generator):
    if not ragged:
        return torch.full((count,), mean)
    return torch.randint(mean // 4, mean // 4 + mean * 3 // 2 + 1, (count,), generator=generator)


def batch(a, generator):
    """One padded batch; with --ragged, of sentences whose lengths are neighbours in a sorted pool,
    as token-budget batching with length buckets gives them."""
    sentences = max(1, a.tokens // a.tgt_len)
    source = lengths(sentences * 16, a.src_len, a.ragged, generator)
    target = lengths(sentences * 16, a.tgt_len, a.ragged, generator)
    order = torch.argsort(torch.maximum(source, target) * 1000 + source)
    first = int(torch.randint(0, sentences * 15 + 1, (1,), generator=generator))
    picked, total = [], 0
    for i in order[first:].tolist():
        if picked and total + int(target[i]) > a.tokens:
            break
        picked.append(i)
        total += int(target[i])
    s, t = source[picked], target[picked]
    ids = lambda n: torch.randint(4, a.vocab_size, (len(picked), n), generator=generator)
    source_ids, target_ids = ids(int(s.max())), ids(int(t.max()) + 1)
    mask = (torch.arange(source_ids.shape[1])[None] < s[:, None])[:, None, None] if a.ragged else None
    labels = target_ids[:, 1:].clone()
    labels[torch.arange(labels.shape[1])[None] >= t[:, None]] = -100
    tensors = [source_ids, target_ids[:, :-1].contiguous(), labels, mask]
    return [x if x is None else x.to(a.device) for x in tensors], int(t.sum())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--preset", default="base")
    p.add_argument("--vocab-size", type=int, default=37056)
    p.add_argument("--src-len", type=int, default=32)
    p.add_argument("--tgt-len", type=int, default=32)
    p.add_argument("--tokens", type=int, default=2000)
    p.add_argument("--ragged", action="store_true")
    add_device_flags(p)
    p.add_argument("--compile", action="store_true")
    p.add_argument("--steps", type=int, default=8)
    p.add_argument("--warmup", type=int, default=2)
    a = p.parse_args()
    prepare(a)
    model = Transformer(a.vocab_size, a.preset, dropout=0.1).to(a.device)
    adam = torch.optim.Adam(model.parameters(), 1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
    generator = torch.Generator().manual_seed(1)
    batches = [batch(a, generator) for _ in range(8 if a.ragged else 4)]

    def loss_of(source, target_in, labels, mask):
        logits = model(source, target_in, mask)
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=0.1)

    loss_function = torch.compile(loss_of, dynamic=True if a.ragged else None) if a.compile else loss_of
    losses = []

    def train(tensors):
        with autocast(a):
            loss = loss_function(*tensors)
        loss.backward()
        adam.step()
        adam.zero_grad(set_to_none=True)
        losses.append(loss.detach())

    rates, seconds = [], []
    for step in range(a.warmup + a.steps):
        tensors, tokens = batches[step % len(batches)]
        took = seconds_of(lambda: train(tensors), a.device)
        if step >= a.warmup:
            seconds.append(took)
            rates.append(tokens / took)
    print(json.dumps(run_facts(a) | dict(
        preset=a.preset, src_len=a.src_len, tgt_len=a.tgt_len, ragged=a.ragged, compile=a.compile,
        ms=round(statistics.median(seconds) * 1e3, 2), tgt_tok_s=round(statistics.median(rates), 1),
        loss=round(losses[-1].item(), 3))), flush=True)


if __name__ == "__main__":
    main()
