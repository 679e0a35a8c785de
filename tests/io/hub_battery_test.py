"""Random models of every Hugging Face family, tied and untied, run by yona and by transformers.

usage: hub_battery_test.py [--seeds N] [FAMILY …]    YONA_PROGRAM is the program (default build/yona)

Each folder is written by save_pretrained: embeddings that are one, a projection of its own, an
embedding for each stack, all of them. `yona translate --beam-mode huggingface` is compared with
`generate` on the folder as it is: greedy tokens, the tokens and scores of the four best of a beam of 4,
for several generation_config.json; of Marian also the text, some of whose pieces target.spm lacks. What
transformers and CTranslate2 make of yona's own folders: tests/io/huggingface_test.py. Exits with 77
(skipped) where a package is not installed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "decode"))
import families_test as families  # skips where packages are missing
import torch
import transformers

PROGRAM = os.environ.get("YONA_PROGRAM", "build/yona")
TOLERANCE = 1e-4  # of scores, and of large ones in proportion: sums of f32 in another order
TIE = 1e-6  # within this, either hypothesis may come first
SIZES = families.Sizes("small")
SIZES.dtype = torch.float32
TEXTS = ["we went to the park", "Guten Morgen", "it is raining cats and dogs today", "x",
         "ich gehe heute in den Park und esse ein Eis"]
# What a folder may say, and what it may leave to `generate`.
GENERATION = [
    {},
    dict(max_length=12, no_repeat_ngram_size=2, early_stopping=True, length_penalty=0.7),
    dict(max_new_tokens=9, min_length=5, forced_eos=True, early_stopping="never", length_penalty=1.6),
    dict(max_length=14, min_new_tokens=3, no_repeat_ngram_size=3, forced_eos=True, length_penalty=-0.5,
         suppress=True),
]
TYINGS = ["all", "inputs", "target", "none"]
SPIECE = dict(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)


def pieces_of(spm, first):
    return [spm.id_to_piece(i) for i in range(first, spm.get_piece_size())]


class Files:
    """The sub-word files of a family: what its model is made with, its pieces by id, and the ids of a source."""

    def __init__(self, name, folder):
        self.name = name
        self.before, self.after = [], [2]
        getattr(self, name.split("-")[0])(folder)
        self.ids = {piece: i for i, piece in enumerate(self.pieces)}
        self.given["vocab_size"] = len(self.pieces)
        self.first = None
        if name in LANGUAGES:
            codes = LANGUAGES[name] if name != "m2m100" else [f"__{code}__" for code in LANGUAGES[name]]
            self.before, self.first = [self.ids[codes[0]]], self.ids[codes[1]]

    def source(self, text):
        return self.before + self.cut(text) + self.after

    def by_pieces(self, spm, unknown="<unk>"):
        return lambda text: [self.ids.get(piece, self.ids[unknown]) for piece in spm.encode(text, out_type=str)]

    def marian(self, folder):
        spm = families.train_spm(folder, "source.spm", SIZES.pieces, rule=SIZES.rule)
        target = families.train_spm(folder, "target.spm", SIZES.pieces - 40, rule=SIZES.rule)
        known = dict.fromkeys(pieces_of(spm, 3) + pieces_of(target, 3))  # some are the source's alone
        self.pieces = ["</s>", "<unk>", *known, "<pad>"]
        vocabulary = {piece: i for i, piece in enumerate(self.pieces)}
        separate = self.name == "marian-separate"
        for file in ["vocab.json"] + ["target_vocab.json"] * separate:
            families.write_json(folder / file, vocabulary)
        families.write_json(folder / "tokenizer_config.json",
                            {"tokenizer_class": "MarianTokenizer", "separate_vocabs": separate})
        pad = len(self.pieces) - 1
        self.cut, self.after = self.by_pieces(spm), [0]
        self.given = dict(decoder_vocab_size=pad + 1, pad_token_id=pad, eos_token_id=0, decoder_start_token_id=pad,
                          share_encoder_decoder_embeddings=not separate)

    def bart(self, folder):
        bpe = families.tokenizers.ByteLevelBPETokenizer()
        bpe.train_from_iterator(families.LEARNT, vocab_size=300, show_progress=False,
                                special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
        bpe.save_model(str(folder))
        self.pieces = [bpe.id_to_token(i) for i in range(bpe.get_vocab_size())]
        self.before, self.cut = [0], lambda text: bpe.encode(text).ids
        self.given = dict(bos_token_id=0, pad_token_id=1, eos_token_id=2, decoder_start_token_id=2)

    def t5(self, folder):
        spm = families.train_spm(folder, "spiece.model", SIZES.pieces, rule=SIZES.rule, **SPIECE)
        self.pieces = pieces_of(spm, 0) + [f"<extra_id_{99 - i}>" for i in range(100)]
        self.cut, self.after = spm.encode, [1]
        self.given = dict(pad_token_id=0, eos_token_id=1, decoder_start_token_id=0)

    mt5 = t5

    def pegasus(self, folder):
        spm = families.train_spm(folder, "spiece.model", SIZES.pieces, rule=SIZES.rule, **SPIECE)
        self.pieces = (["<pad>", "</s>", "<mask_1>", "<mask_2>"] + [f"<unk_{i}>" for i in range(2, 103)] +
                       pieces_of(spm, 2))
        self.cut, self.after = lambda text: [i + 103 for i in spm.encode(text)], [1]
        self.given = dict(pad_token_id=0, eos_token_id=1, decoder_start_token_id=0)

    def fairseq(self, spm, after):
        self.pieces = ["<s>", "<pad>", "</s>", "<unk>"] + pieces_of(spm, 3) + after
        self.cut = self.by_pieces(spm)
        self.given = dict(decoder_start_token_id=2)

    def mbart50(self, folder):
        from transformers.models.mbart50.tokenization_mbart50 import FAIRSEQ_LANGUAGE_CODES as codes
        spm = families.train_spm(folder, "sentencepiece.bpe.model", SIZES.pieces, rule=SIZES.rule)
        self.fairseq(spm, [*codes, "<mask>"])

    def nllb(self, folder):
        from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES as codes
        spm = families.train_spm(folder, "sentencepiece.bpe.model", SIZES.pieces, "bpe", SIZES.rule)
        self.fairseq(spm, [*codes, "<mask>"])

    def m2m100(self, folder):
        from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES as codes
        spm = families.train_spm(folder, "sentencepiece.bpe.model", SIZES.pieces, "bpe", SIZES.rule)
        self.fairseq(spm, [])
        families.write_json(folder / "vocab.json", {piece: i for i, piece in enumerate(self.pieces)})
        self.pieces += [f"__{code}__" for code in codes["m2m100"]]


KINDS = {"marian": "Marian", "marian-separate": "Marian", "bart": "Bart", "mbart50": "MBart",
         "m2m100": "M2M100", "nllb": "M2M100", "pegasus": "Pegasus"}
LANGUAGES = {"mbart50": ("en_XX", "de_DE"), "m2m100": ("en", "de"), "nllb": ("eng_Latn", "deu_Latn")}


def make_model(name, given):
    if name in ("t5", "t5-gated", "mt5"):
        kind = "MT5" if name == "mt5" else "T5"
        more = dict(tie_word_embeddings=False, feed_forward_proj="gated-gelu") if name == "t5-gated" else {}
        config = getattr(transformers, kind + "Config")(
            d_model=16, d_kv=6, d_ff=32, num_layers=1, num_heads=4, dropout_rate=0.0,
            initializer_factor=2.0, relative_attention_num_buckets=8, **given, **more)
        return getattr(transformers, kind + "ForConditionalGeneration")(config)
    given = {**SIZES.bart(given["vocab_size"]), **given}
    kind = KINDS[name]
    if kind == "Marian":
        given.update(static_position_embeddings=True, scale_embedding=True)
    config = getattr(transformers, kind + "Config")(**given)
    model_name = "MarianMTModel" if kind == "Marian" else kind + "ForConditionalGeneration"
    return getattr(transformers, model_name)(config)


def write_folder(folder, name, tying, seed, generation):
    folder.mkdir(parents=True)
    files = Files(name, folder)
    given = files.given
    torch.manual_seed(seed)
    model = make_model(name, given)
    families.untie(model, tying)
    for key, parameter in model.named_parameters():
        if key.endswith("bias") or "norm" in key:
            parameter.data += torch.randn_like(parameter) * 0.1
    if "final_logits_bias" in dict(model.named_buffers()):
        model.final_logits_bias.copy_(torch.randn_like(model.final_logits_bias) * 0.3)
        model.final_logits_bias[0, model.config.eos_token_id] += 3.0  # that some outputs end by themselves
    settings = dict(generation)
    eos = model.config.eos_token_id
    model.generation_config = transformers.GenerationConfig(
        decoder_start_token_id=given["decoder_start_token_id"], eos_token_id=eos,
        pad_token_id=model.config.pad_token_id)
    if settings.pop("forced_eos", False):
        settings["forced_eos_token_id"] = eos
    if settings.pop("suppress", False):
        settings["suppress_tokens"] = [5, 7]
        settings["bad_words_ids"] = [[9], [eos]]
    if settings:
        settings["num_beams"] = 4
    if name in ("m2m100", "nllb"):  # transformers gives <pad> no position; trained models do not write it
        settings.setdefault("suppress_tokens", []).append(model.config.pad_token_id)
    for key, value in settings.items():
        setattr(model.generation_config, key, value)
    model.save_pretrained(folder)
    return files


def lines_of(folder, name, beam):
    """yona's answers to each line."""
    languages = LANGUAGES.get(name)
    flags = ["--src-lang", languages[0], "--tgt-lang", languages[1]] if languages else []
    done = subprocess.run(
        [PROGRAM, "translate", "--model", str(folder), "--beam-mode", "huggingface", "--beam", str(beam),
         "--n-best", str(beam), "--json", "--threads", "1", *flags],
        input="\n".join(TEXTS) + "\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{folder.name}: {done.stderr}"
    return [json.loads(line) for line in done.stdout.splitlines()]


class Count:
    def __init__(self):
        self.same = self.all = self.ties = 0
        self.worst = 0.0

    def add(self, same):
        self.all += 1
        self.same += bool(same)


def compare(folder, name, files, counts):
    model, info = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, output_loading_info=True)
    assert not info["missing_keys"] and not info["unexpected_keys"], f"{folder.name}: {info}"
    model.eval()
    tokenizer = transformers.MarianTokenizer.from_pretrained(folder) if name.startswith("marian") else None
    for beam in (1, 4):
        for answer in lines_of(folder, name, beam):
            given = {} if files.first is None else {"forced_bos_token_id": files.first}
            with torch.no_grad():
                rows, scores = families.n_best(model, files.source(answer["source"]), beam, given)
            expected = list(zip(rows, scores or [None]))
            found = [([files.ids[token["piece"]] for token in each["tokens"]], each["score"])
                     for each in answer["translations"]]
            if tokenizer:
                text, ours = tokenizer.decode(found[0][0], skip_special_tokens=True), answer["translations"][0]["text"]
                counts["text"].add(text == ours)
                if text != ours:
                    print(f"{folder.name}: text {ours!r} of {found[0][0]} is {text!r} to transformers")
            counts["greedy" if beam == 1 else "beam 4"].add(found[0][0] == expected[0][0])
            if beam > 1:
                for (ids, score), (theirs, their_score) in zip(found, expected):
                    difference = abs(score - their_score) / max(1.0, abs(their_score))
                    is_tie = ids != theirs and difference <= TIE
                    counts["n-best"].add(is_tie or (ids == theirs and difference <= TOLERANCE))
                    counts["n-best"].ties += is_tie
                    if ids == theirs:
                        counts["n-best"].worst = max(counts["n-best"].worst, difference)
                    elif not is_tie:
                        print(f"{folder.name}: {ids} {score} is {theirs} {their_score} to transformers")
            if found[0][0] != expected[0][0]:
                print(f"{folder.name} beam {beam}: {found[0]} is {expected[0]} to transformers")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("families", nargs="*")
    given = parser.parse_args()
    torch.set_num_threads(1)
    counts = {kind: Count() for kind in ("greedy", "beam 4", "n-best", "text")}
    names = given.families or [*KINDS, "t5", "t5-gated", "mt5"]
    with tempfile.TemporaryDirectory() as root:
        for name in names:
            for tying in TYINGS:
                if name == "marian-separate" and tying in ("all", "inputs"):
                    continue
                for seed in range(given.seeds):
                    generation = GENERATION[(seed + TYINGS.index(tying)) % len(GENERATION)]
                    folder = Path(root, f"{name}-{tying}-{seed}")
                    files = write_folder(folder, name, tying, seed + 1, generation)
                    compare(folder, name, files, counts)
    for kind, count in counts.items():
        print(f"{kind}: {count.same} of {count.all} equal" +
              (f", scores within {count.worst:.1e}; {count.ties} of them ties" if kind == "n-best" else ""))
    return all(count.same == count.all for count in counts.values())


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
