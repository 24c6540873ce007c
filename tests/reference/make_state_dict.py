#!/usr/bin/python3
"""Reference cases of layers that come from a state dict: tests/reference/multi_head/from_NAME/{experiment.json,
mine.safetensors,arrays.npz,expect.npz}.

Weights are drawn as the formulas of make_multi_head.py have them, and written number by number to the places that each
framework gives them: the inverse of what the engine does, by loops. The same files come out each time.
"""
import json
import pathlib
import struct

import numpy as np

from make_multi_head import run, save

HERE = pathlib.Path(__file__).parent / "multi_head"
HEADS, WIDTH, D, FF = 2, 3, 6, 8


def write_safetensors(path, arrays):
    header, data = {}, b""
    for name, values in arrays.items():
        raw = np.asarray(values, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(np.shape(values)), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def draw(rng):
    shapes = {"w_q": (HEADS, D, WIDTH), "w_k": (HEADS, D, WIDTH), "w_v": (HEADS, D, WIDTH), "b_q": (HEADS, WIDTH), "b_k": (HEADS, WIDTH),
              "b_v": (HEADS, WIDTH), "w_o": (HEADS * WIDTH, D), "b_o": (D,), "w_1": (D, FF), "b_1": (FF,), "w_2": (FF, D), "b_2": (D,),
              "ln_gamma": (D,), "ln_beta": (D,), "ln2_gamma": (D,), "ln2_beta": (D,)}
    return {name: rng.standard_normal(shape).astype(np.float32).astype(float) for name, shape in shapes.items()}


def rows_of_heads(w, b):
    """nn.Linear's (out, in): channel c of head m is row m · WIDTH + c."""
    weight, bias = np.zeros((HEADS * WIDTH, D)), np.zeros(HEADS * WIDTH)
    for m in range(HEADS):
        for c in range(WIDTH):
            bias[m * WIDTH + c] = b[m, c]
            for i in range(D):
                weight[m * WIDTH + c, i] = w[m, i, c]
    return weight, bias


def linear(names, at, w, b):
    names[at + ".weight"], names[at + ".bias"] = np.array([[w[i, o] for i in range(w.shape[0])] for o in range(w.shape[1])]), b


def norm(names, at, a, which, gamma="weight", beta="bias"):
    names[f"{at}.{gamma}"], names[f"{at}.{beta}"] = a[which + "_gamma"], a[which + "_beta"]


def torch_attention(names, at, a):
    three = [rows_of_heads(a["w_" + x], a["b_" + x]) for x in "qkv"]
    names[at + "in_proj_weight"] = np.concatenate([weight for weight, _ in three])
    names[at + "in_proj_bias"] = np.concatenate([bias for _, bias in three])
    linear(names, at + "out_proj", a["w_o"], a["b_o"])


def torch_encoder(names, at, a):
    torch_attention(names, at + "self_attn.", a)
    linear(names, at + "linear1", a["w_1"], a["b_1"])
    linear(names, at + "linear2", a["w_2"], a["b_2"])
    norm(names, at + "norm1", a, "ln")
    norm(names, at + "norm2", a, "ln2")


def gpt2(names, at, a):
    weight, bias = np.zeros((D, 3 * D)), np.zeros(3 * D)
    for part, x in enumerate("qkv"):
        for m in range(HEADS):
            for c in range(WIDTH):
                column = part * HEADS * WIDTH + m * WIDTH + c
                bias[column] = a["b_" + x][m, c]
                for i in range(D):
                    weight[i, column] = a["w_" + x][m, i, c]
    names[at + "attn.c_attn.weight"], names[at + "attn.c_attn.bias"] = weight, bias
    for name, which in (("attn.c_proj", "o"), ("mlp.c_fc", "1"), ("mlp.c_proj", "2")):
        names[f"{at}{name}.weight"], names[f"{at}{name}.bias"] = a["w_" + which], a["b_" + which]
    norm(names, at + "ln_1", a, "ln")
    norm(names, at + "ln_2", a, "ln2")


def timm(names, at, a):
    """As class Block of timm's vision_transformer.py has it: queries, keys and values in one matrix."""
    three = [rows_of_heads(a["w_" + x], a["b_" + x]) for x in "qkv"]
    names[at + "attn.qkv.weight"] = np.concatenate([weight for weight, _ in three])
    names[at + "attn.qkv.bias"] = np.concatenate([bias for _, bias in three])
    for name, which in (("attn.proj", "o"), ("mlp.fc1", "1"), ("mlp.fc2", "2")):
        linear(names, at + name, a["w_" + which], a["b_" + which])
    norm(names, at + "norm1", a, "ln")
    norm(names, at + "norm2", a, "ln2")


def hugging_face(attention, q, k, v, o, first, up, down, second, **spelt):
    def layer(names, at, a):
        for name, x in ((q, "q"), (k, "k"), (v, "v")):
            names[f"{at}{attention}{name}.weight"], names[f"{at}{attention}{name}.bias"] = rows_of_heads(a["w_" + x], a["b_" + x])
        for name, which in ((o, "o"), (up, "1"), (down, "2")):
            linear(names, at + name, a["w_" + which], a["b_" + which])
        norm(names, at + first, a, "ln", **spelt)
        norm(names, at + second, a, "ln2", **spelt)
    return layer


bert = hugging_face("attention.self.", "query", "key", "value", "attention.output.dense", "attention.output.LayerNorm",
                    "intermediate.dense", "output.dense", "output.LayerNorm", gamma="gamma", beta="beta")
distilbert = hugging_face("attention.", "q_lin", "k_lin", "v_lin", "attention.out_lin", "sa_layer_norm", "ffn.lin1", "ffn.lin2",
                          "output_layer_norm")
vit = hugging_face("attention.attention.", "query", "key", "value", "attention.output.dense", "layernorm_before",
                   "intermediate.dense", "output.dense", "layernorm_after")
post = {"block": "post_norm", "ffn": True}
cases = [
    ("torch_attention", torch_attention, "", {"heads": HEADS}, {}, {}),
    ("torch_encoder", torch_encoder, "encoder.layers.{}.", {"heads": HEADS}, {**post, "norm_epsilon": 1e-5}, {"layer": 1}),
    ("gpt2", gpt2, "transformer.h.{}.", {"heads": HEADS},
     {"block": "pre_norm", "ffn": True, "mask": "causal", "ffn_activation": "gelu_tanh"}, {"layer": 1, "layout": "gpt2"}),
    ("bert", bert, "bert.encoder.layer.{}.", {"heads": HEADS}, {**post, "ffn_activation": "gelu", "norm_epsilon": 1e-12}, {}),
    ("distilbert", distilbert, "transformer.layer.{}.", {"heads": HEADS},
     {**post, "ffn_activation": "gelu", "norm_epsilon": 1e-12}, {"layer": 2}),
    ("vit", vit, "vit.encoder.layer.{}.", {}, {"block": "pre_norm", "ffn": True, "ffn_activation": "gelu", "norm_epsilon": 1e-3}, {}),
    ("timm", timm, "blocks.{}.", {"heads": HEADS},
     {"block": "pre_norm", "ffn": True, "ffn_activation": "gelu", "norm_epsilon": 1e-6}, {"layer": 1}),
]
for number, (name, layer, at, params, implied, asked) in enumerate(cases):
    rng = np.random.default_rng(100 + number)
    folder = HERE / ("from_" + name)
    folder.mkdir(parents=True, exist_ok=True)
    names, chosen = {}, None
    for which in range(3 if "{}" in at else 1):
        a = draw(rng)
        layer(names, at.format(which), a)
        if which == asked.get("layer", 0):
            chosen = a
    names["embeddings.weight"] = rng.standard_normal((4, D))
    write_safetensors(folder / "mine.safetensors", names)
    if not params:  # heads and epsilon stand in the model's config
        (folder / "config.json").write_text('{"num_attention_heads": 2, "layer_norm_eps": 0.001}\n')
    x = rng.standard_normal((2, 5, D)).astype(np.float32).astype(float)
    experiment = {"headlight": 1, "variant": "multi_head", "params": params, "weights": {"from": "mine.safetensors", **asked},
                  "arrays": "arrays.npz"}
    (folder / "experiment.json").write_text(json.dumps(experiment, indent=2) + "\n")
    save(folder / "arrays.npz", {"x_q": x})
    save(folder / "expect.npz", run({"heads": HEADS, "d_head": WIDTH, **implied}, {"x_q": x, **chosen}))
