#!/usr/bin/env python3
"""A layer of torch.nn.LSTM in a training step: the other side of bench_ops' lstm, and with --device cuda of cuda_lstm.

Sentences of 8 to 40 tokens as a packed sequence (no padding, as yona has it) and as a padded batch;
forward, and backward with the gradients of weights and inputs. One JSON line for each size.

    python3 bench/peers/torch_lstm.py --threads 2
    python3 bench/peers/torch_lstm.py --device cuda --sizes 256,512,1024 --sentences 84,512 [--dtype float32]
"""

import argparse
import json
import time

import torch

from torch_timing import add_device_flags, prepare

CALLS = {"cpu": 1, "cuda": 20}  # between two waits for the device, as bench_ops does


def best(step, device, seconds=1.0):
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    for _ in range(3):
        step()
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        wait()
        start = time.perf_counter()
        for _ in range(CALLS[device]):
            step()
        wait()
        times.append((time.perf_counter() - start) / CALLS[device])
    return min(times)


def measure(a, d, sentences):
    dtype = getattr(torch, a.dtype)
    lengths = [8 + s * 13 % 33 for s in range(sentences)]
    layer = torch.nn.LSTM(d, d).to(a.device, dtype)
    rows = [(torch.rand(n, d) - 0.5).to(a.device, dtype) for n in lengths]
    packed = torch.nn.utils.rnn.pack_sequence(rows, enforce_sorted=False)
    data = packed.data.clone().requires_grad_()
    padded = torch.nn.utils.rnn.pad_sequence(rows).requires_grad_()
    mask = torch.nn.utils.rnn.pad_sequence([torch.ones(n, 1) for n in lengths]).to(a.device, dtype)

    def packed_step():
        layer.zero_grad()
        data.grad = None
        y, _ = layer(packed._replace(data=data))
        y.data.sum().backward()

    def padded_step():
        layer.zero_grad()
        padded.grad = None
        y, _ = layer(padded)
        (y * mask).sum().backward()

    return {"d": d, "sentences": sentences, "tokens": sum(lengths), "device": a.device, "dtype": a.dtype,
            "threads": torch.get_num_threads(), "packed_us": round(best(packed_step, a.device) * 1e6),
            "padded_us": round(best(padded_step, a.device) * 1e6)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_device_flags(parser)
    parser.add_argument("--sizes", default="128,256,512")
    parser.add_argument("--sentences", default="84")
    a = parser.parse_args()
    prepare(a)
    for d in map(int, a.sizes.split(",")):
        for sentences in map(int, a.sentences.split(",")):
            print(json.dumps(measure(a, d, sentences)), flush=True)


if __name__ == "__main__":
    main()
