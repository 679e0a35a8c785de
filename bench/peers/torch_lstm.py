#!/usr/bin/env python3
"""A layer of torch.nn.LSTM in a training step on a CPU: the other side of bench_ops' lstm.

Sentences of 8 to 40 tokens as a packed sequence (no padding, as yona has it) and as a padded batch;
forward, and backward with the gradients of weights and inputs. One JSON line for each size.

    python3 bench/peers/torch_lstm.py --threads 2
"""

import argparse
import json
import time

import torch


def best(step, seconds=1.0):
    step()
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sizes", default="128,256,512")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    lengths = [8 + s * 13 % 33 for s in range(84)]
    for d in map(int, args.sizes.split(",")):
        layer = torch.nn.LSTM(d, d)
        rows = [torch.rand(n, d) - 0.5 for n in lengths]
        packed = torch.nn.utils.rnn.pack_sequence(rows, enforce_sorted=False)
        data = packed.data.clone().requires_grad_()
        padded = torch.nn.utils.rnn.pad_sequence(rows).requires_grad_()
        mask = torch.nn.utils.rnn.pad_sequence([torch.ones(n, 1) for n in lengths])

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

        print(json.dumps({"d": d, "threads": args.threads, "tokens": sum(lengths),
                          "packed_us": round(best(packed_step) * 1e6),
                          "padded_us": round(best(padded_step) * 1e6)}), flush=True)


if __name__ == "__main__":
    main()
