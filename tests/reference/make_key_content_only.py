#!/usr/bin/python3
"""Writes the reference cases of the key_content_only variant: tests/reference/key_content_only/NAME/{experiment.json,
arrays.npz,expect.npz}.

An implementation of its own, in NumPy and float64, written from Zhu et al. 2019, section 3, with nothing shared with
the engine. Run it from anywhere; the same files come out each time.
"""
import pathlib

import numpy as np

import cases as files

HERE = pathlib.Path(__file__).parent / "key_content_only"
EPSILON = 1e-5


def run(a):
    """Every step by its id. `a` holds the input and the weights."""
    out = {}
    x, heads = a["x"], len(a["u"])
    n = x.shape[1]
    k = out["k"] = np.einsum("bnd,mdc->bmnc", x, a["w_k"])
    v = out["v"] = np.einsum("bnd,mdc->bmnc", x, a["w_v"])
    salience = np.einsum("mc,bmjc->bmj", a["u"], k)  # one number a key
    share = np.exp(salience - salience.max(-1, keepdims=True))
    share /= share.sum(-1, keepdims=True)
    summary = np.einsum("bmj,bmjc->bmc", share, v)  # one vector for all queries
    out["scores"] = np.repeat(salience[:, :, None], n, 2)
    out["weights"] = np.repeat(share[:, :, None], n, 2)
    out["head_outputs"] = np.repeat(summary[:, :, None], n, 2)
    concat = out["concat"] = np.concatenate([out["head_outputs"][:, m] for m in range(heads)], -1)
    out["projected"] = concat @ a["w_o"]
    residual = out["residual"] = x + out["projected"]
    centred = residual - residual.mean(-1, keepdims=True)
    normed = centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + EPSILON)
    out["output"] = normed * a.get("ln_gamma", 1) + a.get("ln_beta", 0)
    return out


def cases():
    """(name, shape of x, heads, width per head, whether they are named, whether the norm is given, stretch of u)."""
    x = (2, 5, 6)
    yield "self", x, 2, 3, True, True, 1
    yield "one_head", x, 1, 4, True, True, 1
    yield "heads_of_one_number", x, 5, 1, True, True, 1
    yield "wider_than_the_input", (2, 7, 5), 3, 4, True, True, 1
    yield "one_token", (2, 1, 4), 2, 3, True, True, 1
    yield "norm_left_out", x, 2, 3, True, False, 1
    yield "heads_from_the_weights", x, 3, 2, False, True, 1
    yield "sharp", x, 2, 3, True, True, 20


def main():
    for number, (name, shape, heads, d_head, named, norm, stretch) in enumerate(cases()):
        rng = np.random.Generator(np.random.PCG64(number))
        d = shape[-1]
        a = {"x": rng.standard_normal(shape), "u": stretch * rng.standard_normal((heads, d_head)),
             "w_k": 0.6 * rng.standard_normal((heads, d, d_head)),
             "w_v": 0.6 * rng.standard_normal((heads, d, d_head)),
             "w_o": 0.6 * rng.standard_normal((heads * d_head, d))}
        if norm:
            a.update(ln_gamma=1 + 0.6 * rng.standard_normal(d), ln_beta=0.6 * rng.standard_normal(d))
        a = files.rounded(a)
        params = {"heads": heads, "d_head": d_head} if named else {}
        files.write(HERE / name, "key_content_only", params, a, run(a))


if __name__ == "__main__":
    main()
