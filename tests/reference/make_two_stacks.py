#!/usr/bin/python3
"""Reference cases of single layers of models with an encoder and a decoder: tests/reference/layers/NAME/.

T5's layers are those of make_models.py, out of the file of its weights alone. DETR's are PyTorch's own attention, norms and linear
maps in double precision, under its own names and under the library's. The same files come out each time.
"""
import json
import pathlib

import numpy as np
import torch

from cases import save
from make_models import HEADS, T5
from make_state_dict import write_safetensors

HERE = pathlib.Path(__file__).parent / "layers"
D, FF, LAYERS = 6, 8, 2


def write(name, names, asked, arrays, expected, **params):
    folder = HERE / name
    folder.mkdir(parents=True, exist_ok=True)
    write_safetensors(folder / "mine.safetensors", names)
    experiment = {"headlight": 1, "variant": "multi_head", "params": {"heads": HEADS, **params},
                  "weights": {"from": "mine.safetensors", **asked}, "arrays": "arrays.npz"}
    (folder / "experiment.json").write_text(json.dumps(experiment, indent=2) + "\n")
    save(folder / "arrays.npz", arrays)
    save(folder / "expect.npz", expected)


def t5(gated, seed):
    model = T5(seed, gated, True)
    names = {"module." + name: values for name, values in model.a.items()}  # as data parallel saves them
    s = model.run(np.array([[3, 1, 4, 1, 5]]), np.array([[0, 2, 7, 1]]))
    suffix = "_gated" if gated else ""
    write("t5_encoder" + suffix, names, {"layer": 1}, {"x_q": s["encoder/layer1/input"]},
          {"weights": s["encoder/layer1/weights"], "output": s["encoder/hidden"]}, max_distance=model.farthest)
    write("t5_cross" + suffix, names, {"stack": "decoder", "attention": "cross", "layer": 1},
          {"x_q": s["decoder/layer1/cross/input"], "x_k": s["encoder/final_norm"]},
          {"weights": s["decoder/layer1/cross/weights"], "output": s["decoder/layer2/input"]})
    if not gated:
        write("t5_decoder", names, {"layout": "t5", "stack": "decoder", "attention": "self", "layer": 2}, {"x_q": s["decoder/layer2/input"]},
              {"weights": s["decoder/layer2/weights"], "output": s["decoder/layer2/cross/input"]}, max_distance=model.farthest)


class Layer(torch.nn.Module):
    """Of DETR's decoder, or without what it asks the encoder of its encoder. Carion et al. 2020, supplement A.3."""

    def __init__(self, decoder):
        super().__init__()
        self.self_attn = torch.nn.MultiheadAttention(D, HEADS, batch_first=True)
        if decoder:
            self.multihead_attn = torch.nn.MultiheadAttention(D, HEADS, batch_first=True)
            self.norm3 = torch.nn.LayerNorm(D)
        self.linear1, self.linear2 = torch.nn.Linear(D, FF), torch.nn.Linear(FF, D)
        self.norm1, self.norm2 = torch.nn.LayerNorm(D), torch.nn.LayerNorm(D)

    def asks_itself(self, x, p):
        out, weights = self.self_attn(x + p, x + p, x, average_attn_weights=False)
        return self.norm1(x + out), weights

    def asks(self, x, p, memory, places):
        out, weights = self.multihead_attn(x + p, memory + places, memory, average_attn_weights=False)
        return self.norm2(x + out), weights

    def fed(self, x, norm):
        return norm(x + self.linear2(torch.relu(self.linear1(x))))


def of_library(name, value):
    """Its names and arrays for one of a decoder layer's or an encoder layer's own."""
    decoder = ".decoder." in name or name.startswith("decoder.")
    name = name.replace("transformer.", "model.").replace("multihead_attn", "encoder_attn").replace("linear1", "fc1").replace("linear2", "fc2")
    norms = {"norm1": "self_attn_layer_norm", "norm2": "encoder_attn_layer_norm" if decoder else "final_layer_norm", "norm3": "final_layer_norm"}
    for own, theirs in norms.items():
        name = name.replace("." + own, "." + theirs)
    if "in_proj_" not in name:
        return {name: value}
    return {name.replace("in_proj_", x + "_proj."): part for x, part in zip("qkv", np.split(value, 3))}


def detr():
    torch.set_default_dtype(torch.float64)
    rng = np.random.default_rng(31)
    drawn = lambda *shape: rng.standard_normal(shape).astype(np.float32).astype(float)
    layers = {stack: [Layer(stack == "decoder") for _ in range(LAYERS)] for stack in ("encoder", "decoder")}
    own = {}
    for stack, all_of in layers.items():
        for l, layer in enumerate(all_of):
            for name, parameter in layer.named_parameters():
                parameter.data = torch.from_numpy(drawn(*parameter.shape) * 0.6)
                own[f"transformer.{stack}.layers.{l}.{name}"] = parameter.detach().numpy()
    library = {name: value for one in own.items() for name, value in of_library(*one).items()}
    x, p, memory, places = (drawn(1, n, D) for n in (3, 3, 5, 5))
    given = [torch.from_numpy(y) for y in (x, p, memory, places)]
    with torch.no_grad():
        l = layers["encoder"][1]
        between, weights = l.asks_itself(given[2], given[3])
        of_encoder = {"weights": weights.numpy(), "output": l.fed(between, l.norm2).numpy()}
        l = layers["decoder"][1]
        between, weights = l.asks_itself(*given[:2])
        of_self = {"weights": weights.numpy(), "output": between.numpy()}
        between, weights = l.asks(*given)
        of_cross = {"weights": weights.numpy(), "output": l.fed(between, l.norm3).numpy()}
    for name, names, layout in (("detr_own", own, {"layout": "detr"}), ("detr", library, {})):
        write(name + "_encoder", names, {**layout, "stack": "encoder", "layer": 1}, {"x_q": memory, "p_q": places, "p_k": places}, of_encoder)
        write(name + "_decoder", names, {**layout, "stack": "decoder", "attention": "self", "layer": 1}, {"x_q": x, "p_q": p, "p_k": p}, of_self)
        write(name + "_cross", names, {**layout, "stack": "decoder", "attention": "cross", "layer": 1},
              {"x_q": x, "p_q": p, "x_k": memory, "p_k": places}, of_cross)
    # Its own names are told from PyTorch's by what stands round the transformer: its decoder hides no later key.
    write("detr_found_decoder", {**own, "query_embed.weight": drawn(7, D)}, {"stack": "decoder", "attention": "self", "layer": 1},
          {"x_q": x, "p_q": p, "p_k": p}, of_self)


def main():
    t5(False, 21), t5(True, 22), detr()


if __name__ == "__main__":
    main()
