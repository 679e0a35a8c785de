"""Models of every family, made at random by transformers, run by yona with the same outputs.

usage: families_test.py [TEST_DECODE]   TEST_DECODE is the built program test_decode; without it, the
                                        one beside the program that YONA_PROGRAM names (as in ctest)
       families_test.py --write DIR [NAME …]   writes the small folders of tests/fixtures/families

For each folder expected.json keeps what transformers makes of it: ids of a multilingual battery of
texts, logits, greedy and beam outputs; families_test.cc compares. SentencePiece models are trained
here, on the battery itself. Exits with 77 (skipped) where a package is not installed.
"""

import copy
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

try:
    import sentencepiece as spm
    import tokenizers
    import torch
    import transformers
    from safetensors.torch import load_file, save_file
    from transformers.utils import logging
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

logging.set_verbosity_error()
logging.disable_progress_bar()
warnings.filterwarnings("ignore")

TEXTS = [
    "The old farmer's dog doesn't like the rain, we've heard.", "Guten Morgen, schöne Welt!",
    "Où est la bibliothèque ? Elle est là-bas…", "¿Cuánto cuesta este café? 3,50 €.",
    "Привет, как дела?", "今日はとても良い天気ですね。", "你好，世界！我们去公园吧。", "مرحبا بالعالم",
    "नमस्ते दुनिया", "안녕하세요 세계", "Ελληνικά και αριθμοί 12345", "x", "  two  spaces  inside ",
    "emoji 😀👩‍👩‍👧 and ☃", "MixedCASE, punctuation!? (brackets) [and] {braces}", "naïve café",
    "ﬁne ligatures and Ｆｕｌｌ ｗｉｄｔｈ", "1st 2nd 3rd 1,000,000.00", "they'll I'd can't I'm you're",
    "a very long word: Donaudampfschifffahrtsgesellschaft", "tab\there", "śćżół Ğğ ßÖÄÜ",
]
LEARNT = TEXTS + ["the quick brown fox jumps over the lazy dog", "we went to the park yesterday",
                  "ich gehe heute in den Park und esse ein Eis", "nous allons au parc demain matin",
                  "she sells sea shells by the sea shore", "it is raining cats and dogs today"] * 3


def train_spm(folder, name, pieces, kind="unigram", rule="nmt_nfkc", **options):
    model = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(LEARNT), model_writer=model, vocab_size=pieces, model_type=kind,
        normalization_rule_name=rule, character_coverage=0.98, minloglevel=2,
        hard_vocab_limit=False, **options)
    (folder / name).write_bytes(model.getvalue())
    return spm.SentencePieceProcessor(model_proto=model.getvalue())


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def save(model, folder, dtype=torch.float32, shards=None, **generation):
    """Weights and configs as the hub has them; the model as transformers reads it back in f32."""
    torch.manual_seed(3)
    for name, parameter in model.named_parameters():
        if name.endswith("bias") or "norm" in name:
            parameter.data += torch.randn_like(parameter) * 0.1
    if "final_logits_bias" in dict(model.named_buffers()):
        bias = model.final_logits_bias
        bias.copy_(torch.randn_like(bias) * 0.3)
    # random models repeat themselves unless they may not
    settings = dict(max_length=20, num_beams=4, early_stopping=True, no_repeat_ngram_size=2)
    for key, value in {**settings, **generation}.items():
        setattr(model.generation_config, key, value)
    model.to(dtype).save_pretrained(folder, **({"max_shard_size": shards} if shards else {}))
    return type(model).from_pretrained(folder, dtype=torch.float32).eval()


def untie(model, tying):
    """Gives the model matrices of its own; where the class can be told, config.json says so."""
    if tying == "all":
        return
    config = model.config
    if "T5" not in type(model).__name__:
        config.tie_word_embeddings = False
    stacks = {"encoder": model.get_encoder(), "decoder": model.get_decoder()}
    spread = stacks["encoder"].embed_tokens.weight.std().item()

    def fresh(rows):
        return torch.nn.Parameter(torch.randn(rows, config.d_model) * spread)
    rows = stacks["decoder"].embed_tokens.weight.shape[0]
    first, second, third = fresh(stacks["encoder"].embed_tokens.weight.shape[0]), fresh(rows), fresh(rows)
    tables = {"inputs": (first, first, third), "target": (first, second, second),
              "none": (first, second, third)}[tying]
    for stack, table in zip(stacks.values(), tables):
        stack.embed_tokens.weight = torch.nn.Parameter(table.detach().clone())
    model.lm_head.weight = torch.nn.Parameter(tables[2].detach().clone())


