#!/usr/bin/python3
"""Writes the reference cases of the linear_attention variant: tests/reference/linear_attention/NAME/{experiment.json,
arrays.npz,expect.npz}.

An implementation of its own, in NumPy and float64, written from Katharopoulos et al. 2020, section 3, with nothing shared
with the engine: where it is causal, one state is carried from token to token. Run it from anywhere; the same files come
out each time.
"""
import pathlib

import numpy as np

import cases as files

HERE = pathlib.Path(__file__).parent / "linear_attention"


def phi(x, params, a):
    if params.get("feature_map") == "favor":
        w = a["w_random"]
        x = x / w.shape[1] ** 0.25
        return np.exp(np.einsum("bmnc,mcf->bmnf", x, w) - np.square(x).sum(-1, keepdims=True) / 2) / np.sqrt(w.shape[2])
    return np.maximum(x, 0) if params.get("feature_map") == "relu" else np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def divided(x, by):
    return np.where(by == 0, 0, x / np.where(by == 0, 1, by))


def padding(a, n_k, batches):
    """(B, n_k): the keys that are none."""
    hidden = np.zeros((batches, n_k), bool)
    if "key_padding_mask" in a:
        hidden |= a["key_padding_mask"] == 1
    if "valid_lens" in a:
        hidden |= np.arange(n_k) >= a["valid_lens"][:, None]
    return hidden


def run(params, a):
    out = {}
    x_q = a["x_q"]
    x_k = a.get("x_k", x_q)
    x_v = a.get("x_v", x_k)
    for name, x in (("q", x_q), ("k", x_k), ("v", x_v)):
        out[name] = np.einsum("bnd,mdc->bmnc", x, a["w_" + name])
        if "b_" + name in a:
            out[name] = out[name] + a["b_" + name][None, :, None]
    b, m, n_q, d = out["q"].shape
    n_k, causal = x_k.shape[1], params.get("mask") == "causal"
    hidden = padding(a, n_k, b)
    fq, fk = phi(out["q"], params, a), phi(out["k"], params, a) * ~hidden[:, None, :, None]
    state, total = np.zeros((b, m, fq.shape[-1], d)), np.zeros((b, m, fq.shape[-1]))
    states, totals = [], []
    for j in range(n_k):
        state = state + fk[:, :, j, :, None] * out["v"][:, :, j, None, :]
        total = total + fk[:, :, j]
        states.append(state)
        totals.append(total)
    last = [min(i, n_k - 1) for i in range(n_q)] if causal else [n_k - 1] * n_q
    at_query, total_at_query = np.stack([states[j] for j in last], 2), np.stack([totals[j] for j in last], 2)
    by = (fq * total_at_query).sum(-1)
    scores = np.einsum("bmic,bmjc->bmij", fq, fk)
    visible = ~hidden[:, None, None, :] & (np.ones((n_q, n_k), bool) if not causal else np.tri(n_q, n_k, dtype=bool))
    o = divided(np.einsum("bmic,bmicd->bmid", fq, at_query), by[..., None])
    out.update(q_features=fq, k_features=fk, kv_state=at_query if causal else states[-1],
               k_sum=total_at_query if causal else totals[-1], denominator=by, scores=scores,
               weights=np.where(visible, divided(scores, by[..., None]), 0), head_outputs=o)
    out["concat"] = np.concatenate([o[:, head] for head in range(m)], -1)
    y = out["concat"]
    if params.get("output_projection", True):
        y = y @ a["w_o"] + a.get("b_o", 0)
    out["output"] = y
    return out


def cases():
    """(name, parameters, shapes of drawn arrays, arrays given)."""
    x, small = (2, 5, 6), {"heads": 2, "d_head": 3}
    apart = {"x_q": (2, 4, 6), "x_k": (2, 7, 5), "x_v": (2, 7, 2)}
    yield "self", small, {"x_q": x}, {}
    yield "cross", small, apart, {}
    yield "biases", small, {"x_q": x, "b_q": (2, 3), "b_k": (2, 3), "b_v": (2, 3), "b_o": (6,)}, {}
    yield "causal", {**small, "mask": "causal"}, {"x_q": x}, {}
    yield "causal_more_queries", {**small, "mask": "causal"}, {"x_q": (2, 6, 6), "x_k": (2, 4, 6)}, {}
    yield "padding", small, {"x_q": x}, {"key_padding_mask": [[0, 1, 0, 0, 1], [0] * 5]}
    yield "lengths_causal", {**small, "mask": "causal"}, {"x_q": x}, {"valid_lens": [3, 0]}
    yield "relu", {**small, "feature_map": "relu"}, {"x_q": x}, {}
    yield "relu_causal", {"heads": 3, "d_head": 1, "feature_map": "relu", "mask": "causal"}, {"x_q": x}, {}
    yield "no_output_projection", {**small, "output_projection": False}, {"x_q": x}, {}
    favor = {"heads": 3, "d_head": 4, "feature_map": "favor"}
    yield "favor", {**favor, "features": 5}, {**apart, "w_random": (3, 4, 5)}, {"valid_lens": [7, 4]}
    yield "favor_causal", {**favor, "mask": "causal"}, {"x_q": x, "w_random": (3, 4, 4)}, {}


def main():
    for number, (name, params, drawn, given) in enumerate(cases()):
        rng = np.random.Generator(np.random.PCG64(number))
        a = {key: rng.standard_normal(shape) for key, shape in drawn.items()}
        a.update({key: np.asarray(value, float) for key, value in given.items()})
        heads, d = params["heads"], params["d_head"]
        d_q = drawn["x_q"][-1]
        d_k = drawn.get("x_k", drawn["x_q"])[-1]
        d_v = drawn.get("x_v", (0, 0, d_k))[-1]
        for key, width in (("w_q", d_q), ("w_k", d_k), ("w_v", d_v)):
            a[key] = 0.6 * rng.standard_normal((heads, width, d))
        if params.get("output_projection", True):
            a["w_o"] = 0.6 * rng.standard_normal((heads * d, d_q))
        a = files.rounded(a)
        files.write(HERE / name, "linear_attention", params, a, run(params, a))


if __name__ == "__main__":
    main()
