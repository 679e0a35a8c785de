"""The paper's Transformer in PyTorch as a practitioner writes it for speed: fused QKV products,
scaled_dot_product_attention, padded batches with masks. The peer that yona is measured against."""
import math

import torch
import torch.nn.functional as F
from torch import nn

PRESETS = {  # layers, d_model, heads, d_ff, dropout
    "tiny": (4, 128, 4, 256, 0.3),
    "iwslt": (6, 512, 4, 1024, 0.3),
    "base": (6, 512, 8, 2048, 0.1),
    "big": (6, 1024, 16, 4096, 0.3),
}


class Attention(nn.Module):
    def __init__(self, d, heads, dropout, packed):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.inputs = nn.Linear(d, 3 * d) if packed else None
        self.query = None if packed else nn.Linear(d, d)
        self.memory = None if packed else nn.Linear(d, 2 * d)
        self.output = nn.Linear(d, d)

    def forward(self, x, memory=None, mask=None, causal=False):
        if memory is None:
            q, k, v = self.inputs(x).chunk(3, -1)
        else:
            q, (k, v) = self.query(x), self.memory(memory).chunk(2, -1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))
        p = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, mask, p, is_causal=causal)
        return self.output(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, d, heads, d_ff, dropout, attention_dropout, decoder, pre_norm):
        super().__init__()
        self.pre_norm, self.dropout = pre_norm, nn.Dropout(dropout)
        self.own = Attention(d, heads, attention_dropout, True)
        self.cross = Attention(d, heads, attention_dropout, False) if decoder else None
        self.inner, self.outer = nn.Linear(d, d_ff), nn.Linear(d_ff, d)
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(3 if decoder else 2))

    def around(self, x, norm, function):
        if self.pre_norm:
            return x + self.dropout(function(norm(x)))
        return norm(x + self.dropout(function(x)))

    def forward(self, x, memory=None, mask=None):
        causal = self.cross is not None
        x = self.around(x, self.norms[0],
                        lambda y: self.own(y, mask=None if causal else mask, causal=causal))
        if causal:
            x = self.around(x, self.norms[1], lambda y: self.cross(y, memory, mask=mask))
        return self.around(x, self.norms[-1], lambda y: self.outer(F.relu(self.inner(y))))


class Transformer(nn.Module):
    def __init__(self, vocabulary, preset="base", dropout=None, attention_dropout=None,
                 pre_norm=False, positions=1024):
        super().__init__()
        layers, d, heads, d_ff, default = PRESETS[preset]
        dropout = default if dropout is None else dropout
        attention_dropout = dropout if attention_dropout is None else attention_dropout
        self.d, self.dropout = d, nn.Dropout(dropout)
        self.table = nn.Embedding(vocabulary, d)
        make = lambda decoder: nn.ModuleList(
            Layer(d, heads, d_ff, dropout, attention_dropout, decoder, pre_norm)
            for _ in range(layers))
        self.encoder, self.decoder = make(False), make(True)
        self.ends = nn.ModuleList(nn.LayerNorm(d) if pre_norm else nn.Identity() for _ in range(2))
        angle = (torch.arange(positions)[:, None] /
                 10000 ** (torch.arange(0, d, 2)[None] / d))
        self.register_buffer("sinusoids", torch.cat([angle.sin(), angle.cos()], -1))
        self.initialise()

    def initialise(self):
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.zeros_(module.bias)
                for part in module.weight.split(self.d) if module.out_features % self.d == 0 \
                        and module.out_features in (2 * self.d, 3 * self.d) and \
                        module.in_features == self.d else [module.weight]:
                    nn.init.xavier_uniform_(part)
        nn.init.normal_(self.table.weight, std=self.d ** -0.5)

    def embed(self, ids):
        return self.dropout(self.table(ids) * math.sqrt(self.d) + self.sinusoids[:ids.shape[1]])

    def forward(self, source, target_in, mask=None):
        x = self.embed(source)
        for layer in self.encoder:
            x = layer(x, mask=mask)
        x, y = self.ends[0](x), self.embed(target_in)
        for layer in self.decoder:
            y = layer(y, x, mask)
        return F.linear(self.ends[1](y), self.table.weight)
