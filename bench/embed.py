#!/usr/bin/env python3
"""Embeddings on a CPU: yona in int8 compared with ONNX Runtime's dynamic int8, the same weights and sentences.

    PYTHONPATH=build/python python3 bench/embed.py [--threads 1,2] [--sentences 256] [--layers 6] [--width 384]

Needs torch, transformers, onnx and onnxruntime; ends with code 77 where they are not installed. The model has random
weights and the shape of MiniLM-L6 unless told otherwise. ONNX Runtime gets batches of similar length, padded to the
longest, of the size that is its best of 1, 8 and 32. One JSON line for each number of threads: sentences/s of both.
"""
import argparse
import json
import os
import random
import sys
import tempfile
import time

try:
    import numpy as np
    import onnxruntime
    import torch
    import transformers
    from onnxruntime.quantization import QuantType, quantize_dynamic
    import yona
except ImportError as error:
    print(f"bench/embed.py: skipped: {error}")
    sys.exit(77)


def make_folder(folder, options):
    """A BERT of random weights with a vocabulary of made-up words; gives the model."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    draw = random.Random(1)
    words = sorted({"".join(draw.choice(letters) for _ in range(draw.randrange(2, 9))) for _ in range(20000)})
    with open(os.path.join(folder, "vocab.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]) + "\n")
    with open(os.path.join(folder, "tokenizer_config.json"), "w", encoding="utf-8") as file:
        json.dump({"tokenizer_class": "BertTokenizer", "do_lower_case": True}, file)
    torch.manual_seed(1)
    config = transformers.BertConfig(vocab_size=len(words) + 5, hidden_size=options.width, num_hidden_layers=options.layers,
                                     num_attention_heads=max(1, options.width // 32), intermediate_size=4 * options.width,
                                     attn_implementation="eager")
    model = transformers.BertModel(config, add_pooling_layer=False).eval()
    model.save_pretrained(folder)
    return model, words


def sentences(words, count):
    """Of 4 to 60 words: lengths as of captions, questions and sentences of news."""
    draw = random.Random(2)
    return [" ".join(draw.choice(words) for _ in range(min(60, 4 + int(draw.expovariate(1 / 16))))) for _ in range(count)]


class Embedding(torch.nn.Module):
    """The mean over a sentence's tokens, scaled to length 1."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask):
        states = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).to(states.dtype)
        mean = (states * weights).sum(1) / weights.sum(1)
        return torch.nn.functional.normalize(mean)


def onnx_file(folder, model):
    plain, small = os.path.join(folder, "plain.onnx"), os.path.join(folder, "int8.onnx")
    ids = torch.ones(2, 8, dtype=torch.long)
    axes = {name: {0: "batch", 1: "length"} for name in ("ids", "mask")}
    torch.onnx.export(Embedding(model), (ids, ids), plain, input_names=["ids", "mask"], output_names=["vectors"],
                      dynamic_axes=axes, opset_version=17, dynamo=False)
    quantize_dynamic(plain, small, weight_type=QuantType.QInt8)
    return small


class Onnx:
    def __init__(self, path, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def embed(self, rows, batch):
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        vectors = [None] * len(rows)
        for begin in range(0, len(order), batch):
            chosen = order[begin:begin + batch]
            longest = max(len(rows[i]) for i in chosen)
            ids = np.zeros((len(chosen), longest), np.int64)
            mask = np.zeros_like(ids)
            for row, i in enumerate(chosen):
                ids[row, :len(rows[i])] = rows[i]
                mask[row, :len(rows[i])] = 1
            for i, vector in zip(chosen, self.session.run(None, {"ids": ids, "mask": mask})[0]):
                vectors[i] = vector
        return np.stack(vectors)


def best_seconds(run, repeats):
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--sentences", type=int, default=256)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model, words = make_folder(folder, options)
        texts = sentences(words, options.sentences)
        number = {word: i + 5 for i, word in enumerate(words)}
        rows = [[2, *(number[word] for word in text.split()), 3] for text in texts]
        path = onnx_file(folder, model)
        for threads in map(int, options.threads.split(",")):
            peer = Onnx(path, threads)
            ours = yona.Model.load(folder, threads=threads, compute_type="int8")
            agreement = float((peer.embed(rows, 8) * ours.embed(texts)).sum(1).mean())
            theirs = {batch: best_seconds(lambda batch=batch: peer.embed(rows, batch), options.repeats)
                      for batch in (1, 8, 32)}
            batch = min(theirs, key=theirs.get)
            seconds = best_seconds(lambda: ours.embed(texts), options.repeats)
            print(json.dumps({"threads": threads, "layers": options.layers, "width": options.width,
                              "tokens": sum(map(len, rows)), "yona_sentences_s": round(len(texts) / seconds, 1),
                              "onnxruntime_sentences_s": round(len(texts) / theirs[batch], 1), "onnxruntime_batch": batch,
                              "ratio": round(theirs[batch] / seconds, 2), "mean_cosine": round(agreement, 4)}), flush=True)


if __name__ == "__main__":
    main()