def n_best(model, source, beams, given):
    """The hypotheses of a beam without the first input and what fills them up, and their scores."""
    out = model.generate(torch.tensor([source]), num_beams=beams, num_return_sequences=beams, do_sample=False,
                         return_dict_in_generate=True, output_scores=True, **given)
    end, pad = model.generation_config.eos_token_id, model.generation_config.pad_token_id
    rows = []
    for row in out.sequences[:, 1:].tolist():
        if end in row:
            row = row[:row.index(end) + 1]
        while beams > 1 and row and row[-1] == pad:
            row.pop()
        rows.append(row)
    return rows, [round(score, 6) for score in out.sequences_scores.tolist()] if beams > 1 else []


def expected(folder, model, texts, decoded, first=None, rows=9, **more):
    """Runs transformers on the folder's model and keeps what comes out. `texts` is a list of pairs
    of a text and the ids of the whole source."""
    generator = torch.Generator().manual_seed(5)
    vocabulary = model.config.vocab_size
    outputs = getattr(model.config, "decoder_vocab_size", None) or vocabulary
    source = torch.randint(4, vocabulary - 1, (11,), generator=generator)
    target = torch.randint(4, outputs - 1, (rows,), generator=generator)
    target[0] = more.get("start", model.generation_config.decoder_start_token_id
                         if model.generation_config.decoder_start_token_id is not None
                         else model.config.decoder_start_token_id)
    with torch.no_grad():
        # in double: what the model means, without transformers' own rounding
        logits = copy.deepcopy(model).double()(input_ids=source[None],
                                               decoder_input_ids=target[None]).logits[0]
        sources = [ids for _, ids in texts if len(ids) > 2][:6]
        searches = []
        for beams in (1, 4):
            given = {"forced_bos_token_id": first} if first is not None else {}
            if "start" in more:
                given["decoder_start_token_id"] = more["start"]
            found = [n_best(model, ids, beams, given) for ids in sources]
            searches.append({"beams": beams, "sources": sources, "outputs": [ids[0] for ids, _ in found]})
            if beams > 1:
                searches[-1].update(n_best=[ids for ids, _ in found], scores=[scores for _, scores in found])
    (folder / "expected.json").write_text(json.dumps({
        "origin": "tests/decode/families_test.py, transformers " + transformers.__version__,
        "texts": [{"text": text, "ids": ids} for text, ids in texts],
        "decoded": [{"ids": ids, "text": text} for ids, text in decoded],
        "logits": {"source": source.tolist(), "target": target.tolist(),
                   "rows": [[round(x, 5) for x in row] for row in logits.tolist()]},
        "searches": searches,
        **{key: value for key, value in more.items() if key.endswith("language")}},
        ensure_ascii=False, separators=(",", ":")) + "\n")


class Sizes:
    """small and tiny: what the repository keeps, with few pieces and no table of characters; base: as
    wide and deep as the paper's. `tying` says which embeddings are one."""

    def __init__(self, kind="usual", tying="all"):
        self.small = small = kind in ("small", "tiny")
        self.tying = tying
        self.pieces = 190 if small else 400
        self.rule = "identity" if small else "nmt_nfkc"
        self.width = {"tiny": 8, "small": 16, "usual": 64, "base": 512}[kind]
        self.heads = 8 if kind == "base" else 4
        self.layers = {"tiny": (1, 1), "small": (1, 1), "usual": (3, 2), "base": (6, 6)}[kind]
        self.spread = {"tiny": 0.5, "small": 0.4, "usual": 0.2, "base": 0.06}[kind]  # of the weights
        self.dtype = torch.float16 if small else torch.float32
        self.rows = 4 if small else 9  # of logits
        if kind == "tiny":
            self.rows, self.texts = 2, TEXTS[:4]
            return
        self.texts = TEXTS[:6] + TEXTS[11:13] + TEXTS[15:16] if small else TEXTS

    def finished(self, model):
        untie(model, self.tying)
        return model

    def bart(self, vocabulary, **more):
        inner = (4 if self.width == 512 else 2) * self.width
        return dict(vocab_size=vocabulary, d_model=self.width, encoder_layers=self.layers[0],
                    decoder_layers=self.layers[1], encoder_attention_heads=self.heads,
                    decoder_attention_heads=self.heads, encoder_ffn_dim=inner,
                    decoder_ffn_dim=inner, max_position_embeddings=64 if self.small else 128,
                    init_std=self.spread, dropout=0.0, **more)


