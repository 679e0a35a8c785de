#!/usr/bin/env python3
"""Generation on a CPU in int8: yona beside CTranslate2, the same weights and prompt.

    venv/bin/python bench/generate.py --yona build/yona [--threads 1,2] [--prompt 128] [--new 128] [--rounds 5]

Needs torch, transformers, tokenizers and ctranslate2, and ends with code 77 without them. The model is a GPT-2 of random
weights with the shape of GPT-2 small unless told otherwise. A greedy search of one text: the engines take turns, and a
round's figure is the time of so many new tokens less the shortest time of one, so that start, prompt and HTTP (yona runs
as `yona serve`) are left out. One JSON line for each number of threads: medians of tokens/s, and of the rounds' ratios.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

try:
    import ctranslate2
    import tokenizers
    import torch
    import transformers
except ImportError as error:
    print(f"bench/generate.py: skipped: {error}")
    sys.exit(77)

VOCABULARY = 50257
END = "<|endoftext|>"


def make_folder(folder, options):
    """A GPT-2 as the hub has them. Its tokeniser has a token for each byte, and others that no text has."""
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    names = letters + [f"<unused{i}>" for i in range(VOCABULARY - len(letters) - 1)] + [END]
    bytes_alone = tokenizers.Tokenizer(tokenizers.models.BPE(vocab={name: i for i, name in enumerate(names)}, merges=[]))
    bytes_alone.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytes_alone.decoder = tokenizers.decoders.ByteLevel()
    transformers.PreTrainedTokenizerFast(tokenizer_object=bytes_alone, bos_token=END, eos_token=END, unk_token=END).save_pretrained(folder)
    torch.manual_seed(1)
    end = VOCABULARY - 1
    config = transformers.GPT2Config(vocab_size=VOCABULARY, n_embd=options.width, n_layer=options.layers, n_head=options.width // 64,
                                     bos_token_id=end, eos_token_id=end)
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)


class Yona:
    """`yona serve` with one model: a request is one text."""

    def __init__(self, program, folder, threads):
        self.process = subprocess.Popen([program, "serve", "--port", "0", "--model", folder, "--compute-type", "int8", "--threads", str(threads)],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        log = []
        for line in self.process.stderr:
            log.append(line)
            if found := re.search(r" at http://[^ ]*:(\d+);", line):
                self.url = f"http://127.0.0.1:{found.group(1)}/v1/completions"
                return
        sys.exit("bench/generate.py: yona serve did not start: " + "".join(log))

    def generate(self, prompt, new):
        body = json.dumps({"prompt": prompt, "max_tokens": new, "temperature": 0}).encode()
        request = urllib.request.Request(self.url, data=body, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)["usage"]["completion_tokens"]

    def close(self):
        self.process.terminate()
        self.process.wait(60)
        self.process.stderr.close()


class CTranslate2:
    def __init__(self, folder, threads):
        self.generator = ctranslate2.Generator(folder, device="cpu", compute_type="int8", inter_threads=1, intra_threads=threads)
        alphabet = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        self.tokens = lambda text: [letter for word, _ in alphabet.pre_tokenize_str(text) for letter in word]

    def generate(self, prompt, new):
        result = self.generator.generate_batch([self.tokens(prompt)], max_length=new, min_length=new, sampling_topk=1,
                                               include_prompt_in_result=False)[0]
        return len(result.sequences_ids[0])

    def close(self):
        pass


def seconds(engine, prompt, new):
    start = time.perf_counter()
    count = engine.generate(prompt, new)
    if count != new:
        sys.exit(f"bench/generate.py: {type(engine).__name__} wrote {count} tokens in place of {new}")
    return time.perf_counter() - start


class Turns:
    """An engine's rounds: tokens per second after the first. What the first takes is the shortest time so far, since it is
    short and other programs only ever lengthen it."""

    def __init__(self, engine):
        self.engine, self.first, self.speeds = engine, float("inf"), []

    def take(self, prompt, new):
        self.first = min(self.first, seconds(self.engine, prompt, 1))
        self.speeds.append((new - 1) / (seconds(self.engine, prompt, new) - self.first))


def measure(engines, prompt, options):
    turns = {name: Turns(engine) for name, engine in engines.items()}
    for _ in range(options.rounds + 1):
        for each in turns.values():
            each.take(prompt, options.new)
    speeds = {name: each.speeds[1:] for name, each in turns.items()}  # the first round warms up
    figures = {f"{name}_tok_s": round(statistics.median(values), 1) for name, values in speeds.items()}
    ratios = [own / other for own, other in zip(speeds["yona"], speeds["ctranslate2"])]
    return {**figures, "ratio": round(statistics.median(ratios), 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--yona", default="build/yona")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--prompt", type=int, default=128)
    parser.add_argument("--new", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    prompt = ("the quick brown fox jumps over a lazy dog " * (options.prompt // 40 + 1))[:options.prompt]
    with tempfile.TemporaryDirectory() as work:
        plain, small = os.path.join(work, "gpt2"), os.path.join(work, "ctranslate2")
        make_folder(plain, options)
        ctranslate2.converters.TransformersConverter(plain).convert(small, quantization="int8")
        for threads in map(int, options.threads.split(",")):
            engines = {"yona": Yona(options.yona, plain, threads), "ctranslate2": CTranslate2(small, threads)}
            try:
                shape = {"layers": options.layers, "width": options.width, "threads": threads, "prompt": options.prompt, "new": options.new}
                print(json.dumps({"bench": "generate", **shape, **measure(engines, prompt, options)}), flush=True)
            finally:
                for engine in engines.values():
                    engine.close()


if __name__ == "__main__":
    main()
