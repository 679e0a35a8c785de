"""A PyTorch training step of GPT-2, BERT or ViT on random input, timed: the peer of `yona bench train --task …`, with its flags.

  python3 bench/peers/torch_family.py --task language-model --device cuda --compile
  python3 bench/peers/torch_family.py --task masked-lm --len 128 --batch 192 --dropout 0.1 --device cuda --compile
  python3 bench/peers/torch_family.py --task image-classification --device cuda --compile

GPT-2 small: 12 layers, 768 wide, pre-norm. BERT base: the same, post-norm; 15 % of the tokens are predicted. ViT-S/16: 12 layers,
384 wide, pre-norm, 196 patches and [CLS]. As a practitioner writes them for speed: fused QKV products, scaled_dot_product_attention,
bf16 autocast, fused AdamW, gradient clipping. --layers and --width make them small enough for a CPU. One line of JSON."""
import argparse
import json
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from torch_model import Attention
from torch_timing import add_device_flags, autocast, median_seconds, prepare, run_facts

PATCH = 3 * 16 * 16  # values of a patch of 16 × 16 pixels


@dataclass
class Shape:
    width: int
    outputs: int  # pieces of the vocabulary, or classes
    length: int
    batch: int
    causal: bool = False
    pre_norm: bool = True


SHAPES = {
    "language-model": Shape(768, 50304, 1024, 24, causal=True),
    "masked-lm": Shape(768, 30592, 512, 48, pre_norm=False),
    "image-classification": Shape(384, 1000, 197, 256),
}


class Block(nn.Module):
    def __init__(self, shape, dropout):
        super().__init__()
        d = shape.width
        self.shape, self.dropout = shape, nn.Dropout(dropout)
        self.attention = Attention(d, d // 64, dropout, True)
        self.inner, self.outer = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(2))

    def feed_forward(self, x):
        return self.outer(F.gelu(self.inner(x), approximate="tanh" if self.shape.causal else "none"))

    def forward(self, x):
        attend = lambda y: self.attention(y, causal=self.shape.causal)
        for norm, part in zip(self.norms, (attend, self.feed_forward)):
            if self.shape.pre_norm:
                x = x + self.dropout(part(norm(x)))
            else:
                x = norm(x + self.dropout(part(x)))
        return x


class Model(nn.Module):
    """loss(input, labels, predicted): `predicted` are the rows of tokens that a masked language model predicts."""

    def __init__(self, task, shape, layers, dropout):
        super().__init__()
        self.task, d = task, shape.width
        pictures = task == "image-classification"
        self.input = nn.Linear(PATCH, d) if pictures else nn.Embedding(shape.outputs, d)
        self.cls = nn.Parameter(torch.zeros(1, 1, d)) if pictures else None
        self.positions = nn.Parameter(torch.randn(shape.length, d) * 0.02)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(shape, dropout) for _ in range(layers))
        self.end = nn.LayerNorm(d) if shape.pre_norm else nn.Identity()
        self.output = nn.Linear(d, shape.outputs, bias=not shape.causal)
        nn.init.normal_(self.input.weight, std=0.02)
        if not pictures:
            self.output.weight = self.input.weight

    def forward(self, x, labels, predicted):
        x = self.input(x)
        if self.cls is not None:
            x = torch.cat([self.cls.expand(len(x), -1, -1).to(x.dtype), x], 1)
        x = self.dropout(x + self.positions)
        for block in self.blocks:
            x = block(x)
        x = self.end(x)
        if self.task == "image-classification":
            x = x[:, 0]
        else:
            x = x.flatten(0, 1)
            x = x if predicted is None else x[predicted]
        return F.cross_entropy(self.output(x).float(), labels)


def random_batch(task, shape, device):
    if task == "image-classification":
        pictures = torch.randn(shape.batch, shape.length - 1, PATCH, device=device)
        return pictures, torch.randint(shape.outputs, (shape.batch,), device=device), None
    tokens = shape.batch * shape.length
    x = torch.randint(shape.outputs, (shape.batch, shape.length), device=device)
    predicted = torch.randperm(tokens, device=device)[:tokens * 15 // 100] if task == "masked-lm" else None
    count = tokens if predicted is None else len(predicted)
    return x, torch.randint(shape.outputs, (count,), device=device), predicted


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--task", default="language-model", choices=SHAPES)
    p.add_argument("--len", type=int, dest="length", help="default 1024, of masked-lm 512")
    p.add_argument("--batch", type=int, help="texts (default 24, of masked-lm 48) or pictures (256)")
    p.add_argument("--dropout", type=float, default=0.0)
    p.add_argument("--layers", type=int, default=12)
    p.add_argument("--width", type=int, help="a multiple of 64")
    p.add_argument("--compile", action="store_true")
    p.add_argument("--steps", type=int, default=30)
    p.add_argument("--warmup", type=int, default=8)
    add_device_flags(p)
    a = p.parse_args()
    prepare(a)
    shape = SHAPES[a.task]
    for name in ("length", "batch", "width"):
        setattr(shape, name, getattr(a, name) or getattr(shape, name))
    model = Model(a.task, shape, a.layers, a.dropout).to(a.device).train()
    adam = torch.optim.AdamW(model.parameters(), 1e-4, fused=True)
    loss_of = torch.compile(model) if a.compile else model
    batch = random_batch(a.task, shape, a.device)
    losses = []

    def step():
        with autocast(a):
            loss = loss_of(*batch)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        adam.zero_grad(set_to_none=True)
        losses.append(loss.detach())

    s = median_seconds(step, a.device, a.steps, a.warmup)
    print(json.dumps(run_facts(a) | dict(
        task=a.task, layers=a.layers, width=shape.width, len=shape.length, batch=shape.batch, compile=a.compile,
        parameters=sum(x.numel() for x in model.parameters()), ms=round(s * 1e3, 2),
        tok_s=round(shape.batch * shape.length / s, 1), per_s=round(shape.batch / s, 1),
        loss=round(losses[-1].item(), 3))), flush=True)


if __name__ == "__main__":
    main()
