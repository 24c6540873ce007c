#!/usr/bin/python3
"""Writes the reference cases of the additive variant: tests/reference/additive/NAME/{experiment.json,arrays.npz,
expect.npz}.

An implementation of its own, in NumPy and float64, written from Bahdanau, Cho and Bengio 2015, appendix A.1.2, with
nothing shared with the engine. Run it from anywhere; the same files come out each time.
"""
import pathlib

import numpy as np

import cases as files

HERE = pathlib.Path(__file__).parent / "additive"


def softmax(s):
    """Over the last axis; a row of minus infinity alone has weights 0."""
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isneginf(top), 0, top))
    total = e.sum(-1, keepdims=True)
    return np.where(total > 0, e / np.where(total > 0, total, 1), 0)


def run(a):
    """Every step by its id. `a` holds the inputs and the weights."""
    out = {}
    x_q = a["x_q"]
    x_k = a.get("x_k", x_q)
    x_v = a.get("x_v", x_k)
    q = x_q @ a["w_q"]  # (B, n_q, h)
    k = x_k @ a["w_k"]  # (B, n_k, h)
    features = np.tanh(q[:, :, None, :] + k[:, None, :, :])  # (B, n_q, n_k, h)
    scores = features @ a["w_score"]  # (B, n_q, n_k)
    out["q"], out["k"] = q[:, None], k[:, None]
    out["features"], out["scores"] = features[:, None], scores[:, None]
    if "valid_lens" in a:
        lens = a["valid_lens"].reshape(len(x_q), -1, 1)  # (B, 1 or n_q, 1)
        scores = np.where(np.arange(x_k.shape[1]) < lens, scores, -np.inf)
        out["masked_scores"] = scores[:, None]
    weights = softmax(scores)
    out["weights"] = weights[:, None]
    out["output"] = weights @ x_v
    return out


def cases():
    """(name, hidden width, whether it is named, shapes of drawn arrays, arrays given, what stretches the weights)."""
    x = (2, 5, 6)
    apart = {"x_q": (2, 4, 6), "x_k": (2, 7, 5), "x_v": (2, 7, 3)}
    yield "self", 4, True, {"x_q": x}, {}, 1
    yield "cross", 3, True, {"x_q": (2, 4, 6), "x_k": (2, 7, 5)}, {}, 1
    yield "separate_values", 4, True, apart, {}, 1
    yield "values_apart_keys_not", 4, True, {"x_q": (2, 4, 6), "x_v": (2, 4, 3)}, {}, 1
    yield "lengths", 4, True, {"x_q": x}, {"valid_lens": [5, 2]}, 1
    yield "lengths_by_query", 4, True, {"x_q": x}, {"valid_lens": [[1, 2, 3, 4, 5], [5, 5, 0, 2, 1]]}, 1
    yield "lengths_cross", 4, True, apart, {"valid_lens": [7, 0]}, 1
    yield "one_token", 4, True, {"x_q": (1, 1, 3)}, {}, 1
    yield "one_feature", 1, True, {"x_q": x}, {}, 1
    yield "hidden_from_the_weights", 9, False, {"x_q": x}, {}, 1
    yield "saturated", 4, True, {"x_q": x}, {}, 8


def main():
    for number, (name, hidden, named, drawn, given, stretch) in enumerate(cases()):
        rng = np.random.Generator(np.random.PCG64(number))
        a = {key: rng.standard_normal(shape) for key, shape in drawn.items()}
        a.update(given)
        d_q = drawn["x_q"][-1]
        d_k = drawn.get("x_k", drawn["x_q"])[-1]
        a["w_q"] = stretch * 0.6 * rng.standard_normal((d_q, hidden))
        a["w_k"] = stretch * 0.6 * rng.standard_normal((d_k, hidden))
        a["w_score"] = stretch * rng.standard_normal(hidden)
        a = files.rounded(a)
        files.write(HERE / name, "additive", {"hidden": hidden} if named else {}, a, run(a))


if __name__ == "__main__":
    main()
