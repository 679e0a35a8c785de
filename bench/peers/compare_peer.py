"""The other engines of `yona bench compare`, which carries this file inside itself.

  compare_peer.py find ENGINE ""          prints {"name": "CTranslate2 4.8.4"} where it is installed, else {}
  compare_peer.py prepare ENGINE JOB      brings the weights to its own format; {"reason": …} where it cannot
  compare_peer.py serve ENGINE JOB        the talk of yona/cli/compare_engine.h

ENGINE is ctranslate2, transformers or marian. JOB is a JSON file with the model's folder, the
sentences as token ids, beam, batch, max_length, threads, end_id and compute_type; "folder" is a place
for what the engine needs. Answers go to the file named "answers", as ids and, where the job asks for
them, scores, in order.
"""
import importlib.metadata
import importlib.util
import json
import os
import resource
import sys
import time


os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")  # nothing is downloaded


class Unable(Exception):
    """This engine cannot run this job; the reason is for the report."""


def sorted_batches(sources, size):
    """Indices of sentences that are about as long, longest first."""
    order = sorted(range(len(sources)), key=lambda i: -len(sources[i]))
    return [order[i:i + size] for i in range(0, len(order), size)]


def quiet_transformers():
    from transformers.utils import logging
    logging.disable_progress_bar()


def model_config(job):
    with open(os.path.join(job["model"], "config.json"), encoding="utf-8") as file:
        return json.load(file)


class CTranslate2:
    title, needs = "CTranslate2", ("ctranslate2", "transformers", "torch")
    types = {"f32": "float32", "auto": "float32", "bf16": "bfloat16", "int8": "int8_float32"}

    @classmethod
    def prepare(cls, job):
        from ctranslate2.converters import TransformersConverter
        if job["compute_type"] not in cls.types:
            raise Unable(f"has no {job['compute_type']} on CPUs")
        quiet_transformers()
        TransformersConverter(job["model"]).convert(os.path.join(job["folder"], "ct2"), force=True)

    def __init__(self, job):
        import ctranslate2
        self.job = job
        folder = os.path.join(job["folder"], "ct2")
        self.engine = ctranslate2.Translator(
            folder, device="cpu", compute_type=self.types[job["compute_type"]], inter_threads=1,
            intra_threads=job["threads"])
        with open(os.path.join(folder, "shared_vocabulary.json"), encoding="utf-8") as file:
            self.pieces = json.load(file)
        self.ids = {piece: i for i, piece in enumerate(self.pieces)}

    def translate(self, sources):
        results = self.engine.translate_batch(
            [[self.pieces[i] for i in source] for source in sources],
            beam_size=self.job["beam"], max_batch_size=self.job["batch"],
            return_scores=self.job["scores"],
            max_decoding_length=self.job["max_length"])
        answers = []
        for result in results:
            ids = [self.ids[piece] for piece in result.hypotheses[0]]
            if len(ids) < self.job["max_length"]:
                ids.append(self.job["end_id"])
            answers.append({"ids": ids, "score": result.scores[0]} if result.scores else {"ids": ids})
        return answers


class Transformers:
    title, needs = "transformers", ("transformers", "torch")

    @staticmethod
    def prepare(job):
        if job["compute_type"] not in ("f32", "auto", "bf16"):
            raise Unable(f"has no {job['compute_type']} on CPUs")

    def __init__(self, job):
        import torch
        from transformers import AutoModelForSeq2SeqLM
        quiet_transformers()
        torch.set_num_threads(job["threads"])
        self.torch, self.job = torch, job
        kind = torch.bfloat16 if job["compute_type"] == "bf16" else torch.float32
        self.model = AutoModelForSeq2SeqLM.from_pretrained(job["model"], dtype=kind).eval()
        self.pad = self.model.config.pad_token_id

    def together(self, sources):
        length = max(map(len, sources))
        ids = self.torch.tensor([source + [self.pad] * (length - len(source)) for source in sources])
        mask = self.torch.tensor([[1] * len(source) + [0] * (length - len(source))
                                  for source in sources])
        beam = self.job["beam"]
        with self.torch.inference_mode():
            out = self.model.generate(
                input_ids=ids, attention_mask=mask, num_beams=beam, do_sample=False,
                length_penalty=1.0, early_stopping=False, max_length=self.job["max_length"] + 1,
                forced_eos_token_id=self.job["end_id"], return_dict_in_generate=True,
                output_scores=self.job["scores"] and beam > 1)
        answers = []
        for row in out.sequences[:, 1:].tolist():
            end = row.index(self.job["end_id"]) + 1 if self.job["end_id"] in row else len(row)
            answers.append({"ids": row[:end]})
        if self.job["scores"] and beam > 1:
            for answer, score in zip(answers, out.sequences_scores.tolist()):
                answer["score"] = score
        return answers

    def translate(self, sources):
        answers = [None] * len(sources)
        for batch in sorted_batches(sources, self.job["batch"]):
            for i, answer in zip(batch, self.together([sources[i] for i in batch])):
                answers[i] = answer
        return answers


