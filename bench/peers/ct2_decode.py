"""CTranslate2 on the weights of a Hugging Face folder: how fast it decodes.

  ct2_decode.py make FOLDER --preset base --vocab-size 37056   a MarianMT folder with random weights
  ct2_decode.py convert FOLDER [--compute int8]                FOLDER/ct2…, CTranslate2's reading of it
  ct2_decode.py time FOLDER --batch 32 --beam 4 --threads 1    random sentences, outputs of one length
  ct2_decode.py translate FOLDER --input FILE --beam 4         real lines, which end by themselves

`time` and `translate` print one line of JSON with the fields of `yona bench translate`; `translate`
also writes the pieces of each output to --output, one line each.
"""
import argparse
import json
import os
import random
import resource
import statistics
import time

PRESETS = {"tiny": (4, 128, 4, 256), "iwslt": (6, 512, 4, 1024), "base": (6, 512, 8, 2048),
           "big": (6, 1024, 16, 4096)}


def make(a):
    import torch
    from transformers import MarianConfig, MarianMTModel
    layers, width, heads, inner = PRESETS[a.preset]
    pad = a.vocab_size - 1
    torch.manual_seed(1)
    config = MarianConfig(
        vocab_size=a.vocab_size, d_model=width, encoder_layers=layers, decoder_layers=layers,
        encoder_attention_heads=heads, decoder_attention_heads=heads, encoder_ffn_dim=inner,
        decoder_ffn_dim=inner, activation_function="relu", scale_embedding=True,
        static_position_embeddings=True, max_position_embeddings=512, pad_token_id=pad,
        eos_token_id=0, bos_token_id=0, decoder_start_token_id=pad, forced_eos_token_id=None,
        bad_words_ids=[[pad]])
    MarianMTModel(config).save_pretrained(a.folder)


def converted(a):
    """Where the twin is kept; in the type that it will compute in, so that loading converts nothing."""
    return os.path.join(a.folder, "ct2" if a.compute == "float32" else f"ct2-{a.compute}")


def convert(a):
    quantization = None if a.compute == "float32" else a.compute
    if os.path.exists(os.path.join(a.folder, "tokenizer_config.json")):
        from ctranslate2.converters import TransformersConverter
        TransformersConverter(a.folder).convert(converted(a), quantization=quantization, force=True)
        return
    from ctranslate2.converters.transformers import MarianMTLoader
    from transformers import MarianMTModel
    model = MarianMTModel.from_pretrained(a.folder).eval()
    spec = MarianMTLoader().get_model_spec(model)
    # Without <pad>, which CTranslate2's Marian does not have.
    pieces = ["</s>", "<unk>"] + [f"t{i}" for i in range(2, model.config.vocab_size - 1)]
    spec.register_source_vocabulary(pieces)
    spec.register_target_vocabulary(pieces)
    spec.config.eos_token = spec.config.decoder_start_token = "</s>"
    spec.config.unk_token = "<unk>"
    spec.config.add_source_eos = False
    spec.validate()
    spec.optimize(quantization=quantization)
    os.makedirs(converted(a), exist_ok=True)
    spec.save(converted(a))


def translator(a):
    import ctranslate2
    return ctranslate2.Translator(converted(a), device="cpu",
                                  compute_type=a.compute, inter_threads=a.workers,
                                  intra_threads=a.threads)


def report(a, start, load, first, runs, tokens, sentences):
    """`runs` are pairs of wall and CPU seconds."""
    import ctranslate2
    wall = statistics.median(run[0] for run in runs)
    cpu = statistics.median(run[1] for run in runs)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"engine": f"ctranslate2 {ctranslate2.__version__}", "compute": a.compute,
                      "threads": a.threads, "beam": a.beam, "batch": a.batch,
                      "sentences": sentences, "tok_s": tokens / wall, "cpu_tok_s": tokens / cpu,
                      "ms": wall * 1e3, "load_s": load - start, "first_s": first - start,
                      "mem_mb": memory}))


def repeat(a, translate):
    runs = []
    for _ in range(a.reps):
        begin = time.perf_counter(), time.process_time()
        out = translate()
        runs.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))
    return out, runs


def time_random(a):
    start = time.perf_counter()
    engine = translator(a)
    load = time.perf_counter()
    draw = random.Random(1)
    lines = [[f"t{draw.randrange(2, a.vocab_size - 1)}" for _ in range(a.src_len - 1)] + ["</s>"]
             for _ in range(a.batch)]
    limits = {"beam_size": a.beam, "max_batch_size": a.batch, "min_decoding_length": a.new,
              "max_decoding_length": a.new}
    engine.translate_batch(lines[:1], **limits)
    first = time.perf_counter()
    engine.translate_batch(lines, **limits)
    out, runs = repeat(a, lambda: engine.translate_batch(lines, **limits))
    tokens = sum(len(each.hypotheses[0]) for each in out)
    report(a, start, load, first, runs, tokens, len(lines))


def translate_file(a):
    import sentencepiece
    start = time.perf_counter()
    engine = translator(a)
    load = time.perf_counter()
    subwords = sentencepiece.SentencePieceProcessor(os.path.join(a.folder, "source.spm"))
    with open(a.input, encoding="utf-8") as file:
        lines = [subwords.encode(line.rstrip("\n"), out_type=str) + ["</s>"] for line in file]

    def run():
        return engine.translate_batch(lines, beam_size=a.beam, max_batch_size=a.batch,
                                      return_scores=True)
    out, runs = repeat(a, run)
    tokens = sum(len(each.hypotheses[0]) + 1 for each in out)
    if a.output:
        with open(a.output, "w", encoding="utf-8") as file:
            for each in out:
                file.write(json.dumps({"pieces": each.hypotheses[0], "score": each.scores[0]}) + "\n")
    report(a, start, load, load, runs, tokens, len(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "convert", "time", "translate"])
    parser.add_argument("folder")
    parser.add_argument("--preset", default="base", choices=PRESETS)
    parser.add_argument("--vocab-size", type=int, default=37056)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--src-len", type=int, default=32)
    parser.add_argument("--new", type=int, default=32)
    parser.add_argument("--reps", type=int, default=3)
    parser.add_argument("--compute", default="float32", help="its compute_type: float32, int8, …")
    parser.add_argument("--workers", type=int, default=1, help="its inter_threads")
    parser.add_argument("--input")
    parser.add_argument("--output")
    a = parser.parse_args()
    {"make": make, "convert": convert, "time": time_random, "translate": translate_file}[a.what](a)


if __name__ == "__main__":
    main()
