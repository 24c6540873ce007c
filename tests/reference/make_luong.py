#!/usr/bin/python3
"""Writes the reference cases of the luong variant: tests/reference/luong/NAME/{experiment.json,arrays.npz,expect.npz}.

An implementation of its own, in NumPy and float64, written from Luong, Pham and Manning 2015, section 3.1, one query at a
time, with nothing shared with the engine. Run it from anywhere; the same files come out each time.
"""
import pathlib

import numpy as np

import cases as files

HERE = pathlib.Path(__file__).parent / "luong"


def softmax(row):
    """A row of minus infinity alone has weights 0."""
    if np.isneginf(row).all():
        return np.zeros_like(row)
    e = np.exp(row - row.max())
    return e / e.sum()


def run(params, a):
    out = {}
    score = params.get("score", "general")
    x_q = a["x_q"]
    x_k = a.get("x_k", x_q)
    x_v = a.get("x_v", x_k)
    q = x_q @ a["w_a"] if score == "general" else x_q @ a["w_q"] if score == "concat" else x_q
    k = x_k @ a["w_k"] if score == "concat" else x_k
    out["q"], out["k"] = q[:, None], k[:, None]
    scores = np.zeros((len(x_q), x_q.shape[1], x_k.shape[1]))
    if score == "concat":
        joined = np.concatenate([a["w_q"], a["w_k"]])  # the paper's one matrix over both side by side
        out["features"] = np.array([[[np.tanh(np.concatenate([one, other]) @ joined) for other in keys] for one in queries]
                                    for queries, keys in zip(x_q, x_k)])[:, None]
        scores = out["features"][:, 0] @ a["w_score"]
    else:
        for b, i, j in np.ndindex(*scores.shape):
            scores[b, i, j] = q[b, i] @ k[b, j]
    out["scores"] = scores[:, None]
    if "valid_lens" in a or "key_padding_mask" in a:
        scores = scores.copy()
        for b, i, j in np.ndindex(*scores.shape):
            length = a["valid_lens"].reshape(len(x_q), -1)[b] if "valid_lens" in a else [x_k.shape[1]]
            if j >= length[i % len(length)] or ("key_padding_mask" in a and a["key_padding_mask"][b, j] == 1):
                scores[b, i, j] = -np.inf
        out["masked_scores"] = scores[:, None]
    weights = np.apply_along_axis(softmax, -1, scores)
    out["weights"] = weights[:, None]
    out["context"] = np.einsum("bij,bjd->bid", weights, x_v)
    out["output"] = out["context"]
    if params.get("attentional", True):
        out["output"] = np.tanh(np.concatenate([out["context"], x_q], -1) @ a["w_c"])
    return out


def cases():
    """(name, parameters, shapes of drawn arrays, arrays given)."""
    x, apart = (2, 5, 6), {"x_q": (2, 4, 6), "x_k": (2, 7, 5)}
    yield "dot", {"score": "dot"}, {"x_q": (2, 4, 6), "x_k": (2, 7, 6)}, {}
    yield "dot_context_alone", {"score": "dot", "attentional": False}, {"x_q": x}, {}
    yield "general", {}, apart, {}
    yield "general_values_apart", {"score": "general"}, {**apart, "x_v": (2, 7, 3)}, {"valid_lens": [7, 0]}
    yield "general_unit", {"score": "general"}, {"x_q": x}, {"w_a": np.eye(6)}
    yield "concat", {"score": "concat", "hidden": 3}, apart, {}
    yield ("concat_masks", {"score": "concat", "hidden": 4}, {"x_q": x},
           {"valid_lens": [[1, 2, 3, 4, 5], [5, 5, 0, 2, 1]], "key_padding_mask": [[0, 0, 1, 0, 0], [0] * 5]})


def main():
    for number, (name, params, drawn, given) in enumerate(cases()):
        rng = np.random.Generator(np.random.PCG64(number))
        a = {key: rng.standard_normal(shape) for key, shape in drawn.items()}
        d_q = drawn["x_q"][-1]
        d_k = drawn.get("x_k", drawn["x_q"])[-1]
        d_v = drawn.get("x_v", (0, 0, d_k))[-1]
        score, h = params.get("score", "general"), params.get("hidden", 0)
        shapes = {"dot": {}, "general": {"w_a": (d_q, d_k)}, "concat": {"w_q": (d_q, h), "w_k": (d_k, h), "w_score": (h,)}}[score]
        if params.get("attentional", True):
            shapes["w_c"] = (d_v + d_q, 4)
        a.update({key: 0.6 * rng.standard_normal(shape) for key, shape in shapes.items()})
        a.update({key: np.asarray(value, float) for key, value in given.items()})
        a = files.rounded(a)
        files.write(HERE / name, "luong", params, a, run(params, a))


if __name__ == "__main__":
    main()