HUGGING_FACE_NAMES = {
    "layers": "model.{side}.layers.{n}", "self": "self_attn", "context": "encoder_attn",
    "attention": ("q_proj", "k_proj", "v_proj", "out_proj"), "attention_norm": "{part}_layer_norm",
    "feed_forward": ("fc1", "fc2"), "feed_forward_norm": "final_layer_norm"}


def marian_layers(weights, layers, names):
    """The layers' arrays under Marian's names; products are x W there and x Wᵀ in `weights`."""
    arrays = {}

    def affine(theirs, name, suffix):
        arrays[f"{name}_W{suffix}"] = weights[theirs + ".weight"].T
        arrays[f"{name}_b{suffix}"] = weights[theirs + ".bias"][None]

    def norm(theirs, name):
        arrays[name + "_ln_scale"] = weights[theirs + ".weight"][None]
        arrays[name + "_ln_bias"] = weights[theirs + ".bias"][None]

    for side, parts in (("encoder", ("self",)), ("decoder", ("self", "context"))):
        for n in range(layers[side]):
            theirs, name = names["layers"].format(side=side, n=n), f"{side}_l{n + 1}"
            for part in parts:
                for letter, word in zip("qkvo", names["attention"]):
                    affine(f"{theirs}.{names[part]}.{word}", f"{name}_{part}", letter)
                norm(f"{theirs}.{names['attention_norm'].format(part=names[part])}", f"{name}_{part}_Wo")
            for suffix, word in zip("12", names["feed_forward"]):
                affine(f"{theirs}.{word}", f"{name}_ffn", suffix)
            norm(f"{theirs}.{names['feed_forward_norm']}", f"{name}_ffn_ffn")
    return arrays