def marian(folder, sizes, separate=False, activation="swish", dtype=None, shards=None,
           tags=False):
    source = train_spm(folder, "source.spm", sizes.pieces, rule=sizes.rule)
    target = train_spm(folder, "target.spm", sizes.pieces - 20, rule=sizes.rule)

    def pieces(*models):
        found = sorted({m.id_to_piece(i) for m in models for i in range(3, m.get_piece_size())})
        words = ["</s>", "<unk>"] + ([">>deu<<", ">>fra<<"] if tags else []) + found[::-1]
        return {piece: i for i, piece in enumerate(words + ["<pad>"])}

    vocabulary = pieces(source) if separate else pieces(source, target)
    write_json(folder / "vocab.json", vocabulary)
    other = vocabulary
    if separate:
        other = pieces(target)
        write_json(folder / "target_vocab.json", other)
    write_json(folder / "tokenizer_config.json", {"tokenizer_class": "MarianTokenizer",
                                                  "separate_vocabs": separate})
    pad = len(other) - 1
    config = transformers.MarianConfig(
        **sizes.bart(len(vocabulary), decoder_vocab_size=len(other), activation_function=activation,
                     share_encoder_decoder_embeddings=not separate, scale_embedding=True,
                     pad_token_id=pad, decoder_start_token_id=pad, eos_token_id=0,
                     forced_eos_token_id=0, static_position_embeddings=True,
                     normalize_before=False))
    torch.manual_seed(1)
    model = save(sizes.finished(transformers.MarianMTModel(config)), folder, dtype or sizes.dtype, shards,
                 bad_words_ids=[[pad]], forced_eos_token_id=0, decoder_start_token_id=pad, renormalize_logits=separate)
    tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
    texts = [(("  >>fra<< "[2:] if tags else "") + text) for text in sizes.texts]
    pairs = [(text, tokenizer(text)["input_ids"]) for text in texts]
    decoded = []
    for text in sizes.texts[:5]:
        ids = [other.get(p, other["<unk>"]) for p in target.encode(text, out_type=str)]
        if other["<unk>"] not in ids:
            decoded.append((ids + [0, pad], target.decode(target.encode(text, out_type=str))))
    expected(folder, model, pairs, decoded, rows=sizes.rows)


def fairseq_ids(model, text):
    """mBART's and NLLB's ids of SentencePiece's: <unk> is 3, others are one later."""
    return [i + 1 if i else 3 for i in model.encode(text)]


def mbart(folder, sizes, fifty=False, only_json=False):
    from transformers.models.mbart50.tokenization_mbart50 import FAIRSEQ_LANGUAGE_CODES as codes
    codes = codes if fifty else codes[:25]
    model_file = train_spm(folder, "sentencepiece.bpe.model", sizes.pieces, rule=sizes.rule)
    base = model_file.get_piece_size() + 1
    ids = {code: base + i for i, code in enumerate(codes)}
    size = base + len(codes) + 1
    start = 2 if fifty else ids["ro_RO"]
    config = transformers.MBartConfig(**sizes.bart(
        size, activation_function="gelu", scale_embedding=True, decoder_start_token_id=start,
        forced_eos_token_id=2))
    torch.manual_seed(1)
    model = save(sizes.finished(transformers.MBartForConditionalGeneration(config)), folder, sizes.dtype,
                 forced_eos_token_id=2, decoder_start_token_id=start)
    around = ((lambda x: [ids["en_XX"]] + x + [2]) if fifty else (lambda x: x + [2, ids["en_XX"]]))
    pairs = [(text, around(fairseq_ids(model_file, text))) for text in sizes.texts]
    decoded = [([ids["de_DE"]] + fairseq_ids(model_file, text) + [2], model_file.decode(
        model_file.encode(text))) for text in sizes.texts[:5] if 0 not in model_file.encode(text)]
    more = {} if fifty else {"start": ids["de_DE"]}
    if only_json:
        pairs = replace_by_json(folder, model_file, base, codes, sizes, around)
    expected(folder, model, pairs, decoded, first=ids["de_DE"] if fifty else None, rows=sizes.rows,
             source_language="en_XX", target_language="de", **more)


