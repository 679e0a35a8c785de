"""`generate` of Hugging Face transformers with random weights, timed: the peer of `yona bench translate` and `yona bench generate`.

  python3 bench/peers/torch_decode.py --preset base --beam 4 --batch 64 --device cuda
  python3 bench/peers/torch_decode.py --preset gpt2-small --batch 64 --device cuda

The presets tiny, iwslt, base and big are MarianMT of the paper's sizes: 32 tokens in, exactly 32 out. gpt2-small is GPT-2: a prompt of
128 tokens, exactly 128 new ones. --new 4 and --src-len 8 make runs short enough for a CPU. Weights are stored in --dtype.
One line of JSON: tokens of the best hypotheses per second."""
import argparse
import json

import torch
import transformers

from torch_model import PRESETS
from torch_timing import add_device_flags, median_seconds, prepare, run_facts


def marian(a):
    layers, d, heads, d_ff, _ = PRESETS[a.preset]
    config = transformers.MarianConfig(
        vocab_size=a.vocab_size, d_model=d, encoder_layers=layers, decoder_layers=layers,
        encoder_attention_heads=heads, decoder_attention_heads=heads, encoder_ffn_dim=d_ff,
        decoder_ffn_dim=d_ff, activation_function="relu", scale_embedding=True,
        max_position_embeddings=max(1024, a.src_len, a.new + 1), pad_token_id=0, eos_token_id=1,
        decoder_start_token_id=0, forced_eos_token_id=None)
    return transformers.MarianMTModel(config)


def gpt2(a):
    config = transformers.GPT2Config(vocab_size=a.vocab_size, n_positions=max(1024, a.src_len + a.new))
    return transformers.GPT2LMHeadModel(config)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--preset", default="base", choices=[*PRESETS, "gpt2-small"])
    p.add_argument("--vocab-size", type=int, help="default 37056, of gpt2-small 50257")
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--beam", type=int, help="default 4, of gpt2-small 1")
    p.add_argument("--src-len", type=int, help="tokens in (default 32, of gpt2-small 128)")
    p.add_argument("--new", type=int, help="tokens out (default 32, of gpt2-small 128)")
    p.add_argument("--reps", type=int, default=3)
    add_device_flags(p)
    a = p.parse_args()
    prepare(a)
    causal = a.preset == "gpt2-small"
    defaults = (50257, 1, 128, 128) if causal else (37056, 4, 32, 32)
    for name, value in zip(("vocab_size", "beam", "src_len", "new"), defaults):
        setattr(a, name, getattr(a, name) or value)
    model = (gpt2 if causal else marian)(a).to(a.device, getattr(torch, a.dtype)).eval()
    first = 0 if causal else 2  # MarianMT: after padding and the end
    ids = torch.randint(first, a.vocab_size - 1, (a.batch, a.src_len), device=a.device)
    options = dict(attention_mask=torch.ones_like(ids), num_beams=a.beam, do_sample=False,
                   min_new_tokens=a.new, max_new_tokens=a.new)
    if causal:
        options["pad_token_id"] = a.vocab_size - 1

    def run():
        with torch.inference_mode():
            model.generate(ids, **options)

    s = median_seconds(run, a.device, a.reps, 1)
    print(json.dumps(run_facts(a) | dict(
        transformers=transformers.__version__, preset=a.preset, batch=a.batch, beam=a.beam, src_len=a.src_len,
        new=a.new, s=round(s, 4), tok_s=round(a.batch * a.new / s, 1))), flush=True)


if __name__ == "__main__":
    main()
