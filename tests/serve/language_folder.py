"""A GPT-2 of random weights in a folder as the hub has them, with a tokeniser of tests/fixtures and a chat template.
Needs nothing but Python."""
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


def language_folder(folder, context=128, width=16, layers=2, seed=1, chat=True):
    """Makes the folder, and gives its path."""
    fixtures = os.path.join(os.environ["YONA_FIXTURES"], "lm_tokenizers", "gpt2")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(fixtures, "tokenizer.json"), folder)
    with open(os.path.join(fixtures, "tokenizer_config.json"), encoding="utf-8") as file:
        config = json.load(file)
    if chat:
        config["chat_template"] = CHAT_TEMPLATE
    with open(os.path.join(folder, "tokenizer_config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    vocabulary = 330
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "activation_function": "gelu_new",
                   "n_embd": width, "n_head": 4, "n_layer": layers, "n_positions": context, "n_ctx": context,
                   "layer_norm_epsilon": 1e-5, "vocab_size": vocabulary, "bos_token_id": 0, "eos_token_id": 0,
                   "tie_word_embeddings": True}, file)
    draw = random.Random(seed)
    tensors = {}

    def add(name, shape, spread=0.3, centre=0.0):
        count = 1
        for side in shape:
            count *= side
        tensors[name] = (shape, array.array("f", (draw.gauss(centre, spread) for _ in range(count))))

    add("transformer.wte.weight", [vocabulary, width], 0.5)
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
