"""Trains the paper's Transformer in PyTorch as a constituency parser on a treebank, and writes the parses of
the test part, one tree a line, for `yona score --metrics brackets`.

  python3 bench/peers/torch_parsing.py --data DIR/treebank-sample --subwords RUN/source.spm --output parses.txt \
    --preset small --pre-norm --updates 18000 --rate 0.0015 --valid-every 2000 --ema 0.999 \
    --sampling 0.1 --substitution 0.5 --device cuda

The settings above are those of recipes/parsing; RUN is a run of yona, whose sub-words are used. Trees and symbols
are those of yona with the same --leaves, and the model has the same shape. Training ends after --updates, or after
--seconds; the best model by F1 on the validation part is kept. The test part is parsed greedily and with a beam and
the paper's length penalty (--beam 21 --alpha 0.3); the trees of the latter are written. The searches keep no keys
and values: they are there for their trees, not for their speed. Standard error has the progress, standard output
one line of JSON."""
import argparse
import copy
import json
import lzma
import math
import pathlib
import random
import re
import sys
import time

import sentencepiece
import torch
import torch.nn.functional as F
from torch import nn

from torch_model import Layer

PUNCTUATION = {",", ":", "``", "''", "."}  # tags that EVALB leaves out
PRESETS = {"tiny": (4, 128, 512, 4), "small": (4, 256, 1024, 4), "paper": (4, 1024, 4096, 16)}  # layers … heads
PLAIN = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def read_trees(path):
    """Trees as nested lists [label, child…], leaves (tag, word); function tags and traces removed."""
    with (lzma.open if str(path).endswith(".xz") else open)(path, "rt", encoding="utf-8") as file:
        tokens = re.findall(r"[()]|[^\s()]+", file.read())
    stack, trees = [[]], []
    for token in tokens:
        if token == "(":
            stack.append([])
        elif token == ")":
            node = stack.pop()
            if isinstance(node[0], list):
                node.insert(0, "")
            stack[-1].append((node[0], node[1]) if isinstance(node[1], str) else node)
            if len(stack) == 1:
                trees.append(stack[0].pop())
        else:
            stack[-1].append(token)
    return [tree for tree in map(normalised, trees) if tree]


def clean(node):
    if isinstance(node, tuple):
        return None if node[0] == "-NONE-" else node
    children = [child for child in map(clean, node[1:]) if child]
    return [re.split("[-=]", node[0])[0] if node[0][:1] != "-" else node[0]] + children if children else None


def normalised(tree):
    tree = clean(tree)
    while tree and tree[0] in ("", "TOP", "ROOT", "S1") and len(tree) == 2 and isinstance(tree[1], list):
        tree = tree[1]
    if tree and tree[0] == "":
        tree[0] = "TOP"
    return tree


def leaves(node):
    return [node] if isinstance(node, tuple) else [leaf for child in node[1:] for leaf in leaves(child)]


def symbols(node, use_tags):
    if isinstance(node, tuple):
        return [node[0] if use_tags else "XX"]
    inner = [symbol for child in node[1:] for symbol in symbols(child, use_tags)]
    return ["(" + node[0]] + inner + [")" + node[0]]


def brackets(node):
    if isinstance(node, tuple):
        return f"({node[0]} {node[1]})"
    return f"({node[0]} {' '.join(map(brackets, node[1:]))})"


def tree_of(output, words):
    """The same repairs as yona's tree_from()."""
    root, used = ["TOP"], 0
    stack = [root]
    for symbol in output:
        if symbol.startswith("("):
            node = [symbol[1:]]
            stack[-1].append(node)
            stack.append(node)
        elif symbol.startswith(")"):
            if symbol[1:] in [node[0] for node in stack[1:]]:
                while stack.pop()[0] != symbol[1:]:
                    pass
        elif used < len(words):
            stack[-1].append((symbol, words[used]))
            used += 1
    prune(root)
    top = root[1] if len(root) == 2 and isinstance(root[1], list) else root
    top.extend(("XX", word) for word in words[used:])
    return top


def prune(node):
    for child in node[1:]:
        if isinstance(child, list):
            prune(child)
    node[1:] = [child for child in node[1:] if isinstance(child, tuple) or len(child) > 1]


