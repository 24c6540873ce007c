#!/usr/bin/python3
"""Writes the reference cases of the stand_alone_2d variant: tests/reference/stand_alone_2d/NAME/{experiment.json,
arrays.npz,expect.npz}, the layout of the acceptance cases.

An implementation of its own, in NumPy and float64: every pair of query and key by itself, with the vector of its offset
written out, and nothing shared with the engine. Inputs are rounded to float32 first, so that both sides start from the
same numbers. Run it from anywhere; the same files come out each time.
"""
import json
import math
import pathlib
import sys

import numpy as np

sys.dont_write_bytecode = True
from make_multi_head import save, softmax  # noqa: E402

HERE = pathlib.Path(__file__).parent / "stand_alone_2d"


def keys_of(i, j, height, width, extent):
    """(row, column) of each key of the query at row i, column j, in order; some may lie outside the picture."""
    if extent is None:
        return [(a, b) for a in range(height) for b in range(width)]
    reach = extent // 2
    return [(a, b) for a in range(i - reach, i + reach + 1) for b in range(j - reach, j + reach + 1)]


def pixels_of(x, w, bias):
    """(B, C, H, W) through (M, C, d) to (B, M, H, W, d)."""
    out = np.einsum("bchw,mcd->bmhwd", x, w)
    return out if bias is None else out + bias[None, :, None, None, :]


def run(params, a):
    """Every step by its id."""
    out = {}
    x, extent = a["x"], params.get("extent")
    batches, channels, height, width = x.shape
    heads, mid = params["heads"], params["mid_channels"]
    q, k, v = (pixels_of(x, a["w_" + name], a.get("b_" + name)) for name in "qkv")
    for name, pixels in zip("qkv", (q, k, v)):
        out[name] = pixels.reshape(batches, heads, height * width, mid)
    rows, columns = a["row_embedding"], a["col_embedding"]
    middle = len(rows) // 2  # the entry of the offset 0
    if extent is None:
        out["row_embedding"] = np.array([[rows[t - f + middle] for t in range(height)] for f in range(height)])
        out["col_embedding"] = np.array([[columns[t - f + middle] for t in range(width)] for f in range(width)])
    norm = math.sqrt(mid if params.get("normalizer") == "sqrt_d_head" else channels)
    n_k = height * width if extent is None else extent ** 2
    position, content = np.zeros((2, batches, heads, height, width, n_k))
    inside = np.zeros((height, width, n_k), bool)
    values = np.zeros((batches, heads, height, width, n_k, mid))
    for i in range(height):
        for j in range(width):
            for n, (r, c) in enumerate(keys_of(i, j, height, width, extent)):
                offset = np.concatenate([rows[r - i + middle], columns[c - j + middle]])
                position[:, :, i, j, n] = q[:, :, i, j] @ offset / norm
                inside[i, j, n] = 0 <= r < height and 0 <= c < width
                if inside[i, j, n]:
                    content[:, :, i, j, n] = (q[:, :, i, j] * k[:, :, r, c]).sum(-1) / norm
                    values[:, :, i, j, n] = v[:, :, r, c]
    flat = (batches, heads, height * width, n_k)
    out["position_scores"], out["content_scores"] = position.reshape(flat), content.reshape(flat)
    last = position + content
    out["scaled_scores"] = last.reshape(flat)
    if extent is not None and params.get("padding", "masked") == "masked":
        last = np.where(inside, last, -np.inf)
        out["masked_scores"] = last.reshape(flat)
    weights = softmax(last)
    out["weights"] = weights.reshape(flat)
    head_outputs = np.einsum("bmhwn,bmhwnd->bmhwd", weights, values)
    out["head_outputs"] = head_outputs.reshape(batches, heads, height * width, mid)
    concat = head_outputs.transpose(0, 2, 3, 1, 4).reshape(batches, height * width, heads * mid)
    out["concat"] = concat
    output = concat @ a["w_o"] + a.get("b_o", 0)
    out["output"] = output.transpose(0, 2, 1).reshape(batches, -1, height, width)
    return out


def cases():
    """Name, parameters, shape of x, entries of the tables, output channels, biases."""
    small = {"heads": 2, "mid_channels": 4}
    yield "square", small, (2, 3, 3, 3), 5, 3, ()
    yield "rectangle", {**small, "normalizer": "sqrt_d_head"}, (1, 2, 2, 5), 9, 4, "qkvo"
    yield "larger_tables", {**small, "max_position": 6}, (1, 2, 4, 3), 11, 2, "k"
    yield "one_pixel", {"heads": 1, "mid_channels": 2}, (2, 1, 1, 1), 1, 1, ()
    yield "window_masked", {**small, "extent": 3}, (2, 3, 4, 3), 3, 5, "qkvo"
    yield "window_zero", {**small, "extent": 3, "padding": "zero"}, (2, 3, 4, 3), 3, 5, "qkvo"
    yield "window_d_head", {**small, "extent": 3, "normalizer": "sqrt_d_head", "max_position": 4}, (1, 3, 4, 5), 7, 3, ()
    yield "window_beyond", {**small, "extent": 5}, (1, 2, 2, 3), 5, 2, ()
    yield "window_beyond_zero", {**small, "extent": 5, "padding": "zero"}, (1, 2, 2, 3), 5, 2, "vo"
    yield "window_of_one", {**small, "extent": 1, "padding": "zero"}, (1, 2, 2, 3), 1, 2, ()


def main():
    for number, (name, params, x, entries, out, biases) in enumerate(cases()):
        rng = np.random.Generator(np.random.PCG64(100 + number))
        heads, mid = params["heads"], params["mid_channels"]
        shapes = {"x": x, "w_o": (heads * mid, out), "row_embedding": (entries, mid // 2),
                  "col_embedding": (entries, mid // 2)}
        shapes.update({"w_" + which: (heads, x[1], mid) for which in "qkv"})
        shapes.update({"b_" + which: (out,) if which == "o" else (heads, mid) for which in biases})
        a = {key: rng.standard_normal(shapes[key]).astype(np.float32).astype(float) for key in sorted(shapes)}
        folder = HERE / name
        folder.mkdir(parents=True, exist_ok=True)
        experiment = {"headlight": 1, "variant": "stand_alone_2d", "params": params, "arrays": "arrays.npz"}
        (folder / "experiment.json").write_text(json.dumps(experiment, indent=2) + "\n")
        save(folder / "arrays.npz", a)
        save(folder / "expect.npz", run(params, a))


if __name__ == "__main__":
    main()
