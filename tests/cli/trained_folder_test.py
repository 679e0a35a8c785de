"""What `yona train` leaves, used elsewhere: transformers and CTranslate2 translate with the folder as
`yona translate` does, token for token, greedily and with beam 4.

usage: trained_folder_test.py    YONA_PROGRAM names the program (as in ctest)

Four models (post-norm and pre-norm, BPE and unigram) are trained for a moment on a toy language, far
enough that sentences end by themselves, and small ones of transformers' families are trained on. Near ties (scores within 1e-4)
may go either way. Exits with 77 (skipped) where torch or transformers is not installed; CTranslate2 is asked where it is there.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

try:
    import torch
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
YONA = os.environ.get("YONA_PROGRAM", "build/yona")

WORDS = [{"two": "zwei", "three": "drei", "nine": "neun", "ten": "zehn", "all": "alle"},
         {"red": "rote", "green": "grüne", "old": "alte", "small": "kleine", "new": "neue"},
         {"dogs": "Hunde", "houses": "Häuser", "trees": "Bäume", "books": "Bücher"},
         {"sleep": "schlafen", "burn": "brennen", "fall": "fallen", "sing": "singen"}]
LIMIT = 24
# Those whose small folders have what AutoTokenizer needs, and the languages that they are told.
FAMILIES = {"bart": (), "mbart": ("en", "de"), "m2m100": ("en", "de"), "pegasus": (), "t5": ("en", "de"),
            "t5-gated": ()}


def write_corpus(folder):
    """Verb and adjective change places, so that there is something to attend to."""
    pairs = []
    for n, c, t, v in itertools.product(*WORDS):
        a, b, d, e = WORDS[0][n], WORDS[1][c], WORDS[2][t], WORDS[3][v]
        pairs += [(f"{n} {c} {t} {v}.", f"{a} {e} {b} {d}."), (f"{c} {t} {v}!", f"{e} {b} {d}!")]
    for side, name in enumerate(("en", "de")):
        lines = [pair[side] for pair in pairs]
        Path(folder, f"train.{name}").write_text("\n".join(lines) + "\n")
        Path(folder, f"valid.{name}").write_text("\n".join(lines[::40]) + "\n")
    return [pair[0] for pair in pairs[3::17]] + ["Two RED dogs?", "books", "ten ten ten new trees.",
                                                 "Grüße aus Köln, 12 €!", "sing sing sing sing"]


def train(folder, norm, algorithm):
    output = Path(folder, f"{norm}-{algorithm}")
    subprocess.run(
        [YONA, "train", "--quiet", "--output", output, "--preset", "tiny", "--updates", "150",
         "--train-src", f"{folder}/train.en", "--train-tgt", f"{folder}/train.de",
         "--valid-src", f"{folder}/valid.en", "--valid-tgt", f"{folder}/valid.de",
         "--src-lang", "en", "--tgt-lang", "de", "--batch-tokens", "512", "--vocab-size", "380",
         "--set", f"model.norm={norm}", "--set", f"data.subwords={algorithm}",
         "--set", "model.encoder_layers=2", "--set", "model.decoder_layers=2",
         "--set", "model.d_model=32", "--set", "model.d_ff=64",
         "--set", "train.schedule=cosine", "--set", "train.learning_rate=0.01",
         "--set", "train.warmup=20"], check=True)
    return output


def fine_tune(folder, fixture, *languages):
    """A random model that transformers wrote, trained on by yona."""
    output = Path(folder, f"tuned-{fixture.name}")
    subprocess.run(
        [YONA, "train", "--quiet", "--output", output, "--init", fixture, "--updates", "200",
         *(f"--{side}-lang={code}" for side, code in zip(("src", "tgt"), languages)),
         "--train-src", f"{folder}/train.en", "--train-tgt", f"{folder}/train.de",
         "--batch-tokens", "512", "--set", "train.schedule=cosine",
         "--set", "train.learning_rate=0.01", "--set", "train.warmup=20"], check=True)
    return output


def ask_yona(folder, lines, mode, beam):
    run = subprocess.run(
        [YONA, "translate", "--model", folder, "--json", "--beam", str(beam), "--beam-mode", mode,
         "--n-best", str(beam), "--length-penalty", "1", "--max-length", str(LIMIT), "--quiet"],
        input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def ask_transformers(folder, lines, beam):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    answers = []
    for line in lines:
        with torch.no_grad():
            ids = model.generate(**tokenizer(line, return_tensors="pt"), num_beams=beam,
                                 do_sample=False, length_penalty=1.0, early_stopping=False,
                                 max_length=LIMIT + 1)[0].tolist()
        answers.append(tokenizer.convert_ids_to_tokens(ids))
    return answers


def ask_ctranslate2(folder, lines, beam):
    converted = f"{folder}-ct2"
    if not os.path.exists(converted):
        ctranslate2.converters.TransformersConverter(str(folder)).convert(converted)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    translator = ctranslate2.Translator(converted, compute_type="float32", intra_threads=1)
    tokens = [tokenizer.convert_ids_to_tokens(tokenizer(line).input_ids) for line in lines]
    results = translator.translate_batch(tokens, beam_size=beam, length_penalty=1.0,
                                         max_decoding_length=LIMIT)
    return [result.hypotheses[0] for result in results]


def near_tie(answer):
    scores = [each["score"] for each in answer["translations"]]
    return len(scores) > 1 and abs(scores[0] - scores[1]) < 1e-4


def compare(what, lines, ours, theirs):
    ties = 0
    for line, answer, other in zip(lines, ours, theirs):
        pieces = [token["piece"] for token in answer["translations"][0]["tokens"]]
        other = [piece for piece in other if piece != "<pad>"]
        if pieces[-1] == "</s>" and other[-1:] != ["</s>"]:  # CTranslate2 leaves it out
            other.append("</s>")
        if pieces == other:
            continue
        assert near_tie(answer), f"{what}: {line!r} is {pieces}, there {other}"
        ties += 1
    ended = sum(len(answer["translations"][0]["tokens"]) < LIMIT for answer in ours)
    print(f"{what}: {len(lines) - ties} of {len(lines)} the same, {ended} end by themselves",
          flush=True)
    return ended


def compare_all(name, folder, lines, least_ended):
    for beam in (1, 4):
        what = f"{name}, beam {beam}"
        ended = compare(f"{what}, transformers", lines,
                        ask_yona(folder, lines, "huggingface", beam),
                        ask_transformers(folder, lines, beam))
        assert ended >= least_ended, f"{what}: only {ended} of {len(lines)} sentences end"
        if ctranslate2:
            compare(f"{what}, CTranslate2", lines, ask_yona(folder, lines, "ctranslate2", beam),
                    ask_ctranslate2(folder, lines, beam))


def compare_families(family, folder, lines):
    """transformers misses nothing in the folder, and writes what yona writes, greedily, as the folder says."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model, report = AutoModelForSeq2SeqLM.from_pretrained(folder, output_loading_info=True)
    assert not any(report[key] for key in ("missing_keys", "unexpected_keys", "mismatched_keys")), report
    run = subprocess.run([YONA, "translate", "--model", folder, "--json", "--beam", "1", "--quiet"],
                         input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    prefix = "translate English to German: " if family == "t5" else ""  # which yona adds itself
    for line, answer in zip(lines, map(json.loads, run.stdout.splitlines())):
        inputs = tokenizer(prefix + line, return_tensors="pt")
        with torch.no_grad():
            ids = model.eval().generate(**inputs, num_beams=1, do_sample=False)[0].tolist()[1:]
        theirs = tokenizer.convert_ids_to_tokens(ids)
        pieces = [token["piece"] for token in answer["translations"][0]["tokens"]]
        assert pieces == theirs, f"{family}: {line!r} is {pieces}, there {theirs}"
    print(f"{family}, fine-tuned: {len(lines)} of {len(lines)} the same", flush=True)


def main():
    with tempfile.TemporaryDirectory() as root:
        lines = write_corpus(root)
        for norm, algorithm in itertools.product(("post", "pre"), ("bpe", "unigram")):
            compare_all(f"{norm}-norm, {algorithm}", train(root, norm, algorithm), lines,
                        least_ended=len(lines) // 2)
        fixtures = Path(os.environ.get("YONA_FIXTURES", "tests/fixtures"))
        tuned = fine_tune(root, fixtures / "families" / "marian")
        compare_all("fine-tuned", tuned, lines, least_ended=0)  # its pieces are short
        for family, languages in FAMILIES.items():
            compare_families(family, fine_tune(root, fixtures / "families" / family, *languages), lines[::4])


if __name__ == "__main__":
    main()
