#!/usr/bin/python3
"""Writes the reference cases of the aft variant: tests/reference/aft/NAME/{experiment.json,arrays.npz,expect.npz}.

An implementation of its own, in NumPy and float64, written from Zhai et al. 2021, section 3, equation 2, channel by channel,
with nothing shared with the engine. Run it from anywhere; the same files come out each time.
"""
import pathlib

import numpy as np

import cases as files

HERE = pathlib.Path(__file__).parent / "aft"


def run(params, a):
    out = {}
    x = a["x"]
    for name in "qkv":
        out[name] = (x @ a["w_" + name] + a.get("b_" + name, 0))[:, None]
    (b, n, _), d = x.shape, a["w_q"].shape[1]
    seen = np.ones((b, n, n), bool)
    if params.get("mask") == "causal":
        seen &= np.tri(n, dtype=bool)
    if "valid_lens" in a:
        seen &= np.arange(n) < a["valid_lens"].reshape(b, -1, 1)
    if "key_padding_mask" in a:
        seen &= a["key_padding_mask"][:, None] != 1
    scores, masked, weights = (np.zeros((b, d, n, n)) for _ in range(3))
    context = np.zeros((b, n, d))
    for item, c, i in np.ndindex(b, d, n):
        row = out["k"][item, 0, :, c] + a["w_bias"][i]
        scores[item, c, i] = row
        masked[item, c, i] = np.where(seen[item, i], row, -np.inf)
        if seen[item, i].any():
            share = np.where(seen[item, i], np.exp(row - row[seen[item, i]].max()), 0)
            weights[item, c, i] = share / share.sum()
        context[item, i, c] = weights[item, c, i] @ out["v"][item, 0, :, c]
    out.update(scores=scores, weights=weights, context=context, gate=1 / (1 + np.exp(-out["q"][:, 0])))
    if params.get("mask") == "causal" or "valid_lens" in a or "key_padding_mask" in a:
        out["masked_scores"] = masked
    out["gated"] = out["output"] = out["gate"] * context
    if params.get("output_projection", True):
        out["output"] = out["gated"] @ a["w_o"] + a.get("b_o", 0)
    return out


def cases():
    """(name, parameters, shapes of drawn arrays, arrays given)."""
    x = (2, 5, 6)
    yield "plain", {"d_head": 3}, {"x": x}, {}
    yield "causal", {"d_head": 4, "mask": "causal"}, {"x": x, "b_q": (4,), "b_k": (4,), "b_v": (4,), "b_o": (7,)}, {}
    yield "padding", {"d_head": 2}, {"x": x}, {"valid_lens": [4, 0], "key_padding_mask": [[0, 1, 0, 0, 0], [0] * 5]}
    yield "one_channel", {"d_head": 1, "output_projection": False}, {"x": (1, 4, 2)}, {"valid_lens": [[4, 1, 2, 3]]}


def main():
    for number, (name, params, drawn, given) in enumerate(cases()):
        rng = np.random.Generator(np.random.PCG64(number))
        a = {key: rng.standard_normal(shape) for key, shape in drawn.items()}
        (_, n, d_in), d = drawn["x"], params["d_head"]
        shapes = {"w_q": (d_in, d), "w_k": (d_in, d), "w_v": (d_in, d), "w_bias": (n, n)}
        if params.get("output_projection", True):
            shapes["w_o"] = (d, 7)
        a.update({key: 0.6 * rng.standard_normal(shape) for key, shape in shapes.items()})
        a.update({key: np.asarray(value, float) for key, value in given.items()})
        a = files.rounded(a)
        files.write(HERE / name, "aft", params, a, run(params, a))


if __name__ == "__main__":
    main()
