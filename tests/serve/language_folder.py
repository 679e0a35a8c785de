"""A GPT-2 or a Llama of random weights in a folder as the hub has them, with a tokeniser of tests/fixtures and a chat
template. Needs nothing but Python."""
import array
import json
import os
import random
import shutil
import struct

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{% if message.role not in ['system', 'user', 'assistant'] %}{{ raise_exception('unknown role ' + message.role) }}"
    "{% endif %}{{ message.role }}: {{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}")


def write_safetensors(path, tensors):
    """tensors: name → (shape, array of floats)."""
    header, offset = {}, 0
    for name, (shape, values) in tensors.items():
        size = 4 * len(values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, values in tensors.values():
            file.write(values.tobytes())


VOCABULARY = 330  # of the tokeniser


class Tensors(dict):
    """Random values by name, as write_safetensors takes them."""

    def __init__(self, seed):
        super().__init__()
        self.draw = random.Random(seed)

    def add(self, name, shape, spread=0.3, centre=0.0):
        count = 1
        for side in shape:
            count *= side
        self[name] = (shape, array.array("f", (self.draw.gauss(centre, spread) for _ in range(count))))


def write_tokenizer(folder, chat):
    fixtures = os.path.join(os.environ["YONA_FIXTURES"], "lm_tokenizers", "gpt2")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(fixtures, "tokenizer.json"), folder)
    with open(os.path.join(fixtures, "tokenizer_config.json"), encoding="utf-8") as file:
        config = json.load(file)
    if chat:
        config["chat_template"] = CHAT_TEMPLATE
    with open(os.path.join(folder, "tokenizer_config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)


def write_config(folder, **values):
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump({"vocab_size": VOCABULARY, "bos_token_id": 0, "eos_token_id": 0, **values}, file)


def language_folder(folder, context=128, width=16, layers=2, seed=1, chat=True):
    """Makes the folder of a GPT-2, and gives its path."""
    write_tokenizer(folder, chat)
    write_config(folder, model_type="gpt2", architectures=["GPT2LMHeadModel"], activation_function="gelu_new", n_embd=width,
                 n_head=4, n_layer=layers, n_positions=context, n_ctx=context, layer_norm_epsilon=1e-5, tie_word_embeddings=True)
    tensors = Tensors(seed)
    add = tensors.add
    add("transformer.wte.weight", [VOCABULARY, width], 0.5)
    add("transformer.wpe.weight", [context, width], 0.5)
    for layer in range(layers):
        name = f"transformer.h.{layer}."
        for norm in ("ln_1", "ln_2"):
            add(name + norm + ".weight", [width], 0.1, 1.0)
            add(name + norm + ".bias", [width], 0.1)
        add(name + "attn.c_attn.weight", [width, 3 * width])
        add(name + "attn.c_attn.bias", [3 * width], 0.1)
        add(name + "attn.c_proj.weight", [width, width])
        add(name + "attn.c_proj.bias", [width], 0.1)
        add(name + "mlp.c_fc.weight", [width, 4 * width])
        add(name + "mlp.c_fc.bias", [4 * width], 0.1)
        add(name + "mlp.c_proj.weight", [4 * width, width])
        add(name + "mlp.c_proj.bias", [width], 0.1)
    add("transformer.ln_f.weight", [width], 0.1, 1.0)
    add("transformer.ln_f.bias", [width], 0.1)
    write_safetensors(os.path.join(folder, "model.safetensors"), tensors)
    return folder


def llama_folder(folder, context=128, width=16, layers=2, seed=1):
    """The same of a Llama: rotary positions, RMS norms, SwiGLU, two heads of queries for each of keys, a projection of its
    own."""
    write_tokenizer(folder, chat=False)
    heads, kv_heads, inner = 4, 2, 2 * width
    write_config(folder, model_type="llama", architectures=["LlamaForCausalLM"], hidden_act="silu", hidden_size=width,
                 intermediate_size=inner, num_attention_heads=heads, num_key_value_heads=kv_heads, num_hidden_layers=layers,
                 max_position_embeddings=context, rms_norm_eps=1e-5, rope_theta=10000.0, tie_word_embeddings=False)
    tensors = Tensors(seed)
    shared = width // heads * kv_heads
    tensors.add("model.embed_tokens.weight", [VOCABULARY, width], 0.5)
    for layer in range(layers):
        name = f"model.layers.{layer}."
        for norm in ("input_layernorm", "post_attention_layernorm"):
            tensors.add(name + norm + ".weight", [width], 0.1, 1.0)
        for part, rows in (("q", width), ("k", shared), ("v", shared), ("o", width)):
            tensors.add(f"{name}self_attn.{part}_proj.weight", [rows, width])
        for part, rows, columns in (("gate", inner, width), ("up", inner, width), ("down", width, inner)):
            tensors.add(f"{name}mlp.{part}_proj.weight", [rows, columns])
    tensors.add("model.norm.weight", [width], 0.1, 1.0)
    tensors.add("lm_head.weight", [VOCABULARY, width])
    write_safetensors(os.path.join(folder, "model.safetensors"), tensors)
    return folder