def replace_by_json(folder, model_file, base, codes, sizes, around):
    """tokenizer.json alone, as tokenizers has it for mBART: unigram, and its ids of the texts."""
    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    vocabulary += [(model_file.id_to_piece(i), model_file.get_score(i))
                   for i in range(3, model_file.get_piece_size())]
    vocabulary += [(code, 0.0) for code in codes] + [("<mask>", 0.0)]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram(vocabulary, unk_id=3))
    charsmap = spm_charsmap(folder / "sentencepiece.bpe.model")
    tokenizer.normalizer = tokenizers.normalizers.Sequence(
        ([tokenizers.normalizers.Precompiled(charsmap)] if charsmap else []) +
        [tokenizers.normalizers.Replace(tokenizers.Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([
        tokenizers.pre_tokenizers.WhitespaceSplit(), tokenizers.pre_tokenizers.Metaspace()])
    tokenizer.decoder = tokenizers.decoders.Metaspace()
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", "<mask>"] + codes)
    tokenizer.save(str(folder / "tokenizer.json"))
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))  # its scores are rounded again
    (folder / "sentencepiece.bpe.model").unlink()
    return [(text, around(tokenizer.encode(text).ids)) for text in sizes.texts]


def spm_charsmap(path):
    from sentencepiece import sentencepiece_model_pb2
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(path.read_bytes())
    return proto.normalizer_spec.precompiled_charsmap


def bart(folder, sizes, only_json=False):
    tokenizer = tokenizers.ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(LEARNT, vocab_size=300 if sizes.small else 500,
                                  special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
                                  show_progress=False)
    tokenizer.save_model(str(folder))
    size = tokenizer.get_vocab_size() + 3  # some folders have more ids than names
    config = transformers.BartConfig(**sizes.bart(
        size, activation_function="gelu", bos_token_id=0, pad_token_id=1, eos_token_id=2,
        decoder_start_token_id=2, forced_bos_token_id=0, forced_eos_token_id=2,
        normalize_embedding=True))
    torch.manual_seed(1)
    model = save(sizes.finished(transformers.BartForConditionalGeneration(config)), folder, torch.bfloat16,
                 forced_bos_token_id=0, forced_eos_token_id=2, no_repeat_ngram_size=3, min_length=8,
                 length_penalty=2.0, decoder_start_token_id=2)
    pairs = [(text, [0] + tokenizer.encode(text).ids + [2]) for text in sizes.texts]
    decoded = [([0] + tokenizer.encode(text).ids + [2], text) for text in sizes.texts]
    if only_json:
        tokenizer.save(str(folder / "tokenizer.json"))
        (folder / "vocab.json").unlink()
        (folder / "merges.txt").unlink()
    expected(folder, model, pairs, decoded, rows=sizes.rows)


def m2m_100(folder, sizes):
    model_file = train_spm(folder, "sentencepiece.bpe.model", sizes.pieces, "bpe", sizes.rule)
    pieces = ["<s>", "<pad>", "</s>", "<unk>"] + sorted(
        model_file.id_to_piece(i) for i in range(3, model_file.get_piece_size()))
    write_json(folder / "vocab.json", {piece: i for i, piece in enumerate(pieces)})
    tokenizer = transformers.M2M100Tokenizer(
        str(folder / "vocab.json"), str(folder / "sentencepiece.bpe.model"), src_lang="en")
    size = len(pieces) + 100 + 8
    config = transformers.M2M100Config(**sizes.bart(
        size, activation_function="relu", scale_embedding=True, decoder_start_token_id=2))
    torch.manual_seed(1)
    model = save(sizes.finished(transformers.M2M100ForConditionalGeneration(config)), folder, torch.float16,
                 forced_eos_token_id=2, decoder_start_token_id=2)
    pairs = [(text, tokenizer(text)["input_ids"]) for text in sizes.texts]
    german = tokenizer.get_lang_id("de")
    decoded = [([german] + tokenizer(text)["input_ids"][1:], model_file.decode(
        model_file.encode(text))) for text in sizes.texts[:5] if 0 not in model_file.encode(text)]
    expected(folder, model, pairs, decoded, first=german, rows=sizes.rows, source_language="en",
             target_language="de")


def nllb(folder, sizes, legacy=False, only_json=False, five=False):
    """five: without numbers, as transformers 5 writes and reads it, <mask> before the languages."""
    from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES as codes
    model_file = train_spm(folder, "sentencepiece.bpe.model", sizes.pieces, "bpe", sizes.rule)
    base = model_file.get_piece_size() + 1
    ids = {code: base + five + i for i, code in enumerate(codes)}
    size = base + len(codes) + 3
    write_json(folder / "tokenizer_config.json", {
        "tokenizer_class": "NllbTokenizer", "legacy_behaviour": legacy, "src_lang": "eng_Latn",
        **({"extra_special_tokens": codes} if five else {})})
    if not five:
        write_json(folder / "special_tokens_map.json", {"additional_special_tokens": codes})
    config = transformers.M2M100Config(**sizes.bart(
        size, activation_function="relu", scale_embedding=True, decoder_start_token_id=2))
    torch.manual_seed(1)
    model = save(sizes.finished(transformers.M2M100ForConditionalGeneration(config)), folder, sizes.dtype,
                 forced_eos_token_id=2, decoder_start_token_id=2)
    english = ids["eng_Latn"]
    around = (lambda x: x + [2, english]) if legacy else (lambda x: [english] + x + [2])
    pairs = [(text, around(fairseq_ids(model_file, text))) for text in sizes.texts]
    if five:
        tokenizer = transformers.NllbTokenizer.from_pretrained(folder)
        assert all(tokenizer(text)["input_ids"] == tokens for text, tokens in pairs[:6])
    if only_json:
        names = ["<s>", "<pad>", "</s>", "<unk>"] + [model_file.id_to_piece(i)
                                                     for i in range(3, base - 1)]
        vocabulary = {name: i for i, name in enumerate(names)}
        merges = sorted(((model_file.get_score(vocabulary[a + b] - 1), vocabulary[a + b], a, b)
                         for a in names[4:] for b in names[4:] if a + b in vocabulary),
                        key=lambda m: (-m[0], m[1]))
        tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(
            vocabulary, [(a, b) for _, _, a, b in merges], unk_token="<unk>", fuse_unk=True))
        charsmap = spm_charsmap(folder / "sentencepiece.bpe.model")
        tokenizer.normalizer = tokenizers.normalizers.Sequence(
            ([tokenizers.normalizers.Precompiled(charsmap)] if charsmap else []) +
            [tokenizers.normalizers.Replace(tokenizers.Regex(" {2,}"), " ")])
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
        tokenizer.decoder = tokenizers.decoders.Metaspace()
        tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"] + codes + ["<mask>"])
        assert tokenizer.token_to_id("eng_Latn") == english
        tokenizer.save(str(folder / "tokenizer.json"))
        (folder / "sentencepiece.bpe.model").unlink()
        pairs = [(text, around(tokenizer.encode(text).ids)) for text in sizes.texts]
    expected(folder, model, pairs, [], first=ids["deu_Latn"], rows=sizes.rows, source_language="en",
             target_language="deu_Latn")