def spans(tree):
    """Labelled spans as EVALB counts them: without punctuation and TOP, PRT as ADVP."""
    found, place = [], 0

    def walk(node):
        nonlocal place
        if isinstance(node, tuple):
            place += node[0] not in PUNCTUATION
            return
        begin = place
        for child in node[1:]:
            walk(child)
        if node[0] != "TOP" and place > begin:
            found.append((begin, place, "ADVP" if node[0] == "PRT" else node[0]))

    walk(tree)
    return found


def f1(gold, parsed):
    matched = wanted = given = 0
    for g, p in zip(gold, parsed):
        a, b = spans(with_gold_tags(g, g)), spans(with_gold_tags(p, g))
        wanted, given = wanted + len(a), given + len(b)
        for span in b:
            if span in a:
                a.remove(span)
                matched += 1
    return 200.0 * matched / max(1, wanted + given)


def with_gold_tags(tree, gold):
    tags = iter(tag for tag, _ in leaves(gold))

    def walk(node):
        return (next(tags), node[1]) if isinstance(node, tuple) else [node[0]] + [walk(child) for child in node[1:]]

    return walk(tree)


def size_class(words):
    return words if words <= 3 else 4 if words <= 5 else 5 if words <= 8 else 6


class Substitution:
    """Constituents replaced by others of the same label and about the same number of words, as yona's
    data.substitution does it."""
    MOST_WORDS = 12

    def __init__(self, trees):
        self.places = {}
        for tree in trees:
            for child in tree[1:]:
                self.collect(child)

    @classmethod
    def key(cls, node):
        words = len(leaves(node))
        return (node[0], size_class(words)) if words <= cls.MOST_WORDS else None

    def collect(self, node):
        if isinstance(node, list):
            self.places.setdefault(self.key(node), []).append(node)
            for child in node[1:]:
                self.collect(child)

    def draw(self, tree, probability, rng):
        def changed(node):
            if isinstance(node, tuple):
                return node
            key = self.key(node)
            if key and rng.random() < probability:
                return rng.choice(self.places[key])
            return [node[0]] + [changed(child) for child in node[1:]]

        return [tree[0]] + [changed(child) for child in tree[1:]]


class Parser(nn.Module):
    def __init__(self, words, outputs, a):
        super().__init__()
        self.d, self.dropout = a.d_model, nn.Dropout(a.dropout)
        self.words, self.outputs = nn.Embedding(words, self.d), nn.Embedding(outputs, self.d)
        make = lambda decoder: nn.ModuleList(
            Layer(self.d, a.heads, a.d_ff, a.dropout, a.attention_dropout, decoder, a.pre_norm)
            for _ in range(a.layers))
        self.encoder, self.decoder = make(False), make(True)
        self.ends = nn.ModuleList(nn.LayerNorm(self.d) if a.pre_norm else nn.Identity() for _ in range(2))
        angle = torch.arange(1024)[:, None] / 10000 ** (torch.arange(0, self.d, 2)[None] / self.d)
        self.register_buffer("sinusoids", torch.cat([angle.sin(), angle.cos()], -1))
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.xavier_uniform_(parameter)
        for table in (self.words, self.outputs):
            nn.init.normal_(table.weight, std=self.d ** -0.5)

    def embed(self, table, ids):
        return self.dropout(table(ids) * math.sqrt(self.d) + self.sinusoids[:ids.shape[1]])

    def encode(self, source, mask):
        x = self.embed(self.words, source)
        for layer in self.encoder:
            x = layer(x, mask=mask)
        return self.ends[0](x)

    def decode(self, target, memory, mask):
        y = self.embed(self.outputs, target)
        for layer in self.decoder:
            y = layer(y, memory, mask)
        return F.linear(self.ends[1](y), self.outputs.weight)


def padded(rows, pad, device):
    width = max(map(len, rows))
    return torch.tensor([row + [pad] * (width - len(row)) for row in rows], device=device)


def batches_of(pairs, budget, rng):
    order = sorted(range(len(pairs)), key=lambda i: max(map(len, pairs[i])) + 4 * rng.random())
    batches, batch, total = [], [], 0
    for i in order:
        size = max(map(len, pairs[i]))
        if batch and total + size > budget:
            batches.append(batch)
            batch, total = [], 0
        batch.append(i)
        total += size
    rng.shuffle(batches)
    return batches + [batch]


