#!/usr/bin/python3
"""Writes the reference cases of the multi_head variant: tests/reference/multi_head/NAME/{experiment.json,arrays.npz,
expect.npz}, the layout of the acceptance cases.

An implementation of its own, in NumPy and float64, one formula a line and nothing shared with the engine. Inputs are
rounded to float32 first, so that both sides start from the same numbers. Run it from anywhere; the same files come
out each time.
"""
import io
import json
import math
import pathlib
import zipfile

import numpy as np

HERE = pathlib.Path(__file__).parent / "multi_head"
EPSILON = 1e-5
WORD = (1 << 64) - 1


def normed(x, params, a, which):
    """Queries or keys (B, M, n, d') of one size; gamma and beta are (d') or (M, d')."""
    kind = params["qk_norm"]
    if kind == "l2":
        return x / np.maximum(np.sqrt((x ** 2).sum(-1, keepdims=True)), 1e-12)
    gamma, beta = a.get(which + "_gamma", np.ones(1)), a.get(which + "_beta", np.zeros(1))
    gamma, beta = (p if p.ndim == 1 else p[None, :, None] for p in (gamma, beta))
    if kind == "layer_norm":
        x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x ** 2).mean(-1, keepdims=True) + params.get("norm_epsilon", EPSILON)) * gamma + beta


def block_norm(x, params, a, which):
    gamma, epsilon = a[which + "_gamma"], params.get("norm_epsilon", EPSILON)
    if params.get("norm") == "rms_norm":
        return gamma * x / np.sqrt(np.mean(x * x, -1, keepdims=True) + epsilon)
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt(centred.var(-1, keepdims=True) + epsilon) * gamma + a[which + "_beta"]


def activated(x, params):
    kind = params.get("ffn_activation", "relu")
    if kind == "gelu":
        return x * np.vectorize(math.erfc)(-x / math.sqrt(2)) / 2
    if kind == "gelu_tanh":
        return 0.5 * x * (1 + np.tanh(0.7978845608028654 * x * (1 + 0.044715 * x ** 2)))
    return x / (1 + np.exp(-x)) if kind == "silu" else np.maximum(x, 0)


def feed_forward(x, params, a, out):
    hidden = activated(x @ a["w_1"] + a.get("b_1", 0), params)
    if params.get("ffn_gated"):
        out["ffn_gate"], out["ffn_up"] = hidden, x @ a["w_3"] + a.get("b_3", 0)
        hidden = out["ffn_gate"] * out["ffn_up"]
    out["ffn_hidden"] = hidden
    out["ffn_output"] = hidden @ a["w_2"] + a.get("b_2", 0)
    return out["ffn_output"]


def rotary(x, params, a, first):
    """Complex numbers of each pair, times exp(i angle). x (B, M, n, d')."""
    d = x.shape[-1]
    r = 2 * math.floor(params.get("rotary_fraction", 1) * d / 2 + 1e-6)
    theta = params.get("rotary_base", 10000.0) ** (-np.arange(0, r, 2) / max(r, 1))
    theta = a.get("rotary_frequencies", theta)
    r = 2 * len(theta)
    one, two = (range(0, r, 2), range(1, r, 2)) if params["rotary"] == "interleaved" else (range(r // 2), range(r // 2, r))
    places = first + params.get("rotary_offset", 0) + np.arange(x.shape[2])
    z = (x[..., list(one)] + 1j * x[..., list(two)]) * np.exp(1j * np.outer(places, theta))
    out = x.copy()
    out[..., list(one)], out[..., list(two)] = z.real, z.imag
    return out


def softmax(s):
    """Over the last axis; a row of minus infinity alone has weights 0."""
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isneginf(top), 0, top))
    total = e.sum(-1, keepdims=True)
    return np.where(total > 0, e / np.where(total > 0, total, 1), 0)


def threshold(s, power):
    """By halving an interval: where the sum of max(0, s - threshold) ** power is 1, row by row."""
    least, most = s.max(-1, keepdims=True) - 1, s.max(-1, keepdims=True)
    for _ in range(80):
        middle = (least + most) / 2
        above = (np.maximum(s - middle, 0) ** power).sum(-1, keepdims=True) > 1
        least, most = np.where(above, middle, least), np.where(above, most, middle)
    return least


