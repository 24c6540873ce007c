#!/usr/bin/python3
"""Writes the reference cases of the mla variant: tests/reference/mla/NAME/{experiment.json,arrays.npz,expect.npz}.

An implementation of its own, in NumPy and float64, written from DeepSeek-AI 2024, section 2.1, with nothing shared with the
engine: places turn as complex numbers, and what comes out is held to heads of width d' + d_R on the way. Run it from
anywhere; the same files come out each time.
"""
import pathlib

import numpy as np

import cases as files

HERE = pathlib.Path(__file__).parent / "mla"


def turned(x, params, first):
    """Pairs of channels as complex numbers, times exp(i p theta)."""
    d, n = x.shape[-1], x.shape[-2]
    theta = params.get("rotary_base", 10000.0) ** (-np.arange(d // 2) / (d // 2))
    turn = np.exp(1j * (np.arange(n) + first + params.get("rotary_offset", 0))[:, None] * theta)
    if params.get("rotary", "interleaved") == "half":
        z = (x[..., : d // 2] + 1j * x[..., d // 2 :]) * turn
        return np.concatenate([z.real, z.imag], -1)
    z = (x[..., 0::2] + 1j * x[..., 1::2]) * turn
    return np.stack([z.real, z.imag], -1).reshape(x.shape)


def of_one_size(x, gamma, params):
    return gamma * x / np.sqrt((x * x).mean(-1, keepdims=True) + params.get("norm_epsilon", 1e-5))


def run(params, a):
    out = {}
    x_q = a["x_q"]
    x_k = a.get("x_k", x_q)
    latents = {"kv": x_k @ a["w_dkv"], **({"q": x_q @ a["w_dq"]} if "w_dq" in a else {})}
    for which, latent in latents.items():
        out[which + "_latent"] = latent
        if params.get("latent_norm") == "rms_norm":
            latents[which] = out[which + "_latent_norm"] = of_one_size(latent, a[which + "_latent_gamma"], params)
    asks = latents.get("q", x_q)
    of_heads = lambda x, w: np.einsum("bnd,mde->bmne", x, w)
    q, k, v = (out.setdefault(name, of_heads(x, a[w])) for name, x, w in
               (("q_content", asks, "w_uq"), ("k_content", latents["kv"], "w_uk"), ("v", latents["kv"], "w_uv")))
    out["q_position"], out["k_position"] = of_heads(asks, a["w_qr"]), (x_k @ a["w_kr"])[:, None]
    offset = params.get("query_offset", 0)
    q_p, k_p = out["q_rotated"], out["k_rotated"] = turned(out["q_position"], params, offset), turned(out["k_position"], params, 0)
    out["content_scores"] = np.einsum("bmic,bmjc->bmij", q, k)
    out["position_scores"] = np.einsum("bmic,bjc->bmij", q_p, k_p[:, 0])
    heads = q.shape[1]
    wide = [np.concatenate([q, q_p], -1), np.concatenate([k, np.repeat(k_p, heads, 1)], -1)]
    s = out["scores"] = np.einsum("bmic,bmjc->bmij", *wide)
    assert np.allclose(s, out["content_scores"] + out["position_scores"])
    width = wide[0].shape[-1]
    out["scaled_scores"] = s = s * params.get("scale", width**-0.5) / params.get("temperature", 1)
    b, _, n_q, n_k = s.shape
    hidden, masked = np.zeros((b, 1, n_q, n_k), bool), False
    place, key = np.arange(n_q)[:, None] + offset, np.arange(n_k)
    if params.get("mask") == "causal":
        hidden, masked = hidden | (key > place), True
    if "window_left" in params:
        hidden, masked = hidden | ((place - key > params["window_left"]) & (key >= params.get("sink_tokens", 0))), True
    if "valid_lens" in a:
        hidden, masked = hidden | (key >= a["valid_lens"].reshape(b, 1, -1, 1)), True
    if masked:
        out["masked_scores"] = s = np.where(hidden, -np.inf, s)
    blind = np.isneginf(s).all(-1, keepdims=True)
    e = np.where(blind, 0, np.exp(s - np.where(blind, 0, s.max(-1, keepdims=True))))
    weights = out["weights"] = e / np.where(blind, 1, e.sum(-1, keepdims=True))
    o = out["head_outputs"] = weights @ v
    out["concat"] = out["output"] = np.concatenate([o[:, m] for m in range(heads)], -1)
    if params.get("output_projection", True):
        out["output"] = out["concat"] @ a["w_o"] + a.get("b_o", 0)
    return out


def cases():
    """(name, parameters, shapes of drawn arrays, arrays given)."""
    x = (2, 5, 6)
    yield "plain", {"heads": 3, "d_head": 2, "d_rotary": 4, "kv_rank": 3}, {"x_q": x}, {}
    yield ("normed", {"heads": 2, "d_head": 3, "d_rotary": 2, "kv_rank": 4, "q_rank": 5, "d_value": 5, "latent_norm": "rms_norm",
                      "mask": "causal", "rotary": "half", "rotary_base": 50.0, "rotary_offset": 3, "norm_epsilon": 1e-3},
           {"x_q": x, "b_o": (6,)}, {"valid_lens": [5, 0]})
    yield ("memory", {"heads": 3, "d_head": 2, "d_rotary": 6, "kv_rank": 2, "mask": "causal", "query_offset": 3, "window_left": 2,
                      "sink_tokens": 1, "temperature": 2.0}, {"x_q": (1, 4, 6), "x_k": (1, 7, 5)}, {})
    yield ("no_output_projection", {"heads": 1, "d_head": 1, "d_rotary": 2, "kv_rank": 1, "output_projection": False, "scale": 0.7},
           {"x_q": x}, {})


def main():
    for number, (name, params, drawn, given) in enumerate(cases()):
        rng = np.random.Generator(np.random.PCG64(number))
        a = {key: rng.standard_normal(shape) for key, shape in drawn.items()}
        m, d, d_r, r = (params[name] for name in ("heads", "d_head", "d_rotary", "kv_rank"))
        d_q, d_k, d_v = drawn["x_q"][-1], drawn.get("x_k", drawn["x_q"])[-1], params.get("d_value", d)
        asks = params.get("q_rank", d_q)
        shapes = {"w_uq": (m, asks, d), "w_qr": (m, asks, d_r), "w_dkv": (d_k, r), "w_uk": (m, r, d), "w_uv": (m, r, d_v),
                  "w_kr": (d_k, d_r)}
        if "q_rank" in params:
            shapes["w_dq"] = (d_q, asks)
        if params.get("output_projection", True):
            shapes["w_o"] = (m * d_v, d_q)
        if "latent_norm" in params:
            shapes.update(q_latent_gamma=(asks,), kv_latent_gamma=(r,))
        a.update({key: 0.6 * rng.standard_normal(shape) for key, shape in shapes.items()})
        a.update({key: np.asarray(value, float) for key, value in given.items()})
        a = files.rounded(a)
        files.write(HERE / name, "mla", params, a, run(params, a))


if __name__ == "__main__":
    main()