@torch.no_grad()
def beam_search(model, source, pad, a, beam, end=0, unknown=1):
    """One sentence; the paper's scores: log-probability / ((5 + length) / 6)^alpha."""
    device = next(model.parameters()).device
    memory = model.encode(torch.tensor([source], device=device), None)
    rows, scores, done = torch.full((1, 1), pad, device=device), torch.zeros(1, device=device), []
    for step in range(1, min(1000, len(source) + 300)):
        logits = model.decode(rows, memory.expand(len(rows), -1, -1), None)[:, -1]
        logits[:, [pad, unknown]] = -math.inf
        total = scores[:, None] + logits.float().log_softmax(-1)
        best, place = total.flatten().topk(min(2 * beam, total.numel()))
        parents, tokens = place // total.shape[1], place % total.shape[1]
        keep = []
        for score, parent, token in zip(best.tolist(), parents.tolist(), tokens.tolist()):
            if token == end:
                done.append((score / ((5 + step) / 6) ** a.alpha, rows[parent, 1:].tolist()))
            elif len(keep) < beam:
                keep.append((score, parent, token))
        limit = ((5 + len(source) + 300) / 6) ** a.alpha
        if len(done) >= beam or (done and max(done)[0] > keep[0][0] / limit):
            break
        rows = torch.cat([rows[[p for _, p, _ in keep]], torch.tensor([[t] for _, _, t in keep], device=device)], 1)
        scores = torch.tensor([s for s, _, _ in keep], device=device)
    return max(done)[1] if done else rows[0, 1:].tolist()


@torch.no_grad()
def greedy_search(model, sources, pad, end=0, unknown=1):
    device = next(model.parameters()).device
    source = padded(sources, pad[0], device)
    mask = (source != pad[0])[:, None, None]
    memory = model.encode(source, mask)
    rows = torch.full((len(sources), 1), pad[1], device=device)
    finished = torch.zeros(len(sources), dtype=torch.bool, device=device)
    for _ in range(min(1000, max(map(len, sources)) + 300)):
        logits = model.decode(rows, memory, mask)[:, -1]
        logits[:, [pad[1], unknown]] = -math.inf
        token = logits.argmax(-1).masked_fill(finished, end)
        finished |= token == end
        rows = torch.cat([rows, token[:, None]], 1)
        if finished.all():
            break
    return [row[:row.index(end)] if end in row else row for row in rows[:, 1:].tolist()]


def parse(model, part, pads, pieces, a, beam):
    model.eval()
    outputs = [None] * len(part)
    order = sorted(range(len(part)), key=lambda i: len(part[i][0]))
    for begin in range(0, len(order), 64):
        group = order[begin:begin + 64]
        found = greedy_search(model, [part[i][0] for i in group], pads) if beam == 1 else \
            [beam_search(model, part[i][0], pads[1], a, beam) for i in group]
        for i, ids in zip(group, found):
            outputs[i] = tree_of([pieces[id] for id in ids], [word for _, word in leaves(part[i][2])])
    model.train()
    return outputs


def training_pairs(trees, example, a, rng):
    """What an epoch learns from: constituents and sub-words are drawn again in each."""
    substitution = Substitution(trees) if a.substitution else None
    while True:
        drawn = [substitution.draw(tree, a.substitution, rng) for tree in trees] if substitution else trees
        pairs = [example(tree, a.sampling)[:2] for tree in drawn]
        yield [pair for pair in pairs if max(map(len, pair)) <= 512]


