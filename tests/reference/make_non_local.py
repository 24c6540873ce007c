#!/usr/bin/python3
"""Writes the reference cases of the non_local variant: tests/reference/non_local/NAME/{experiment.json,arrays.npz,
expect.npz}, the layout of the acceptance cases.

An implementation of its own, in NumPy and float64, written from Wang et al. 2018 with nothing shared with the engine.
Inputs are rounded to float32 first, so that both sides start from the same numbers. Run it from anywhere; the same
files come out each time.
"""
import io
import json
import pathlib
import zipfile

import numpy as np

HERE = pathlib.Path(__file__).parent / "non_local"
EPSILON = 1e-5


def per_channel(b, rank):
    """(C) shaped to be added to (B, C, ...)."""
    return b.reshape((1, -1) + (1,) * (rank - 2))


def convolve(x, a, which):
    """A convolution of extent 1: (B, C_in, ...) to (B, C_out, ...)."""
    y = np.einsum("oc,bc...->bo...", a["w_" + which], x)
    return y + per_channel(a["b_" + which], x.ndim) if "b_" + which in a else y


def pool(x):
    """Max pooling of the last axis by 2, and of the one before it, if that is spatial and not time; rounds down."""
    x = x[..., : x.shape[-1] // 2 * 2]
    x = np.maximum(x[..., 0::2], x[..., 1::2])
    if x.ndim == 3:
        return x
    x = x[..., : x.shape[-2] // 2 * 2, :]
    return np.maximum(x[..., 0::2, :], x[..., 1::2, :])


def as_rows(x):
    """(B, C, ...) to (B, 1, N, C)."""
    return np.moveaxis(x.reshape(x.shape[0], x.shape[1], -1), 1, 2)[:, None]


def run(params, a):
    """Every step by its id. `a` holds the input and the weights."""
    out = {}
    x, mode = a["x"], params.get("mode", "embedded_gaussian")
    theta = x if mode == "gaussian" else convolve(x, a, "theta")
    phi = x if mode == "gaussian" else convolve(x, a, "phi")
    g = convolve(x, a, "g")
    if params.get("sub_sample"):
        if mode != "gaussian":
            out["phi"] = as_rows(phi)
        out["g"] = as_rows(g)
        phi, g = pool(phi), pool(g)
    q, k, v = out["q"], out["k"], out["v"] = as_rows(theta), as_rows(phi), as_rows(g)
    if mode == "concatenation":
        n_q, n_k = q.shape[2], k.shape[2]
        pairs = np.concatenate([np.repeat(q[:, :, :, None], n_k, 3), np.repeat(k[:, :, None], n_q, 2)], -1)
        scores = np.maximum(pairs @ a["w_concat"], 0)  # (B, 1, n_q, n_k, 2C') times (2C')
    else:
        scores = q @ np.swapaxes(k, 2, 3)
    out["scores"] = scores
    if mode in ("gaussian", "embedded_gaussian"):
        e = np.exp(scores - scores.max(-1, keepdims=True))
        out["weights"] = e / e.sum(-1, keepdims=True)
    else:
        out["weights"] = scores / scores.shape[-1]
    y = out["head_outputs"] = out["weights"] @ v
    y = np.moveaxis(y[:, 0], 1, 2).reshape(x.shape[:1] + (v.shape[-1],) + x.shape[2:])
    z = convolve(y, a, "z")
    if params.get("batch_norm", True):
        gamma, beta, mean, var = (per_channel(a["bn_" + n], x.ndim) for n in ("gamma", "beta", "mean", "var"))
        z = (z - mean) / np.sqrt(var + EPSILON) * gamma + beta
    out["projected"] = z
    out["output"] = z + x
    return out


def weights_for(params, biases, a, rng):
    """Draws every weight that the parameters call for and `a` does not hold."""
    channels = a["x"].shape[1]
    inner = params.get("inter_channels", max(channels // 2, 1))
    mode = params.get("mode", "embedded_gaussian")
    for which in ("g",) if mode == "gaussian" else ("theta", "phi", "g"):
        a.setdefault("w_" + which, 0.7 * rng.standard_normal((inner, channels)))
        if biases:
            a["b_" + which] = 0.5 * rng.standard_normal(inner)
    if mode == "concatenation":
        a["w_concat"] = 0.8 * rng.standard_normal(2 * inner)
    a.setdefault("w_z", 0.7 * rng.standard_normal((channels, inner)))
    if biases:
        a["b_z"] = 0.5 * rng.standard_normal(channels)
    if params.get("batch_norm", True):
        a.setdefault("bn_gamma", 1 + 0.5 * rng.standard_normal(channels))
        a.setdefault("bn_beta", 0.5 * rng.standard_normal(channels))
        a.setdefault("bn_mean", 0.5 * rng.standard_normal(channels))
        a.setdefault("bn_var", 0.2 + rng.random(channels))


def cases():
    """(name, parameters, shape of x, whether there are biases, arrays given)."""
    signal, picture, video = (2, 4, 7), (2, 4, 3, 5), (1, 4, 3, 2, 5)
    pooled, bare = {"sub_sample": True}, {"batch_norm": False}
    yield "signal", {"dimension": 1, **bare}, signal, False, {}
    yield "signal_pooled", {"dimension": 1, **pooled}, signal, True, {}
    yield "picture", {}, picture, True, {}
    yield "picture_bare", {**bare, "inter_channels": 3}, picture, False, {}
    yield "picture_pooled", {**pooled, **bare}, picture, True, {}
    yield "picture_pooled_norm", pooled, (2, 4, 4, 4), False, {}
    yield "identity", pooled, picture, True, {"bn_gamma": np.zeros(4), "bn_beta": np.zeros(4)}
    yield "one_pixel", {}, (1, 1, 1, 1), True, {}
    yield "video", {"dimension": 3, **bare}, video, True, {}
    yield "video_pooled", {"dimension": 3, **pooled}, video, False, {}
    for mode in ("gaussian", "dot_product", "concatenation"):
        yield mode, {"mode": mode}, picture, True, {}
        yield mode + "_pooled", {"mode": mode, **pooled, **bare}, picture, False, {}
        yield mode + "_signal", {"mode": mode, "dimension": 1, **pooled}, signal, True, {}


def save(path, arrays):
    """An .npz of float32 that is the same, byte for byte, each time it is made."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(arrays):
            data = io.BytesIO()
            np.save(data, np.asarray(arrays[name], np.float32))
            member = zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0))
            archive.writestr(member, data.getvalue(), zipfile.ZIP_DEFLATED)


def main():
    for number, (name, params, shape, biases, given) in enumerate(cases()):
        rng = np.random.Generator(np.random.PCG64(number))
        a = {"x": rng.standard_normal(shape), **given}
        weights_for(params, biases, a, rng)
        a = {key: value.astype(np.float32).astype(float) for key, value in a.items()}
        folder = HERE / name
        folder.mkdir(parents=True, exist_ok=True)
        experiment = {"headlight": 1, "variant": "non_local", "params": params, "arrays": "arrays.npz"}
        (folder / "experiment.json").write_text(json.dumps(experiment, indent=2) + "\n")
        save(folder / "arrays.npz", a)
        save(folder / "expect.npz", run(params, a))


if __name__ == "__main__":
    main()
