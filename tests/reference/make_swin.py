#!/usr/bin/python3
"""Writes the reference cases of the swin variant: tests/reference/swin/NAME/{experiment.json,arrays.npz,expect.npz}.

An implementation of its own, in NumPy and float64, as the authors' program does it: the picture is rolled, cut into
windows, each window attends with the mask of its regions, and all is put together and rolled back. Nothing is shared with
the engine. Run it from anywhere; the same files come out each time.
"""
import pathlib

import numpy as np

import cases as files

HERE = pathlib.Path(__file__).parent / "swin"


def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def cut(x, w):
    """(..., H, W, c) into (..., windows, w * w, c)."""
    *lead, h, width, c = x.shape
    x = x.reshape(*lead, h // w, w, width // w, w, c)
    x = np.moveaxis(x, -4, -3)
    return x.reshape(*lead, (h // w) * (width // w), w * w, c)


def joined(x, h, width, w):
    """The way back."""
    *lead, _, _, c = x.shape
    x = x.reshape(*lead, h // w, width // w, w, w, c)
    return np.moveaxis(x, -3, -4).reshape(*lead, h, width, c)


def regions(h, width, w, s):
    """As the published program numbers them: three slices of rows by three of columns."""
    image, number = np.zeros((h, width)), 0
    for rows in (slice(0, -w), slice(-w, -s), slice(-s, None)):
        for columns in (slice(0, -w), slice(-w, -s), slice(-s, None)):
            image[rows, columns] = number
            number += 1
    return image


def run(params, a):
    out = {}
    x, m, d = a["x"], params["heads"], params["d_head"]
    b, _, h, width = x.shape
    w, s = params.get("window", 4), params.get("shift", 0)
    rows = x.reshape(b, x.shape[1], h * width).transpose(0, 2, 1)
    for name in "qkv":
        out[name] = np.einsum("bnd,mdc->bmnc", rows, a["w_" + name])
        if "b_" + name in a:
            out[name] = out[name] + a["b_" + name][None, :, None]
    numbers = joined(np.repeat(np.arange(h * width // w ** 2), w * w).reshape(-1, w * w, 1), h, width, w)[..., 0]
    out["windows"] = np.roll(numbers, (s, s), (0, 1)).astype(float)
    index = np.array([[(i // w - j // w + w - 1) * (2 * w - 1) + i % w - j % w + w - 1 for j in range(w * w)]
                      for i in range(w * w)])
    out["relative_index"] = index.astype(float)
    bias = a["bias_table"][index].transpose(2, 0, 1)  # (M, w², w²)
    out["position_bias"] = bias[None]
    rolled = lambda t: cut(np.roll(t.reshape(b, m, h, width, -1), (-s, -s), (2, 3)), w)
    back = lambda t: np.roll(joined(t, h, width, w), (s, s), (2, 3)).reshape(b, m, h * width, -1)
    q, k, v = (rolled(out[name]) for name in "qkv")  # (B, M, windows, w², d')
    scores = q @ k.swapaxes(-1, -2)
    out["scores"] = back(scores)
    scores = scores / np.sqrt(d) + bias[None, :, None]
    out["scaled_scores"] = back(scores)
    if s > 0:
        group = cut(regions(h, width, w, s)[..., None], w)[..., 0]  # (windows, w²)
        scores = np.where(group[:, :, None] == group[:, None, :], scores, -np.inf)
        out["masked_scores"] = back(scores)
    weights = softmax(scores)
    out["weights"], o = back(weights), back(weights @ v)
    out["head_outputs"] = o
    out["concat"] = np.concatenate([o[:, head] for head in range(m)], -1)
    y = out["concat"] @ a["w_o"] + a.get("b_o", 0)
    out["output"] = y.transpose(0, 2, 1).reshape(b, -1, h, width)
    return out


def cases():
    """(name, parameters, shape of the picture, shapes of drawn arrays)."""
    small = {"heads": 2, "d_head": 3}
    yield "windows", {**small, "window": 2}, (2, 3, 4, 6), {}
    yield "shifted", {**small, "window": 4, "shift": 2}, (1, 3, 8, 4), {}
    yield "shifted_by_one", {"heads": 3, "d_head": 2, "window": 3, "shift": 1}, (2, 2, 6, 9), {}
    yield ("biases_other_output", {**small, "window": 3, "shift": 2, "out_channels": 5}, (1, 3, 3, 6),
           {"b_q": (2, 3), "b_k": (2, 3), "b_v": (2, 3), "b_o": (5,)})
    yield "one_pixel", {**small, "window": 1}, (1, 2, 2, 3), {}


def main():
    for number, (name, params, shape, drawn) in enumerate(cases()):
        rng = np.random.Generator(np.random.PCG64(number))
        heads, d, w, c = params["heads"], params["d_head"], params["window"], shape[1]
        a = {"x": rng.standard_normal(shape), **{key: rng.standard_normal(extent) for key, extent in drawn.items()}}
        for key in ("w_q", "w_k", "w_v"):
            a[key] = 0.6 * rng.standard_normal((heads, c, d))
        a["bias_table"] = rng.standard_normal(((2 * w - 1) ** 2, heads))
        a["w_o"] = 0.6 * rng.standard_normal((heads * d, params.get("out_channels", c)))
        a = files.rounded(a)
        files.write(HERE / name, "swin", params, a, run(params, a))


if __name__ == "__main__":
    main()