class Marian:
    """The weights under Marian's names; positions as a table, since Marian's sinusoids are others."""
    title, needs = "Marian", ("pymarian", "numpy", "safetensors")

    @classmethod
    def prepare(cls, job):
        import numpy
        from safetensors.numpy import load_file
        config = model_config(job)
        if config.get("model_type") != "marian" or config.get("activation_function") != "relu":
            raise Unable(f"cannot hold a {config.get('model_type', 'model without a')} model")
        if job["compute_type"] not in ("f32", "auto"):
            raise Unable(f"is compared in f32 alone, not in {job['compute_type']}")
        weights = load_file(os.path.join(job["model"], "model.safetensors"))
        arrays = cls.arrays(weights, config, numpy)
        text = "\n".join(f"{key}: {value}" for key, value in cls.options(config).items()) + "\n"
        arrays["special:model.yml"] = numpy.frombuffer(text.encode() + b"\0", dtype=numpy.int8)
        numpy.savez(os.path.join(job["folder"], "model.npz"), **arrays)
        with open(os.path.join(job["folder"], "vocab.yml"), "w", encoding="utf-8") as file:
            file.writelines(f"{piece}: {i}\n" for i, piece in enumerate(cls.pieces(config)))

    @staticmethod
    def pieces(config):
        """</s> and <unk> are 0 and 1 in OPUS-MT's order, and <pad>, the last, does not exist there."""
        return ["</s>", "<unk>"] + [f"t{i}" for i in range(2, config["vocab_size"] - 1)]

    @staticmethod
    def positions(length, width, numpy):
        """All sines, then all cosines."""
        rate = 10000.0 ** (-2 * numpy.arange(width // 2) / width)
        angles = numpy.arange(length)[:, None] * rate[None]
        return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], axis=1)

    @classmethod
    def arrays(cls, weights, config, numpy):
        table = weights["model.shared.weight"][:-1]
        bias = weights.get("final_logits_bias", numpy.zeros((1, len(table) + 1)))
        arrays = {"encoder_Wemb": table, "decoder_Wemb": table, "decoder_ff_logit_out_W": table.T,
                  "decoder_ff_logit_out_b": bias.reshape(1, -1)[:, :-1],
                  "Wpos": cls.positions(config["max_position_embeddings"], config["d_model"], numpy)}

        arrays.update(marian_layers(weights, {side: config[f"{side}_layers"] for side in ("encoder", "decoder")},
                                    HUGGING_FACE_NAMES))
        return {name: numpy.ascontiguousarray(array, dtype=numpy.float32)
                for name, array in arrays.items()}

    @staticmethod
    def options(config):
        size = config["vocab_size"] - 1
        return {
            "version": "v1.12.0", "type": "transformer", "dim-vocabs": f"[{size}, {size}]",
            "dim-emb": config["d_model"], "enc-depth": config["encoder_layers"],
            "dec-depth": config["decoder_layers"],
            "transformer-heads": config["encoder_attention_heads"],
            "transformer-dim-ffn": config["encoder_ffn_dim"], "transformer-ffn-depth": 2,
            "transformer-ffn-activation": "relu", "transformer-preprocess": '""',
            "transformer-postprocess": "dan", "transformer-postprocess-emb": "d",
            "transformer-train-position-embeddings": "true",
            "max-length": config["max_position_embeddings"],
            "transformer-decoder-autoreg": "self-attention", "tied-embeddings-all": "false",
            "tied-embeddings": "false", "tied-embeddings-src": "false", "skip": "false",
            "transformer-no-projection": "false", "transformer-tied-layers": "[]",
            "transformer-guided-alignment-layer": "last", "input-types": "[]",
            "lemma-dim-emb": 0, "ulr": "false", "right-left": "false"}

    def __init__(self, job):
        from pymarian import Translator
        self.job, self.pieces_ = job, self.pieces(model_config(job))
        self.ids = {piece: i for i, piece in enumerate(self.pieces_)}
        folder = job["folder"]
        # Its limit is a multiple of the source's length: large enough here to be no limit.
        self.engine = Translator(
            f"-m {folder}/model.npz -v {folder}/vocab.yml {folder}/vocab.yml "
            f"--cpu-threads {job['threads']} -b {job['beam']} --normalize 0 --n-best "
            f"--mini-batch {job['batch']} --maxi-batch 1000 --maxi-batch-sort src "
            f"--max-length-factor {job['max_length']} --max-length 10000 -w 512 "
            "--quiet --quiet-translation")

    def translate(self, sources):
        texts = [" ".join(self.pieces_[i] for i in source[:-1]) for source in sources]
        lines = self.engine.translate(texts)
        best = {}
        for line in "\n".join(lines if isinstance(lines, list) else [lines]).splitlines():
            number, tokens, _, score = line.split(" ||| ")
            best.setdefault(int(number), (tokens.split(), float(score)))
        return [{"ids": [self.ids[token] for token in best[i][0]] + [self.job["end_id"]],
                 "score": best[i][1]} for i in range(len(sources))]


ENGINES = {"ctranslate2": CTranslate2, "transformers": Transformers, "marian": Marian}


def find(engine):
    if any(importlib.util.find_spec(name) is None for name in engine.needs):
        return {}
    return {"name": f"{engine.title} {importlib.metadata.version(engine.needs[0])}"}


def prepare(engine, job):
    try:
        for name in engine.needs:  # one that is installed may still lack something
            importlib.import_module(name)
        engine.prepare(job)
        return {"ready": True}
    except Unable as reason:
        return {"reason": str(reason)}
    except ImportError as reason:
        return {"reason": f"cannot be loaded: {reason}"}


def say(**event):
    print(json.dumps(event), flush=True)


def serve(engine, job):
    translator = engine(job)
    translator.translate(job["sources"][:1])
    say(event="first")
    answers = []
    for word in sys.stdin:
        if word.strip() != "run":
            break
        begin = time.perf_counter()
        answers = translator.translate(job["sources"])
        say(event="run", seconds=time.perf_counter() - begin)
    with open(job["answers"], "w", encoding="utf-8") as file:
        json.dump(answers, file)
    say(event="end", mem_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main(what, name, path):
    engine = ENGINES[name]
    if what == "find":
        return print(json.dumps(find(engine)))
    with open(path, encoding="utf-8") as file:
        job = json.load(file)
    if what == "prepare":
        return print(json.dumps(prepare(engine, job)))
    return serve(engine, job)


if __name__ == "__main__":
    main(*sys.argv[1:])