def pegasus(folder, sizes):
    model_file = train_spm(folder, "spiece.model", sizes.pieces, rule=sizes.rule, pad_id=0, eos_id=1,
                           unk_id=2, bos_id=-1)
    size = model_file.get_piece_size() + 103
    config = transformers.PegasusConfig(**sizes.bart(
        size, activation_function="relu", scale_embedding=True, pad_token_id=0, eos_token_id=1,
        decoder_start_token_id=0, forced_eos_token_id=1, normalize_before=True))
    torch.manual_seed(1)
    model = save(sizes.finished(transformers.PegasusForConditionalGeneration(config)), folder, sizes.dtype,
                 forced_eos_token_id=1, decoder_start_token_id=0, length_penalty=0.8)
    pairs = [(text, [i + 103 for i in model_file.encode(text)] + [1]) for text in sizes.texts]
    decoded = [([i + 103 for i in model_file.encode(text)] + [1],
                model_file.decode(model_file.encode(text))) for text in sizes.texts[:5]
               if 2 not in model_file.encode(text)]
    expected(folder, model, pairs, decoded, rows=sizes.rows)


def t5(folder, sizes, gated=False, mt5=False):
    model_file = train_spm(folder, "spiece.model", sizes.pieces, rule=sizes.rule, pad_id=0, eos_id=1,
                           unk_id=2, bos_id=-1)
    size = model_file.get_piece_size() + 100 + 28
    options = dict(vocab_size=size, d_model=sizes.width, d_kv=64 if sizes.width == 512 else 6,
                   d_ff=2 * sizes.width, num_layers=sizes.layers[0],
                   num_decoder_layers=sizes.layers[1], num_heads=sizes.heads, relative_attention_num_buckets=8 if sizes.small else 32,
                   relative_attention_max_distance=10 if sizes.small else 128, dropout_rate=0.0,
                   decoder_start_token_id=0, initializer_factor=1.0)
    if mt5:
        config = transformers.MT5Config(feed_forward_proj="gated-gelu", **options)
        kind = transformers.MT5ForConditionalGeneration
    else:
        config = transformers.T5Config(feed_forward_proj="gated-gelu" if gated else "relu",
                                       **options, **({"tie_word_embeddings": False} if gated else {}))
        kind = transformers.T5ForConditionalGeneration
    torch.manual_seed(1)
    model = sizes.finished(kind(config))
    model = save(model, folder, sizes.dtype, decoder_start_token_id=0)
    if (gated or mt5) and sizes.tying == "all":  # a projection of its own, as T5 1.1 has it
        weights = load_file(folder / "model.safetensors")
        torch.manual_seed(2)
        weights["lm_head.weight"] = (torch.randn(size, sizes.width) * 0.4).to(sizes.dtype)
        save_file(weights, folder / "model.safetensors", {"format": "pt"})
        model = kind.from_pretrained(folder, dtype=torch.float32).eval()
        assert (model.lm_head.weight != model.shared.weight).any()
    pairs = [(text, model_file.encode(text) + [1]) for text in sizes.texts]
    extra = model_file.get_piece_size() + 99
    pairs.append(("The <extra_id_0> dog <extra_id_1>", model_file.encode("The ") + [extra] +
                  model_file.encode(" dog ") + [extra - 1, 1]))
    decoded = [(model_file.encode(text) + [1, 0, extra], model_file.decode(model_file.encode(text)))
               for text in sizes.texts[:5] if 2 not in model_file.encode(text)]
    expected(folder, model, pairs, decoded, rows=sizes.rows)


