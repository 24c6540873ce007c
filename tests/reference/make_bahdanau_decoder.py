#!/usr/bin/python3
"""Writes the reference cases of the bahdanau_decoder variant: tests/reference/bahdanau_decoder/NAME/{experiment.json,
arrays.npz,expect.npz}.

An implementation of its own, in NumPy and float64, written from Bahdanau, Cho and Bengio 2015, appendix A.1.2 and A.2.2, one
state after the other, with nothing shared with the engine. Run it from anywhere; the same files come out each time.
"""
import pathlib

import numpy as np

import cases as files

HERE = pathlib.Path(__file__).parent / "bahdanau_decoder"
STEPS = ("q", "features", "scores", "masked_scores", "weights", "context", "update", "reset", "candidate")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def decoded(item, a, visible):
    """All rows of one item of the batch; `visible` (n_q, n_k)."""
    x, words = a["x_k"][item], a["y"][item]
    keys, state = x @ a["w_k"], a["s_0"][item]
    rows = {name: [] for name in STEPS}
    states = [state]
    for i, y in enumerate(words):
        q = state @ a["w_q"]
        features = np.tanh(q + keys)
        scores = features @ a["w_score"]
        masked = np.where(visible[i], scores, -np.inf)
        share = np.where(visible[i], np.exp(scores), 0)
        weights = share / share.sum() if visible[i].any() else share
        context = weights @ x
        unit = lambda of, s: y @ a["w_" + of] + s @ a["u_" + of] + context @ a["c_" + of]
        z, r = sigmoid(unit("z", state)), sigmoid(unit("r", state))
        tried = np.tanh(unit("h", r * state))
        for name, row in zip(STEPS, (q, features, scores, masked, weights, context, z, r, tried)):
            rows[name].append(row)
        state = (1 - z) * state + z * tried
        states.append(state)
    return {**rows, "states": states, "k": keys}


def run(_, a):
    (b, n_q, _), n_k = a["y"].shape, a["x_k"].shape[1]
    visible, masked = np.ones((b, n_q, n_k), bool), False
    if "valid_lens" in a:
        visible, masked = visible & (np.arange(n_k) < a["valid_lens"].reshape(b, -1, 1)), True
    if "key_padding_mask" in a:
        visible, masked = visible & (a["key_padding_mask"][:, None] != 1), True
    a = {"s_0": np.zeros((b, a["w_q"].shape[0])), **a}
    items = [decoded(item, a, visible[item]) for item in range(b)]
    out = {name: np.array([item[name] for item in items]) for name in items[0]}
    for name in ("k", "q", "features", "scores", "masked_scores", "weights"):
        out[name] = out[name][:, None]  # one head
    if not masked:
        del out["masked_scores"]
    out["output"] = out["states"][:, 1:]
    return out


def cases():
    """(name, parameters, shapes of drawn arrays, arrays given)."""
    yield "plain", {"hidden": 3}, {"x_k": (2, 5, 4), "y": (2, 6, 3), "s_0": (2, 4)}, {}
    yield "padding", {"hidden": 4}, {"x_k": (2, 4, 3), "y": (2, 3, 5), "s_0": (2, 2)}, {"valid_lens": [3, 0]}
    yield "from_zeros", {"hidden": 2}, {"y": (1, 4, 3)}, {"key_padding_mask": [[0, 1, 0, 0]]}
    yield "lengths_by_step", {"hidden": 1}, {"x_k": (1, 3, 2), "y": (1, 2, 2), "s_0": (1, 1)}, {"valid_lens": [[1, 3]]}


def main():
    for number, (name, params, drawn, given) in enumerate(cases()):
        rng = np.random.Generator(np.random.PCG64(number))
        a = {key: rng.standard_normal(shape) for key, shape in drawn.items()}
        a.update({key: np.asarray(value, float) for key, value in given.items()})
        d_y = drawn["y"][-1]
        d_k, d_s, h = drawn.get("x_k", drawn["y"])[-1], drawn.get("s_0", (0, 4))[-1], params["hidden"]
        a["w_q"], a["w_k"], a["w_score"] = (rng.standard_normal(shape) for shape in ((d_s, h), (d_k, h), (h,)))
        for of in "zrh":
            a.update({f"{kind}_{of}": 0.6 * rng.standard_normal((rows, d_s)) for kind, rows in (("w", d_y), ("u", d_s), ("c", d_k))})
        a = files.rounded(a)
        expected = run(params, {"x_k": a["y"], **a})
        files.write(HERE / name, "bahdanau_decoder", params, a, expected)


if __name__ == "__main__":
    main()