def train(model, epochs, valid, pads, pieces, a, rng):
    """The mean of the weights (--ema) is what is validated and kept."""
    mean = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(a.ema)) if a.ema else None
    optimiser = torch.optim.AdamW(model.parameters(), a.rate, betas=(0.9, 0.98), weight_decay=a.weight_decay)
    device, best = next(model.parameters()).device, (0.0, None)
    update, start, is_last = 0, time.time(), False
    while not is_last:
        pairs = next(epochs)
        for batch in batches_of(pairs, a.batch_tokens, rng):
            update += 1
            is_last = update >= a.updates or (a.seconds and time.time() - start >= a.seconds)
            for group in optimiser.param_groups:
                after = max(0.0, (update - a.warmup) / max(1, a.updates - a.warmup))
                group["lr"] = a.rate * min(update / a.warmup, 0.5 * (1 + math.cos(math.pi * min(1, after))))
            source = padded([pairs[i][0] for i in batch], pads[0], device)
            target = padded([pairs[i][1] for i in batch], pads[1], device)
            inputs = torch.cat([torch.full((len(batch), 1), pads[1], device=device), target[:, :-1]], 1)
            mask = (source != pads[0])[:, None, None]
            logits = model.decode(inputs, model.encode(source, mask), mask)[..., :pads[1]]
            loss = F.cross_entropy(logits.flatten(0, 1), target.masked_fill(target == pads[1], -100).flatten(),
                                   label_smoothing=a.smoothing)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            if mean:
                mean.update_parameters(model)
            if update % a.valid_every == 0 or is_last:
                kept = mean.module if mean else model
                score = f1([tree for _, _, tree in valid], parse(kept, valid, pads, pieces, a, 1))
                print(f"update {update}  loss {loss.item():.3f}  valid F1 {score:.2f}  "
                      f"{time.time() - start:.0f} s", file=sys.stderr, flush=True)
                if score >= best[0]:
                    best = (score, copy.deepcopy(kept.state_dict()))
            if is_last:
                break
    model.load_state_dict(best[1])
    return {"updates": update, "train_seconds": round(time.time() - start, 1), "valid_f1": round(best[0], 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--subwords", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--leaves", choices=("tags", "placeholders"), default="tags")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--preset", choices=PRESETS, default="tiny", help="layers and widths, as yona's presets")
    parser.add_argument("--seconds", type=float, default=0, help="train for so long at most; 0: all --updates")
    parser.add_argument("--pre-norm", action="store_true")
    for name, value in (("updates", 3000),
                        ("warmup", 400), ("batch-tokens", 4096), ("valid-every", 500), ("seed", 1), ("beam", 21),
                        ("threads", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    for name, value in (("dropout", 0.3), ("attention-dropout", 0.0), ("rate", 1e-3), ("smoothing", 0.1),
                        ("weight-decay", 0.0), ("alpha", 0.3), ("ema", 0.0),
                        ("sampling", 0.0), ("substitution", 0.0)):
        parser.add_argument("--" + name, type=float, default=value)
    a = parser.parse_args()
    a.layers, a.d_model, a.d_ff, a.heads = PRESETS[a.preset]
    torch.manual_seed(a.seed)
    torch.set_num_threads(a.threads)
    folder, spm = pathlib.Path(a.data), sentencepiece.SentencePieceProcessor(a.subwords)
    parts = {name: read_trees(next(folder.glob(name + ".mrg*"))) for name in ("train", "valid", "test")}
    all_symbols = sorted({s for tree in parts["train"] for s in symbols(tree, a.leaves == "tags")})
    pieces = ["</s>", "<unk>", *all_symbols, "<pad>"]
    ids = {piece: i for i, piece in enumerate(pieces)}
    pads = (spm.get_piece_size(), len(pieces) - 1)

    def example(tree, sampling=0.0):
        line = " ".join(PLAIN.get(word, word.replace("\\/", "/").replace("\\*", "*")) for _, word in leaves(tree))
        words = spm.encode(line, enable_sampling=sampling > 0, alpha=sampling, nbest_size=-1)
        return words + [0], [ids.get(s, 1) for s in symbols(tree, a.leaves == "tags")] + [0], tree

    rng = random.Random(a.seed)
    epochs = training_pairs(parts["train"], example, a, rng)
    valid, test = ([example(tree) for tree in parts[name]] for name in ("valid", "test"))
    model = Parser(pads[0] + 1, len(pieces), a).to(a.device).train()
    result = {"engine": "pytorch", "torch": torch.__version__, "task": "parsing", "device": a.device,
              "preset": a.preset, "seed": a.seed, "beam": a.beam, "sentences": len(test)}
    result.update(train(model, epochs, valid, pads, pieces, a, rng))
    gold = [tree for _, _, tree in test]
    for name, beam in (("greedy", 1), ("beam", a.beam)):
        start = time.time()
        trees = parse(model, test, pads, pieces, a, beam)
        result[f"{name}_f1"] = round(f1(gold, trees), 2)
        result[f"{name}_seconds"] = round(time.time() - start, 1)
    pathlib.Path(a.output).write_text("".join(brackets(tree) + "\n" for tree in trees), encoding="utf-8")
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
