#!/usr/bin/python3
"""Writes the reference cases of the memory_block variant: tests/reference/memory_block/NAME/{experiment.json,
arrays.npz,expect.npz}, the layout of the acceptance cases.

An implementation of its own, in NumPy and float64, as the article does it: the picture is padded with zeros, each
window is cut out, and keys and values are made anew for every window. Nothing is shared with the engine. Inputs are
rounded to float32 first. Run it from anywhere; the same files come out each time.
"""
import json
import math
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True
from make_multi_head import save, softmax  # noqa: E402

HERE = pathlib.Path(__file__).parent / "memory_block"


def run(params, a):
    """Every step by its id."""
    x, w_q, w_k, w_v = a["x"], a["w_q"], a["w_k"], a["w_v"]
    batches, channels, height, width = x.shape
    heads, d_head, extent = params["heads"], params["d_head"], params["extent"]
    n, n_k, reach = height * width, extent ** 2, extent // 2
    around = ((0, 0), (0, 0), (reach, reach), (reach, reach))
    padded, inside = np.pad(x, around), np.pad(np.ones((1, 1, height, width)), around)
    scores, masked = np.zeros((2, batches, heads, n, n_k))
    values = np.zeros((batches, heads, n, n_k, d_head))
    for i in range(height):
        for j in range(width):
            block = padded[:, :, i:i + extent, j:j + extent].reshape(batches, channels, n_k)
            query = np.einsum("bc,mcd->bmd", x[:, :, i, j], w_q)
            keys = np.einsum("bcn,mcd->bmnd", block, w_k)
            scores[:, :, i * width + j] = np.einsum("bmd,bmnd->bmn", query, keys)
            values[:, :, i * width + j] = np.einsum("bcn,mcd->bmnd", block, w_v)
            there = inside[0, 0, i:i + extent, j:j + extent].reshape(n_k) > 0
            masked[:, :, i * width + j] = np.where(there, 0, -np.inf)
    out = {name: np.einsum("bcn,mcd->bmnd", x.reshape(batches, channels, n), a["w_" + name]) for name in "qkv"}
    out["scores"] = scores
    last = out["scaled_scores"] = scores / math.sqrt(d_head)
    if params["padding"] == "masked":
        last = out["masked_scores"] = last + masked
    out["weights"] = softmax(last)
    out["head_outputs"] = np.einsum("bmin,bmind->bmid", out["weights"], values)
    out["output"] = out["head_outputs"].transpose(0, 1, 3, 2).reshape(batches, heads * d_head, height, width)
    return out


def cases():
    """Name, parameters, shape of x."""
    for padding in ("zero", "masked"):
        small = {"extent": 3, "heads": 2, "d_head": 3, "padding": padding}
        yield padding, small, (2, 3, 3, 4)
        yield padding + "_beyond", {**small, "extent": 5}, (1, 2, 2, 6)
        yield padding + "_window_of_one", {**small, "extent": 1}, (1, 2, 3, 2)
    yield "one_pixel", {"extent": 3, "heads": 1, "d_head": 1, "padding": "zero"}, (2, 1, 1, 1)


def main():
    for number, (name, params, x) in enumerate(cases()):
        rng = np.random.Generator(np.random.PCG64(200 + number))
        a = {key: rng.standard_normal((params["heads"], x[1], params["d_head"])) for key in ("w_q", "w_k", "w_v")}
        a["x"] = rng.standard_normal(x)
        a = {key: value.astype(np.float32).astype(float) for key, value in a.items()}
        folder = HERE / name
        folder.mkdir(parents=True, exist_ok=True)
        experiment = {"headlight": 1, "variant": "memory_block", "params": params, "arrays": "arrays.npz"}
        (folder / "experiment.json").write_text(json.dumps(experiment, indent=2) + "\n")
        save(folder / "arrays.npz", a)
        save(folder / "expect.npz", run(params, a))


if __name__ == "__main__":
    main()
