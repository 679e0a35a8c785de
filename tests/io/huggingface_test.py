"""Model folders that yona writes, loaded by transformers and CTranslate2.

usage: huggingface_test.py [TEST_IO]    TEST_IO is the built program test_io; without it, the one
                                        beside the program that YONA_PROGRAM names (as in ctest)

The folders come from tests/io/huggingface_export_test.cc. For each: transformers loads it without
a missing or unexpected tensor; its logits are those of the paper's equations written down below
over yona's own parameter names; its tokeniser gives yona's ids; CTranslate2 converts it and
generates the same tokens. Exits with 77 (skipped) where torch or transformers is not installed.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

try:
    import torch
    from safetensors.torch import load_file
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
    from transformers.utils import logging
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
try:
    import ctranslate2
except ImportError:
    ctranslate2 = None

logging.set_verbosity_error()
logging.disable_progress_bar()
warnings.filterwarnings("ignore")


class PaperTransformer:
    """Vaswani et al. 2017, section 3, over yona's parameter names; one sentence at a time."""

    def __init__(self, folder):
        self.p = load_file(folder / "parameters.safetensors")
        self.d = json.loads((folder / "config.json").read_text())["yona"]["model"]

    def linear(self, x, name):
        return x @ self.p[name + ".weight"].T + self.p[name + ".bias"]

    def norm(self, x, name):
        weight, bias = self.p[name + ".weight"], self.p[name + ".bias"]
        return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias)

    def attention(self, x, memory, name, causal):
        h, d_k = self.d["heads"], self.d["d_k"]
        Q, K, V = (self.linear(m, f"{name}.{part}").view(len(m), h, d_k).transpose(0, 1)
                   for part, m in (("query", x), ("key", memory), ("value", memory)))
        scores = Q @ K.transpose(1, 2) / math.sqrt(d_k)
        if causal:
            scores += torch.full(scores.shape[1:], -math.inf).triu(1)
        heads = scores.softmax(-1) @ V
        return self.linear(heads.transpose(0, 1).reshape(len(x), h * d_k), name + ".output")

    def sublayer(self, x, name, f):
        if self.d["norm"] == "pre":
            return x + f(self.norm(x, name))
        return self.norm(x + f(x), name)

    def embed(self, ids, table):
        d = self.d["d_model"]
        rate = self.d["position_base"] ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
        angles = torch.arange(len(ids), dtype=torch.float64)[:, None] * rate
        return table[ids] * math.sqrt(d) + torch.cat([angles.sin(), angles.cos()], 1).float()

    def stack(self, name, x, memory):
        for n in range(self.d[name + "_layers"]):
            at = f"{name}.layers.{n}."
            x = self.sublayer(x, at + "self_attention_norm", lambda y: self.attention(
                y, y, at + "self_attention", name == "decoder"))
            if memory is not None:
                x = self.sublayer(x, at + "cross_attention_norm", lambda y: self.attention(
                    y, memory, at + "cross_attention", False))
            x = self.sublayer(x, at + "feed_forward_norm", lambda y: self.linear(
                self.linear(y, at + "feed_forward.inner").relu(), at + "feed_forward.outer"))
        return self.norm(x, name + ".norm") if self.d["norm"] == "pre" else x

    def logits(self, source, target):
        shared = self.p.get("shared.weight")
        first = self.p.get("encoder.embedding.weight", shared)
        second = self.p.get("decoder.embedding.weight", shared)
        memory = self.stack("encoder", self.embed(source, first), None)
        states = self.stack("decoder", self.embed(target, second), memory)
        return states @ self.p.get("projection.weight", second).T


def load(folder):
    model, info = AutoModelForSeq2SeqLM.from_pretrained(folder, output_loading_info=True)
    for kind, names in info.items():
        assert not names, f"{folder.name}: {kind}: {names}"
    return model.eval()


def check_logits(folder, model):
    vocabulary = model.config.vocab_size
    generator = torch.Generator().manual_seed(1)
    source = torch.randint(2, vocabulary - 1, (9,), generator=generator)
    target = torch.randint(2, vocabulary - 1, (6,), generator=generator)
    target[0] = model.config.decoder_start_token_id
    expected = PaperTransformer(folder).logits(source, target)
    got = model(input_ids=source[None], decoder_input_ids=target[None]).logits[0]
    assert (got[:, -1] < -1e8).all(), f"{folder.name}: <pad> can come out"
    error = (got[:, :-1] - expected[:, :-1]).abs().max().item()
    assert error < 1e-4, f"{folder.name}: logits differ by {error}"
    return error


def check_tokenizer(folder):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    for example in json.loads((folder / "examples.json").read_text()):
        ids = tokenizer(example["text"])["input_ids"]
        assert ids == example["ids"] + [0], f"{folder.name}: {example} is {ids} to transformers"
        text = tokenizer.decode(ids, skip_special_tokens=True)
        assert text.strip() == example["decoded"].strip(), f"{folder.name}: {example} is {text!r}"
    return tokenizer


def check_ctranslate2(folder, model, tokenizer, output):
    ctranslate2.converters.TransformersConverter(str(folder)).convert(str(output))
    translator = ctranslate2.Translator(str(output), compute_type="float32")
    for text in ("the old farmer liebt nothing at all.", "my sister"):
        ids = tokenizer(text)["input_ids"]
        theirs = translator.translate_batch([tokenizer.convert_ids_to_tokens(ids)], beam_size=1,
                                            max_decoding_length=20)[0].hypotheses[0]
        ours = model.generate(torch.tensor([ids]), num_beams=1, do_sample=False, max_new_tokens=20,
                              max_length=None, forced_eos_token_id=None)[0].tolist()[1:]
        ours = ours[: ours.index(0)] if 0 in ours else ours
        assert tokenizer.convert_tokens_to_ids(theirs) == ours, f"{folder.name}: {theirs} {ours}"


def main(test_io):
    with tempfile.TemporaryDirectory() as root:
        folders = Path(root, "folders")
        subprocess.run([test_io, "--gtest_filter=HuggingFaceExport.*"], check=True,
                       stdout=subprocess.DEVNULL, env=dict(os.environ, YONA_EXPORT_DIR=folders))
        for folder in sorted(folders.iterdir()):
            with torch.no_grad():
                model = load(folder)
                error = check_logits(folder, model)
                tokenizer = check_tokenizer(folder)
                if ctranslate2:
                    check_ctranslate2(folder, model, tokenizer, Path(root, folder.name))
            print(f"{folder.name}: {type(model).__name__}, logits within {error:.1g}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1
         else Path(os.environ["YONA_PROGRAM"]).parent / "tests" / "test_io")
