"""A PyTorch training step of random tokens, timed: the peer of `yona bench train`.

  python3 bench/peers/torch_train.py --preset base --vocab-size 37056 --tokens 2000 --threads 2

--ragged pads unequal sentences (the lengths that `yona bench train --ragged` draws: uniform from a
quarter to seven quarters of the mean) to the longest of the batch, after sorting by length into
batches, as practitioners do. One line of JSON."""
import argparse
import json
import resource
import statistics
import time

import torch
import torch.nn.functional as F

from torch_model import Transformer


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
    return source_ids, target_ids[:, :-1].contiguous(), labels, mask, int(t.sum())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--preset", default="base")
    p.add_argument("--vocab-size", type=int, default=37056)
    p.add_argument("--src-len", type=int, default=32)
    p.add_argument("--tgt-len", type=int, default=32)
    p.add_argument("--tokens", type=int, default=2000)
    p.add_argument("--ragged", action="store_true")
    p.add_argument("--dtype", default="float32", choices=["float32", "bfloat16"])
    p.add_argument("--threads", type=int, default=0)
    p.add_argument("--steps", type=int, default=8)
    p.add_argument("--warmup", type=int, default=2)
    a = p.parse_args()
    if a.threads:
        torch.set_num_threads(a.threads)
    torch.manual_seed(0)
    model = Transformer(a.vocab_size, a.preset, dropout=0.1)
    adam = torch.optim.Adam(model.parameters(), 1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
    generator = torch.Generator().manual_seed(1)
    batches = [batch(a, generator) for _ in range(8 if a.ragged else 4)]
    rates, seconds = [], []
    for step in range(a.warmup + a.steps):
        source, target_in, labels, mask, tokens = batches[step % len(batches)]
        start = time.perf_counter()
        with torch.autocast("cpu", torch.bfloat16, enabled=a.dtype == "bfloat16"):
            logits = model(source, target_in, mask)
            loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=0.1)
        loss.backward()
        adam.step()
        adam.zero_grad(set_to_none=True)
        if step >= a.warmup:
            seconds.append(time.perf_counter() - start)
            rates.append(tokens / seconds[-1])
    print(json.dumps(dict(
        engine="pytorch " + torch.__version__, preset=a.preset, ragged=a.ragged, dtype=a.dtype,
        threads=torch.get_num_threads(), ms=round(statistics.median(seconds) * 1e3, 2),
        tgt_tok_s=round(statistics.median(rates), 1),
        mem_gb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        loss=round(loss.item(), 3))), flush=True)


if __name__ == "__main__":
    main()