def weights_of(s, params, a, out):
    """Scores (B, M, n_q, n_k) to weights; a row of minus infinity alone has weights 0."""
    kind = params.get("normalize", "softmax")
    if kind == "sigmoid":
        bias = params.get("sigmoid_bias", -math.log(s.shape[-1]))
        return np.exp(-np.logaddexp(0, -(s + bias)))
    if kind == "softmax_sink":
        sinks = a.get("sink_logits", np.zeros(s.shape[1]))
        sinks = np.repeat(sinks, s.shape[1] // len(sinks)).reshape(1, -1, 1, 1) + np.zeros(s.shape[:-1] + (1,))
        whole = softmax(np.concatenate([sinks, s], -1))
        out["sink_weights"] = whole[..., :1]
        return whole[..., 1:]
    if kind in ("sparsemax", "entmax15"):
        power = 1 if kind == "sparsemax" else 2
        blind = np.isneginf(s).all(-1, keepdims=True)
        s = np.where(blind, 0, s) / power
        return np.where(blind, 0, np.maximum(s - threshold(s, power), 0) ** power)
    return softmax(s)


def hidden_by_place(params, a, n_q, n_k):
    """What each rule of places and documents hides: (n_q, n_k), or (1|B, 1|M, n_q, n_k)."""
    place = np.arange(n_q)[:, None] + params.get("query_offset", 0)
    key = np.arange(n_k)[None, :]
    after = np.broadcast_to(key > place, (n_q, n_k))
    if params.get("mask") == "causal":
        yield after
    if params.get("mask") == "prefix":
        yield after & (key >= a["prefix_lens"].reshape(-1, 1, 1, 1) if "prefix_lens" in a else key >= params.get("prefix_length", 1))
    if "segments_q" in a:
        of_queries, of_keys = a["segments_q"], a.get("segments_k", a["segments_q"])
        yield of_queries.reshape(-1, 1, n_q, 1) != of_keys.reshape(-1, 1, 1, n_k)
    left, right, step, chunk = (params.get(name) for name in ("window_left", "window_right", "window_dilation", "chunk"))
    sinks, globals_ = params.get("sink_tokens", 0), params.get("global_tokens", 0)
    seen_by_all = (key < sinks) | (key < globals_) | ((place >= 0) & (place < globals_))
    if left is not None or right is not None or (step or 1) > 1:
        distance, fits = np.divmod(key - place, step or 1)
        near = (fits == 0) & (distance >= -(n_q + n_k if left is None else left)) & (distance <= (n_q + n_k if right is None else right))
        yield ~(near | seen_by_all)
    if "block_layout" in a:
        layout = a["block_layout"].reshape((-1,) + a["block_layout"].shape[-2:])
        yield (~seen_by_all & (np.kron(layout, np.ones((chunk, chunk)))[:, :n_q, :n_k] == 0))[None]
    elif chunk is not None:
        apart = np.floor_divide(key, chunk) - np.floor_divide(place, chunk)
        near = (-params.get("chunk_left", 0) <= apart) & (apart <= params.get("chunk_right", 0))
        yield ~(near | seen_by_all)


def mask_of(params, a, shape):
    """(B, M, n_q, n_k) of 0, minus infinity and what attn_mask adds, or None where no rule is set."""
    b, m, n_q, n_k = shape
    mask = np.zeros(shape)
    masked = False
    if "attn_mask" in a:
        mask += a["attn_mask"]  # broadcasts from (n_q, n_k) and from (B|1, M|1, n_q, n_k)
        masked = True
    for hidden in hidden_by_place(params, a, n_q, n_k):
        mask[np.broadcast_to(hidden, shape)] = -np.inf
        masked = True
    if "valid_lens" in a:
        lens = a["valid_lens"].reshape(b, 1, -1, 1)  # (B, 1, 1 or n_q, 1)
        mask[np.broadcast_to(np.arange(n_k) >= lens, shape)] = -np.inf
        masked = True
    if "key_padding_mask" in a:
        mask[np.broadcast_to(a["key_padding_mask"].reshape(b, 1, 1, n_k) == 1, shape)] = -np.inf
        masked = True
    return mask if masked else None


def alibi_slopes(heads):
    """As the authors' program makes them: a geometric series where the count is a power of two, and else one for the
    power below, filled up with every other one of the series twice as long."""
    if math.log2(heads) % 1 == 0:
        first = 2 ** (-8 / heads)
        return [first ** (m + 1) for m in range(heads)]
    below = 2 ** math.floor(math.log2(heads))
    return alibi_slopes(below) + alibi_slopes(2 * below)[0::2][: heads - below]


def t5_bucket(offset, params):
    """One pair at a time, as the paper's program describes it."""
    count, most = params.get("buckets", 32), params.get("max_distance", 128)
    start = 0
    if params.get("bucket_direction", "both") == "both":
        count //= 2
        start = count if offset > 0 else 0
        distance = abs(offset)
    else:
        distance = max(0, -offset)
    half = count // 2
    if distance < half:
        return start + distance
    return start + min(count - 1, half + int(math.log(distance / half) / math.log(most / half) * (count - half) + 1e-6))


def mixed(maps, a, when):
    """Map t is the sum of all maps m, each w[m, t] times, and perhaps a number."""
    made = sum(maps[:, m, None] * a["w_" + when][m][None, :, None, None] for m in range(maps.shape[1]))
    return made + a.get("b_" + when, np.zeros(1))[None, :, None, None]


def relative_index(params, n_q, n_k):
    """(n_q, n_k): the row of the table for each pair."""
    clip, first = params.get("clip", 16), params.get("query_offset", 0)
    of = lambda d: t5_bucket(d, params) if params["relative"] == "t5" else max(-clip, min(clip, d)) + clip
    return np.array([[of(j - i - first) for j in range(n_k)] for i in range(n_q)])


def transformer_xl(params, a, q, k, out):
    """What offsets and keys add to the scores, pair by pair; Dai et al. 2019, section 3.3."""
    (b, maps, n_q, _), n_k, heads, d = q.shape, k.shape[2], params["heads"], a["x_q"].shape[-1]
    last = n_q - 1 + params.get("query_offset", 0)
    before = last - np.arange(n_q + n_k - 1)[:, None]  # how far the key of each row's offset lies before its query
    angle = before / 10000 ** (np.arange(d) // 2 * 2 / d)
    code = out["relative_embedding"] = np.where(np.arange(d) % 2 == 0, np.sin(angle), np.cos(angle))
    r = out["r"] = np.stack([code @ w for w in a["w_r"]])
    k = of_heads(k, maps)
    by_place, by_key, by_offset = (np.zeros(shape) for shape in [(b, maps, n_q, n_k)] * 2 + [(1, heads, n_q, n_k)])
    for m, i, j in np.ndindex(maps, n_q, n_k):
        head, row = m * heads // maps, j - i + n_q - 1
        by_place[:, m, i, j] = q[:, m, i] @ r[head, row]
        by_key[:, m, i, j] = k[:, m, j] @ a["bias_u"][head]
        by_offset[0, head, i, j] = a["bias_v"][head] @ r[head, row]
    out.update(position_scores=by_place, key_scores=by_key, offset_scores=by_offset)
    return by_place + by_key + of_heads(by_offset, maps)


def of_heads(x, count):
    """(B, G, ...) read by so many heads, M/G in a row the same."""
    return np.stack([x[:, m * x.shape[1] // count] for m in range(count)], 1)


def grid_code(n, columns, d):
    """(n, d): the row's sines and cosines, then the column's."""
    def code(place, width):
        angle = place / 10000 ** (2 * (np.arange(width) // 2) / width)
        return np.where(np.arange(width) % 2 == 0, np.sin(angle), np.cos(angle))
    return np.array([np.concatenate([code(i // columns, d // 2), code(i % columns, d // 2)]) for i in range(n)])


def run(params, a):
    """Every step by its id. `a` holds the inputs, the weights and, for dropout, the drawn mask."""
    out = {}
    heads, d_head = params["heads"], params["d_head"]
    block, ffn = params.get("block", "bare"), params.get("ffn", False)
    x_q = a["x_q"]
    norm = lambda x, which: block_norm(x, params, a, which)
    if params.get("positions") == "sinusoidal_2d":
        a = {**a, "p_q": grid_code(x_q.shape[1], params["grid_columns"], x_q.shape[2]).astype(np.float32)}
    p_q, own_keys = a.get("p_q"), "x_k" in a
    p_k = a.get("p_k", None if own_keys else p_q)
    if params.get("positions_to") == "inputs":
        a = dict(a)
        if p_q is not None:
            x_q = out["x_embedded"] = x_q + p_q
            x_norm = x_q
        if own_keys and p_k is not None:
            a["x_k"] = out["x_k_embedded"] = a["x_k"] + p_k
        p_q = p_k = None
    if block not in ("bare", "post_norm"):
        x_norm = out["x_norm"] = norm(x_q, "ln")
    else:
        x_norm = x_q
    x_k = a.get("x_k", x_norm)
    x_v = a.get("x_v", x_k)
    q_in = x_norm if p_q is None else out.setdefault("q_input", x_norm + p_q)
    k_in = x_k if p_k is None else out.setdefault("k_input", x_k + p_k)
    for name, source in (("q", q_in), ("k", k_in), ("v", x_v)):
        out[name] = np.einsum("bnd,mdc->bmnc", source, a["w_" + name])
        if "b_" + name in a:
            out[name] = out[name] + a["b_" + name][None, :, None, :]
    q, k = out["q"], out["k"]
    if params.get("qk_norm", "none") != "none":
        q = out["q_normed"] = normed(q, params, a, "q")
        k = out["k_normed"] = normed(k, params, a, "k")
    if params.get("rotary", "none") != "none":
        q = out["q_rotated"] = rotary(q, params, a, params.get("query_offset", 0))
        k = out["k_rotated"] = rotary(k, params, a, 0)
    maps = q.shape[1]  # two a head where they are differential
    out["scores"] = np.einsum("bmic,bmjc->bmij", q, of_heads(k, maps))
    scale = params.get("scale")
    if scale is None:
        scale = 10 if params.get("qk_norm") == "l2" else 1 / math.sqrt(d_head)
    if "logit_scale" in a:
        scale = np.repeat(a["logit_scale"], maps // heads)[:, None, None]
    relative, summed = params.get("relative", "none"), out["scores"]
    if relative in ("t5", "shaw", "shaw_keys"):
        index = relative_index(params, *summed.shape[2:])
        out["relative_index"] = index.astype(float)
    if relative.startswith("shaw"):
        table = np.broadcast_to(a["relative_keys"], (heads,) + a["relative_keys"].shape[-2:])
        out["position_scores"] = np.stack(
            [np.einsum("bic,ijc->bij", q[:, m], table[m * heads // maps][index]) for m in range(maps)], 1)
        summed = summed + out["position_scores"]
    if relative == "transformer_xl":
        summed = summed + transformer_xl(params, a, q, k, out)
    out["scaled_scores"] = summed * scale / params.get("temperature", 1)
    if relative == "t5":
        out["position_bias"] = np.stack([a["bias_table"][:, m][index] for m in range(heads)])[None]
        out["scaled_scores"] = out["scaled_scores"] + of_heads(out["position_bias"], maps)
    if params.get("relative") == "alibi":
        _, _, n_q, n_k = out["scores"].shape
        distance = np.abs(np.arange(n_k)[None] - np.arange(n_q)[:, None] - params.get("query_offset", 0))
        slopes = a["slopes"] if "slopes" in a else np.float32(alibi_slopes(heads))
        out["position_bias"] = -np.einsum("m,ij->mij", slopes, distance)[None]
        out["scaled_scores"] = out["scaled_scores"] + of_heads(out["position_bias"], maps)
    talking = params.get("talking_heads", "none")
    b, _, n_q, n_k = out["scores"].shape
    mask = mask_of(params, a, (b, heads, n_q, n_k))
    mask = None if mask is None else of_heads(mask, maps)
    last = out["scaled_scores"]
    if talking in ("logits", "both"):
        last = out["mixed_scores"] = mixed(last, a, "pre")
    if params.get("softcap"):
        last = out["capped_scores"] = params["softcap"] * np.tanh(last / params["softcap"])
    if mask is not None:
        last = out["masked_scores"] = np.where(np.isneginf(mask), -np.inf, last + mask)
    weights = out["weights"] = weights_of(last, params, a, out)
    if talking in ("weights", "both"):
        weights = out["mixed_weights"] = mixed(weights, a, "post")
    if params.get("differential"):
        share = params.get("lambda_init", 0.2)
        if "lambda_q1" in a:
            share += math.exp(a["lambda_q1"] @ a["lambda_k1"]) - math.exp(a["lambda_q2"] @ a["lambda_k2"])
        out["lambda"] = np.array([share])
        pairs = weights.reshape(b, heads, 2, n_q, n_k)
        weights = out["differential_weights"] = pairs[:, :, 0] - share * pairs[:, :, 1]
    if params.get("dropout", 0) > 0:
        weights = out["dropped_weights"] = weights * a["dropout_mask"] / (1 - params["dropout"])
    out["head_outputs"] = np.einsum("bmij,bmjc->bmic", weights, of_heads(out["v"], heads))
    if relative == "shaw":
        table = np.broadcast_to(a["relative_values"], (heads,) + a["relative_values"].shape[-2:])
        out["position_outputs"] = np.stack([np.einsum("bij,ijc->bic", weights[:, m], table[m][index]) for m in range(heads)], 1)
        out["head_outputs"] = out["head_outputs"] + out["position_outputs"]
    o = out["head_outputs"]
    if params.get("differential"):
        length = np.sqrt((o ** 2).mean(-1, keepdims=True) + params.get("norm_epsilon", EPSILON))
        o = out["normed_heads"] = (1 - params.get("lambda_init", 0.2)) * a.get("head_gamma", 1) * o / length
    b, _, n, _ = o.shape
    if params.get("mistake") == "merge_without_transpose":
        out["concat"] = o.reshape(b, n, -1)
    else:
        out["concat"] = np.concatenate([o[:, m] for m in range(heads)], -1)
    y = out["concat"]
    if params.get("output_projection", True):
        y = y @ a["w_o"]
        if "b_o" in a:
            y = y + a["b_o"]
    if block.startswith("parallel"):
        out["projected"] = y
        y = x_q + y
        if ffn:
            read = x_norm
            if block == "parallel_two_norms":
                read = out["ffn_norm"] = norm(x_q, "ln2")
            y = y + feed_forward(read, params, a, out)
        out["residual"] = out["output"] = y
        return out
    if block != "bare":
        out["projected"] = y
        if block == "sandwich_norm":
            y = out["projected_norm"] = norm(y, "ln_post")
        y = out["residual"] = x_q + y
    if block == "post_norm":
        y = norm(y, "ln")
    if ffn:
        out["attention_output"] = y
        before = block in ("pre_norm", "sandwich_norm")
        if before:
            out["ffn_norm"] = norm(y, "ln2")
        found = feed_forward(out["ffn_norm"] if before else y, params, a, out)
        if block == "sandwich_norm":
            found = out["ffn_output_norm"] = norm(found, "ln2_post")
        y = out["ffn_residual"] = y + found
        if not before:
            y = norm(y, "ln2")
    out["output"] = y
    return out


def rotate_left(x, bits):
    return (x << bits | x >> (64 - bits)) & WORD


def split_mix(state):
    """SplitMix64: the next state and the number drawn."""
    state = (state + 0x9E3779B97F4A7C15) & WORD
    z = state
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
    return state, z ^ (z >> 31)


def uniforms(seed, name):
    """The project's random numbers in [0, 1): xoshiro256**, filled by SplitMix64 from a seed and a name's FNV-1a."""
    mixed = 0xCBF29CE484222325
    for byte in name.encode():
        mixed = (mixed ^ byte) * 0x100000001B3 & WORD
    mixed = split_mix(mixed)[1] ^ seed
    s = []
    for _ in range(4):
        mixed, word = split_mix(mixed)
        s.append(word)
    while True:
        yield ((rotate_left(s[1] * 5 & WORD, 7) * 9 & WORD) >> 11) / 2.0 ** 53
        shifted = s[1] << 17 & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotate_left(s[3], 45)


def dropout_mask(params, shape):
    """1 where a weight stays: a number for each cell in C order, dropped where it is below the chance."""
    draw = uniforms(params["dropout_seed"], "dropout")
    return np.array([float(next(draw) >= params["dropout"]) for _ in range(math.prod(shape))]).reshape(shape)


def weights_for(params, a, rng):
    """Draws every weight that the parameters call for and `a` does not hold."""
    heads, d_head = params["heads"], params["d_head"]
    d_q = a["x_q"].shape[-1]
    d_k = a["x_k"].shape[-1] if "x_k" in a else d_q
    d_v = a["x_v"].shape[-1] if "x_v" in a else d_k
    groups, maps = params.get("kv_heads", heads), 2 if params.get("differential") else 1
    d_value = params.get("d_value", maps * d_head)
    d_out = d_q if params.get("output_projection", True) else heads * d_value
    d_ff = params.get("d_ff", 4 * d_out)
    shapes = {"w_q": (maps * heads, d_q, d_head), "w_k": (maps * groups, d_k, d_head), "w_v": (groups, d_v, d_value)}
    if params.get("output_projection", True):
        shapes["w_o"] = (heads * d_value, d_out)
    talking = params.get("talking_heads", "none")
    if talking in ("logits", "both"):
        shapes["w_pre"] = (heads, heads)
    if talking in ("weights", "both"):
        shapes["w_post"] = (heads, heads)
    block = params.get("block", "bare")
    if block != "bare":
        shapes.update(ln_gamma=(d_q,), ln_beta=(d_q,))
    if params.get("ffn"):
        shapes.update(w_1=(d_out, d_ff), b_1=(d_ff,), w_2=(d_ff, d_out), b_2=(d_out,), ln2_gamma=(d_out,),
                      ln2_beta=(d_out,))
        if params.get("ffn_gated"):
            shapes.update(w_3=(d_out, d_ff), b_3=(d_ff,))
    if block == "sandwich_norm":
        shapes.update({f"{which}_post_{part}": (d_q,) for which in ("ln", "ln2") for part in ("gamma", "beta")})
    for name, shape in shapes.items():
        of_norm = name.startswith("ln")
        if of_norm and name.endswith("beta") and params.get("norm") == "rms_norm":
            continue
        if block == "parallel" and name.startswith("ln2") or name.startswith("ln2_post") and not params.get("ffn"):
            continue
        centre = 1 if name.endswith("gamma") else 0
        a.setdefault(name, centre + 0.6 * rng.standard_normal(shape))


def cases():
    """(name, parameters, shapes of drawn arrays, arrays given)."""
    x, small = (2, 5, 6), {"heads": 2, "d_head": 3}
    biases = {"b_q": (2, 3), "b_k": (2, 3), "b_v": (2, 3), "b_o": (6,)}
    inf = float("inf")
    yield "self", small, {"x_q": x}, {}
    yield "cross", small, {"x_q": (2, 4, 6), "x_k": (2, 7, 5)}, {}
    yield "separate_values", small, {"x_q": (2, 4, 6), "x_k": (2, 7, 5), "x_v": (2, 7, 3)}, {}
    yield "values_apart_keys_not", small, {"x_q": (2, 4, 6), "x_v": (2, 4, 3)}, {}
    yield "biases", small, {"x_q": x, **biases}, {}
    yield "positions", small, {"x_q": x, "p_q": (1, 5, 6)}, {}
    yield "positions_cross", small, {"x_q": x, "x_k": (2, 3, 4), "p_q": (5, 6), "p_k": (2, 3, 4)}, {}
    yield "positions_of_keys", small, {"x_q": x, "p_k": (1, 5, 6)}, {}
    added = np.linspace(-1, 1, 25).reshape(5, 5)
    added[2, 0] = added[4, 4] = -inf
    yield ("masks", {**small, "mask": "causal"}, {"x_q": x},
           {"valid_lens": [5, 4], "key_padding_mask": [[0, 0, 1, 0, 0], [0, 1, 0, 0, 0]], "attn_mask": added})
    yield ("masks_by_head", small, {"x_q": x, "attn_mask": (2, 2, 5, 5)},
           {"valid_lens": [[1, 2, 3, 4, 5], [5, 5, 2, 2, 1]]})
    yield ("fully_masked_rows", {**small, "mask": "causal"}, {"x_q": x, **biases},
           {"valid_lens": [[0, 5, 5, 0, 5], [5, 5, 5, 5, 5]], "key_padding_mask": [[0] * 5, [1, 1, 0, 0, 0]]})
    yield "temperature_and_scale", {**small, "temperature": 2.5, "scale": -0.4}, {"x_q": x}, {}
    yield "temperature", {**small, "temperature": 0.25}, {"x_q": x}, {}
    yield "dropout", {**small, "dropout": 0.3, "dropout_seed": 5}, {"x_q": x}, {}
    yield "post_norm", {**small, "block": "post_norm"}, {"x_q": x, "x_k": (2, 3, 6)}, {}
    yield "post_norm_ffn", {**small, "block": "post_norm", "ffn": True, "d_ff": 7}, {"x_q": x, "p_q": (1, 5, 6)}, {}
    yield "pre_norm", {**small, "block": "pre_norm"}, {"x_q": x, "p_q": (1, 5, 6)}, {}
    yield "pre_norm_cross", {**small, "block": "pre_norm"}, {"x_q": x, "x_k": (2, 3, 4)}, {}
    yield "pre_norm_ffn", {**small, "block": "pre_norm", "ffn": True, "mask": "causal"}, {"x_q": x}, {}
    yield "ffn", {**small, "ffn": True, "d_ff": 4}, {"x_q": x}, {}
    yield "no_output_projection", {**small, "output_projection": False}, {"x_q": x}, {}
    yield "merge_without_transpose", {**small, "mistake": "merge_without_transpose"}, {"x_q": x}, {}
    yield ("alibi", {"heads": 5, "d_head": 3, "relative": "alibi", "query_offset": 2, "temperature": 2.0},
           {"x_q": (2, 4, 6), "x_k": (2, 7, 5)}, {})
    yield "alibi_slopes", {**small, "relative": "alibi", "mask": "causal"}, {"x_q": x, "slopes": (2,)}, {}
    yield "softcap", {**small, "softcap": 0.75, "mask": "causal"}, {"x_q": x}, {}
    yield "qk_norm_l2", {**small, "qk_norm": "l2"}, {"x_q": x}, {}
    yield ("qk_norm_l2_scales", {**small, "qk_norm": "l2", "temperature": 0.5},
           {"x_q": x, "x_k": (2, 3, 6), "logit_scale": (2,)}, {})
    yield ("qk_norm_layer", {**small, "qk_norm": "layer_norm", "norm_epsilon": 1e-3},
           {"x_q": x, "q_gamma": (3,), "q_beta": (3,), "k_gamma": (2, 3), "k_beta": (2, 3)}, {})
    yield "qk_norm_rms", {**small, "qk_norm": "rms_norm"}, {"x_q": x, "q_gamma": (2, 3), "k_gamma": (3,)}, {}
    yield ("rotary_interleaved", {"heads": 2, "d_head": 4, "rotary": "interleaved", "rotary_base": 50.0, "query_offset": 3},
           {"x_q": (2, 4, 6), "x_k": (2, 7, 5)}, {})
    yield ("rotary_half_fraction", {"heads": 2, "d_head": 5, "rotary": "half", "rotary_fraction": 0.8, "rotary_offset": -7,
                                    "mask": "causal", "qk_norm": "rms_norm"}, {"x_q": x}, {})
    yield "rotary_frequencies", {"heads": 2, "d_head": 6, "rotary": "half"}, {"x_q": x}, {"rotary_frequencies": [0.9, 0.2]}
    yield "prefix", {**small, "mask": "prefix", "prefix_length": 3}, {"x_q": x}, {}
    yield ("prefix_lens", {**small, "mask": "prefix", "query_offset": 1}, {"x_q": x}, {"prefix_lens": [4, 0]})
    yield ("window", {**small, "mask": "causal", "window_left": 1, "sink_tokens": 1}, {"x_q": x}, {})
    yield ("window_dilated", {**small, "window_left": 1, "window_right": 1, "window_dilation": 2, "global_tokens": 1}, {"x_q": x}, {})
    yield ("chunk", {**small, "chunk": 2, "chunk_left": 1, "query_offset": -1}, {"x_q": x}, {})
    yield ("segments", {**small, "mask": "causal"}, {"x_q": x}, {"segments_q": [0, 0, 1, 1, 1][: x[1]]})
    yield ("segments_cross", small, {"x_q": (2, 2, 6), "x_k": (2, 3, 6)},
           {"segments_q": [[0, 1], [2, 2]], "segments_k": [[0, 0, 1], [2, 5, 2]]})
    yield "sink", {**small, "normalize": "softmax_sink", "mask": "causal", "query_offset": -1}, {"x_q": x, "sink_logits": (2,)}, {}
    yield "sink_of_zero", {**small, "normalize": "softmax_sink"}, {"x_q": (2, 4, 6), "x_k": (2, 7, 5)}, {}
    yield "sigmoid", {**small, "normalize": "sigmoid", "mask": "causal"}, {"x_q": x}, {}
    yield "sigmoid_bias", {**small, "normalize": "sigmoid", "sigmoid_bias": 0.75}, {"x_q": x}, {"valid_lens": [3, 0]}
    yield "sparsemax", {**small, "normalize": "sparsemax", "scale": 1.0}, {"x_q": x}, {"valid_lens": [[5, 4, 0, 2, 1], [5, 5, 5, 1, 0]]}
    yield "entmax15", {**small, "normalize": "entmax15", "scale": 2.0, "mask": "causal"}, {"x_q": x}, {"valid_lens": [5, 0]}
    yield ("rms_norm_swiglu", {**small, "block": "pre_norm", "norm": "rms_norm", "norm_epsilon": 1e-3, "ffn": True,
                               "ffn_activation": "silu", "ffn_gated": True, "d_ff": 7}, {"x_q": x}, {})
    yield "post_norm_gelu", {**small, "block": "post_norm", "ffn": True, "ffn_activation": "gelu"}, {"x_q": x}, {}
    yield ("bare_geglu", {**small, "ffn": True, "ffn_activation": "gelu_tanh", "ffn_gated": True, "norm": "rms_norm"},
           {"x_q": x}, {})
    yield ("parallel", {**small, "block": "parallel", "ffn": True, "ffn_activation": "gelu_tanh", "mask": "causal"},
           {"x_q": x}, {})
    yield "parallel_alone", {**small, "block": "parallel"}, {"x_q": x, "x_k": (2, 3, 4)}, {}
    yield "parallel_two_norms", {**small, "block": "parallel_two_norms", "ffn": True}, {"x_q": x, "p_q": (1, 5, 6)}, {}
    yield "sandwich_norm", {**small, "block": "sandwich_norm", "ffn": True, "norm": "rms_norm"}, {"x_q": x}, {}
    yield "sandwich_norm_alone", {**small, "block": "sandwich_norm"}, {"x_q": x}, {}
    yield ("t5", {**small, "relative": "t5", "buckets": 8, "max_distance": 6, "scale": 1.0},
           {"x_q": (2, 9, 6), "bias_table": (8, 2)}, {})
    yield ("t5_past", {**small, "relative": "t5", "buckets": 5, "max_distance": 7, "bucket_direction": "past", "query_offset": 4,
                       "mask": "causal", "temperature": 2.0}, {"x_q": (2, 4, 6), "x_k": (2, 8, 5), "bias_table": (5, 2)}, {})
    yield ("shaw", {**small, "relative": "shaw", "clip": 2},
           {"x_q": x, "relative_keys": (5, 3), "relative_values": (5, 3)}, {})
    yield ("shaw_by_head", {"heads": 3, "d_head": 4, "relative": "shaw", "clip": 1, "rotary": "interleaved", "query_offset": 2},
           {"x_q": (1, 4, 6), "x_k": (1, 7, 5), "relative_keys": (3, 3, 4), "relative_values": (3, 3, 4)}, {})
    yield ("shaw_keys", {**small, "relative": "shaw_keys", "clip": 4, "mask": "causal"},
           {"x_q": x, "relative_keys": (2, 9, 3), "logit_scale": (2,)}, {})
    yield ("positions_to_inputs", {**small, "positions_to": "inputs", "block": "post_norm"}, {"x_q": x, "p_q": (1, 5, 6)}, {})
    yield ("positions_to_inputs_pre_norm", {**small, "positions_to": "inputs", "block": "pre_norm"}, {"x_q": x, "p_q": (5, 6)}, {})
    yield ("positions_to_inputs_cross", {**small, "positions_to": "inputs"},
           {"x_q": (2, 4, 6), "x_k": (2, 3, 5), "p_q": (4, 6), "p_k": (2, 3, 5)}, {})
    six = {"heads": 6, "d_head": 3}
    yield ("grouped", {**six, "kv_heads": 2, "mask": "causal", "rotary": "half", "qk_norm": "rms_norm", "d_head": 4},
           {"x_q": x, "b_k": (2, 4), "b_v": (2, 4), "q_gamma": (6, 4), "k_gamma": (2, 4)}, {"valid_lens": [5, 3]})
    yield ("multi_query", {**six, "kv_heads": 1, "softcap": 2.0, "relative": "alibi", "query_offset": 1},
           {"x_q": (2, 4, 6), "x_k": (2, 7, 5)}, {})
    yield "wide_values", {**six, "kv_heads": 3, "d_value": 5}, {"x_q": x, "b_v": (3, 5)}, {}
    yield "values_of_one", {**small, "d_value": 1, "output_projection": False}, {"x_q": x}, {}
    yield ("shaw_wide_values", {**small, "relative": "shaw", "clip": 2, "d_value": 4, "kv_heads": 1},
           {"x_q": x, "relative_keys": (5, 3), "relative_values": (2, 5, 4)}, {})
    yield ("positions_of_a_grid", {**small, "positions": "sinusoidal_2d", "grid_columns": 3}, {"x_q": (2, 6, 8)}, {})
    yield ("talking", {"heads": 3, "d_head": 4, "talking_heads": "both", "softcap": 2.0},
           {"x_q": x, "b_pre": (3,), "b_post": (3,)}, {})
    yield ("talking_scores", {**small, "talking_heads": "logits", "mask": "causal", "relative": "alibi"}, {"x_q": x}, {})
    yield ("talking_weights", {**small, "talking_heads": "weights", "kv_heads": 1}, {"x_q": x},
           {"valid_lens": [[5, 4, 0, 2, 1], [5, 5, 5, 1, 0]]})
    lambdas = {name: (3,) for name in ("lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2")}
    yield "differential", {**small, "differential": True, "lambda_init": 0.5}, {"x_q": x, **lambdas, "head_gamma": (6,)}, {}
    yield ("differential_grouped", {"heads": 4, "d_head": 2, "kv_heads": 2, "differential": True, "rotary": "interleaved",
                                    "mask": "causal", "d_value": 3, "qk_norm": "rms_norm"},
           {"x_q": x, "b_k": (4, 2), "k_gamma": (4, 2), "q_gamma": (8, 2)}, {})
    yield ("differential_alibi", {"heads": 3, "d_head": 2, "differential": True, "relative": "alibi", "norm_epsilon": 1e-3,
                                  "normalize": "softmax_sink"},
           {"x_q": x, "logit_scale": (3,), "sink_logits": (3,), "attn_mask": (1, 3, 5, 5)}, {})
    yield ("differential_t5", {**small, "differential": True, "relative": "t5", "buckets": 8, "max_distance": 6},
           {"x_q": x, "bias_table": (8, 2)}, {})
    yield ("differential_shaw", {**small, "differential": True, "relative": "shaw", "clip": 1},
           {"x_q": x, "relative_keys": (2, 3, 3), "relative_values": (3, 6)}, {})
    yield ("block_layout", {**small, "chunk": 2, "mask": "causal", "sink_tokens": 1}, {"x_q": x},
           {"block_layout": [[1, 0, 0], [0, 1, 0], [1, 0, 0.5]]})
    yield ("block_layout_by_head", {**small, "chunk": 3, "differential": True}, {"x_q": (2, 5, 6), "x_k": (2, 7, 5)},
           {"block_layout": [[[1, 0, 1], [0, 1, 0]], [[0, 1, 0], [1, 0, 1]]]})
    yield ("fused_stacked", {**small, "mask": "causal", "block": "pre_norm", "qkv_layout": "stacked"},
           {"x_q": x, "b_q": (2, 3), "b_k": (2, 3), "b_v": (2, 3)}, {})
    yield "fused_per_head", {"heads": 6, "d_head": 2, "kv_heads": 3, "qkv_layout": "per_head", "rotary": "half"}, {"x_q": x}, {}

    def offsets(heads, d_in, d_head):
        return {"w_r": (heads, d_in, d_head), "bias_u": (heads, d_head), "bias_v": (heads, d_head)}

    xl = {"relative": "transformer_xl"}
    yield "transformer_xl", {"heads": 3, "d_head": 4, **xl}, {"x_q": x, **offsets(3, 6, 4)}, {"valid_lens": [5, 2]}
    yield ("transformer_xl_memory", {**small, **xl, "mask": "causal", "query_offset": 3, "kv_heads": 1, "rotary": "half"},
           {"x_q": (2, 4, 5), "x_k": (2, 7, 5), **offsets(2, 5, 3), "logit_scale": (2,)}, {})
    yield ("transformer_xl_differential", {**small, **xl, "differential": True, "query_offset": -9, "qk_norm": "rms_norm"},
           {"x_q": x, **offsets(2, 6, 3)}, {})


def save(path, arrays):
    """An .npz of float32 that is the same, byte for byte, each time it is made."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(arrays):
            data = io.BytesIO()
            np.save(data, np.asarray(arrays[name], np.float32))
            member = zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0))
            archive.writestr(member, data.getvalue(), zipfile.ZIP_DEFLATED)


def fused(params, a):
    """The arrays with queries, keys and values made by one: every head's columns, laid side by side."""
    heads, groups = params["heads"], params.get("kv_heads", params["heads"])
    each = heads // groups
    if params["qkv_layout"] == "per_head":
        order = [part for g in range(groups) for part in [*(("q", g * each + m) for m in range(each)), ("k", g), ("v", g)]]
    else:
        order = [("q", m) for m in range(heads)] + [(which, g) for which in "kv" for g in range(groups)]
    made = {name: array for name, array in a.items() if name not in ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v")}
    for kind in "wb":
        if f"{kind}_q" in a:
            made[f"{kind}_qkv"] = np.concatenate([a[f"{kind}_{which}"][head] for which, head in order], -1)
    return made


def main():
    for number, (name, params, drawn, given) in enumerate(cases()):
        rng = np.random.Generator(np.random.PCG64(number))
        a = {key: rng.standard_normal(shape) for key, shape in drawn.items()}
        a.update({key: np.asarray(value, float) for key, value in given.items()})
        weights_for(params, a, rng)
        a = {key: value.astype(np.float32).astype(float) for key, value in a.items()}
        inputs = dict(a)
        if params.get("dropout"):
            b, n, _ = a["x_q"].shape
            a["dropout_mask"] = dropout_mask(params, (b, params["heads"], n, n))
        folder = HERE / name
        folder.mkdir(parents=True, exist_ok=True)
        experiment = {"headlight": 1, "variant": "multi_head", "params": params, "arrays": "arrays.npz"}
        (folder / "experiment.json").write_text(json.dumps(experiment, indent=2) + "\n")
        save(folder / "arrays.npz", fused(params, inputs) if "qkv_layout" in params else inputs)
        save(folder / "expect.npz", run(params, a))


if __name__ == "__main__":
    main()