FOLDERS = {
    "marian": lambda f, s: marian(f, s),
    "marian-separate": lambda f, s: marian(f, s, separate=True, activation="relu",
                                           dtype=torch.float16, shards="20KB"),
    "marian-tags": lambda f, s: marian(f, s, activation="gelu", tags=True, dtype=torch.bfloat16),
    "pegasus": pegasus,
    "bart": bart,
    "bart-tokenizer-json": lambda f, s: bart(f, s, only_json=True),
    "mbart": mbart,
    "mbart-tokenizer-json": lambda f, s: mbart(f, s, only_json=True),
    "mbart50": lambda f, s: mbart(f, s, fifty=True),
    "m2m100": m2m_100,
    "nllb": nllb,
    "nllb-legacy": lambda f, s: nllb(f, s, legacy=True),
    "nllb-transformers-5": lambda f, s: nllb(f, s, five=True),
    "nllb-tokenizer-json": lambda f, s: nllb(f, s, only_json=True),
    "t5": t5,
    "t5-gated": lambda f, s: t5(f, s, gated=True),
    "mt5": lambda f, s: t5(f, s, mt5=True),
    "marian-base": lambda f, s: marian(f, Sizes("base"), activation="relu"),
    "m2m100-base": lambda f, s: m2m_100(f, Sizes("base")),
    "t5-base": lambda f, s: t5(f, Sizes("base"), gated=True),
}
UNTIED = {name + "-untied": FOLDERS[name] for name in (
    "marian", "marian-separate", "bart", "mbart50", "m2m100", "nllb", "pegasus", "t5", "t5-gated", "mt5")}
KEPT_UNTIED = ["marian-untied", "bart-untied", "mbart50-untied", "m2m100-untied", "nllb-untied", "pegasus-untied",
               "t5-untied", "mt5-untied"]
KEPT = ["marian", "bart", "mbart", "mbart50", "m2m100", "nllb",
        "nllb-transformers-5", "pegasus", "t5", "t5-gated"]


def write_folders(root, names, kind):
    for name in names:
        folder = Path(root, name)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if name in UNTIED:
            UNTIED[name](folder, Sizes("tiny" if kind == "small" else kind, tying="none"))
        else:
            FOLDERS[name](folder, Sizes(kind))


def main(arguments):
    if arguments[:1] == ["--write"]:
        write_folders(arguments[1], arguments[2:] or KEPT + KEPT_UNTIED, "small")
        return
    program = (arguments[0] if arguments
               else Path(os.environ["YONA_PROGRAM"]).parent / "tests" / "test_decode")
    with tempfile.TemporaryDirectory() as root:
        write_folders(root, [*FOLDERS, *UNTIED], "usual")
        subprocess.run([program, "--gtest_filter=All/Families.*"], check=True,
                       env=dict(os.environ, YONA_FAMILIES=root))


if __name__ == "__main__":
    main(sys.argv[1:])
