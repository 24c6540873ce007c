#!/usr/bin/env python3
"""gpt2.py FOLDER: a model of GPT-2's size (124 million numbers, 0.5 GB) with random weights, as its folder from a hub looks, with a
tokenizer of single bytes."""
import json
import pathlib
import sys

import numpy

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
layers, width, heads, words, places = 12, 768, 12, 50257, 1024
(folder / "config.json").write_text(json.dumps({
    "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": layers, "n_embd": width, "n_head": heads, "n_positions": places, "n_ctx": places,
    "vocab_size": words, "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new"}))
shapes = {"wte.weight": (words, width), "wpe.weight": (places, width), "ln_f.weight": (width,), "ln_f.bias": (width,)}
for i in range(layers):
    for norm in ("ln_1", "ln_2"):
        shapes |= {f"h.{i}.{norm}.weight": (width,), f"h.{i}.{norm}.bias": (width,)}
    for name, (rows, columns) in {"attn.c_attn": (width, 3 * width), "attn.c_proj": (width, width), "mlp.c_fc": (width, 4 * width), "mlp.c_proj": (4 * width, width)}.items():
        shapes |= {f"h.{i}.{name}.weight": (rows, columns), f"h.{i}.{name}.bias": (columns,)}
header, at = {}, 0
for name, shape in shapes.items():
    size = 4 * int(numpy.prod(shape))
    header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [at, at + size]}
    at += size
numbers = numpy.random.default_rng(1)
with open(folder / "model.safetensors", "wb") as file:
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write(len(text).to_bytes(8, "little") + text)
    for name, shape in shapes.items():
        ones = name.endswith("weight") and "ln_" in name
        file.write((numpy.ones(shape) if ones else 0.02 * numbers.standard_normal(shape)).astype("<f4").tobytes())
# Bytes as GPT-2 writes them: those that can be printed as themselves, the others from U+0100 on.
printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
letters, other = {byte: chr(byte) for byte in printed}, 0
for byte in range(256):
    if byte not in letters:
        letters[byte], other = chr(256 + other), other + 1
vocabulary = {letters[byte]: byte for byte in range(256)} | {"<|endoftext|>": words - 1}
(folder / "vocab.json").write_text(json.dumps(vocabulary))
(folder / "merges.txt").write_text("#version: 0.2\n")
