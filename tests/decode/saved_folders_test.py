"""Folders as `transformers` itself saves them, run by yona with the same outputs.

usage: saved_folders_test.py [TEST_DECODE]   as families_test.py
       saved_folders_test.py --write DIR     the folders alone

Each family's tokeniser is made of the files that the hub has, and saved by save_pretrained beside a random
model. Three folders come of it: what was saved; the same with the files that it was made of; those files and
what was saved, but no tokenizer.json. What is expected is what AutoTokenizer makes of that very folder.
Exits with 77 (skipped) where a package is not installed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

import families_test as families  # skips where packages are missing
import torch
import transformers

SIZES = families.Sizes()
# What normalisation leaves alone: transformers 5 drops mBART's, and keeps spaces at the end that SentencePiece drops.
TEXTS = [text for text in families.TEXTS
         if unicodedata.normalize("NFKC", text) == " ".join(text.split()) == text]
T5_IDS = dict(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)


def spm(folder, name, kind="unigram", **options):
    return families.train_spm(folder, name, SIZES.pieces, kind, SIZES.rule, **options)


def m2m_100_files(folder):
    model = spm(folder, "sentencepiece.bpe.model", "bpe")
    pieces = ["<s>", "<pad>", "</s>", "<unk>"] + sorted(
        model.id_to_piece(i) for i in range(3, model.get_piece_size()))
    families.write_json(folder / "vocab.json", {piece: i for i, piece in enumerate(pieces)})


def nllb_languages():
    from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES
    return FAIRSEQ_LANGUAGE_CODES


def bart_like(kind, **more):
    def make(size):
        config = getattr(transformers, kind[0])(**SIZES.bart(size, **more))
        return getattr(transformers, kind[1])(config)
    return make


def t5_model(size):
    return transformers.T5ForConditionalGeneration(transformers.T5Config(
        vocab_size=size, d_model=64, d_kv=6, d_ff=128, num_layers=2, num_heads=4, dropout_rate=0.0,
        decoder_start_token_id=0, initializer_factor=1.0))


MBART = ("MBartConfig", "MBartForConditionalGeneration")
M2M = ("M2M100Config", "M2M100ForConditionalGeneration")
PEGASUS = ("PegasusConfig", "PegasusForConditionalGeneration")
# name: tokeniser, its arguments, what writes its files, the model of a size, ids beyond the tokeniser's, languages
FAMILIES = {
    "mbart": ("MBartTokenizer", {}, lambda f: spm(f, "sentencepiece.bpe.model"),
              bart_like(MBART, scale_embedding=True), 0, ("en_XX", "de_DE")),
    "mbart50": ("MBart50Tokenizer", {}, lambda f: spm(f, "sentencepiece.bpe.model"),
                bart_like(MBART, scale_embedding=True, decoder_start_token_id=2), 1, ("en_XX", "de_DE")),
    "m2m100": ("M2M100Tokenizer", {}, m2m_100_files,
               bart_like(M2M, scale_embedding=True, decoder_start_token_id=2), 108, ("en", "de")),
    "nllb": ("NllbTokenizer", dict(extra_special_tokens=nllb_languages()),
             lambda f: spm(f, "sentencepiece.bpe.model", "bpe"),
             bart_like(M2M, scale_embedding=True, decoder_start_token_id=2), 2, ("eng_Latn", "deu_Latn")),
    "pegasus": ("PegasusTokenizer", {}, lambda f: spm(f, "spiece.model", **T5_IDS),
                bart_like(PEGASUS, scale_embedding=True, pad_token_id=0, eos_token_id=1,
                          decoder_start_token_id=0, forced_eos_token_id=1), 0, None),
    "t5": ("T5Tokenizer", {}, lambda f: spm(f, "spiece.model", **T5_IDS), t5_model, 28, None),
}


def tokens_around(tokenizer, languages, mbart):
    """Which tokens the search begins with: a decoder's start, a forced first one."""
    if languages is None:
        return {}, None
    code = (tokenizer.get_lang_id(languages[1]) if hasattr(tokenizer, "get_lang_id")
            else tokenizer.convert_tokens_to_ids(languages[1]))
    return ({"start": code}, None) if mbart else ({}, code)


def write_folder(name, root):
    kind, options, write_files, make, beyond, languages = FAMILIES[name]
    files = Path(root, f"files-of-{name}")
    files.mkdir(parents=True)
    write_files(files)
    kind = getattr(transformers, kind)
    if languages:
        options = dict(options, src_lang=languages[0])
    tokenizer = kind.from_pretrained(files, **options)
    saved = Path(root, f"{name}-saved")
    tokenizer.save_pretrained(saved)
    torch.manual_seed(1)
    size = len(tokenizer) + beyond
    model = families.save(make(size), saved)
    shutil.copytree(saved, Path(root, f"{name}-saved-with-files"))
    shutil.copytree(files, Path(root, f"{name}-saved-with-files"), dirs_exist_ok=True)
    folders = [saved, Path(root, f"{name}-saved-with-files")]
    if (saved / "tokenizer.json").exists():
        shutil.copytree(folders[1], Path(root, f"{name}-without-json"))
        folders.append(Path(root, f"{name}-without-json"))
        (folders[2] / "tokenizer.json").unlink()
    for folder in folders:
        again = transformers.AutoTokenizer.from_pretrained(folder)
        more, first = tokens_around(again, languages, name == "mbart")
        if languages:
            more.update(source_language=languages[0], target_language=languages[1])
        pairs = [(text, again(text)["input_ids"]) for text in TEXTS]
        # transformers 5 does not count M2M100's languages as special, and writes them out: yona does not
        around = set(again.all_special_ids) | ({pairs[0][1][0]} if name == "m2m100" else set())
        decoded = [(([first] if first is not None else []) + [i for i in ids if i not in around] + ids[-1:], text)
                   for text, ids in pairs if again.unk_token_id not in ids]
        families.expected(folder, model, pairs, decoded, first=first, **more)
    shutil.rmtree(files)


def main(arguments):
    torch.set_num_threads(1)  # small models
    if arguments[:1] == ["--write"]:
        for name in FAMILIES:
            write_folder(name, arguments[1])
        return
    program = (arguments[0] if arguments
               else Path(os.environ["YONA_PROGRAM"]).parent / "tests" / "test_decode")
    with tempfile.TemporaryDirectory() as root:
        for name in FAMILIES:
            write_folder(name, root)
        subprocess.run([program, "--gtest_filter=All/Families.*"], check=True,
                       env=dict(os.environ, YONA_FAMILIES=root))


if __name__ == "__main__":
    main(sys.argv[1:])
