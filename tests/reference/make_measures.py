#!/usr/bin/python3
"""Writes the reference cases of the measures of heads: tests/reference/measures/NAME/{experiment.json,arrays.npz,
places.json,expect.npz}.

An implementation of its own, in NumPy and float64, with nothing shared with the engine. places.json says what numbers
alone do not: which tokens are equal, which stand for no text, and on which grid positions lie. expect.npz holds a number
a head for each measure that is there. Run it from anywhere; the same files come out each time.
"""
import json
import math
import pathlib

import numpy as np

import cases as files

HERE = pathlib.Path(__file__).parent / "measures"


def attend(a, heads, causal=False, mistake=False, off=None):
    """(weights, what each head hands on, output) of attention of several heads."""
    x_k = a.get("x_k", a["x_q"])
    q, k, v = (np.einsum("bnd,mde->bmne", x, a[w]) for x, w in ((a["x_q"], "w_q"), (x_k, "w_k"), (x_k, "w_v")))
    scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(q.shape[-1])
    if causal:
        scores = scores + np.triu(np.full(scores.shape[-2:], -np.inf), 1)
    scores = scores + a.get("attn_mask", 0)
    with np.errstate(invalid="ignore"):
        e = np.exp(scores - scores.max(-1, keepdims=True))
        weights = np.nan_to_num(e / e.sum(-1, keepdims=True))  # a row without keys is 0 / 0
    o = weights @ v
    if off is not None:
        o = o.copy()
        o[:, off] = 0
    b, m, n, d = o.shape
    merged = o.reshape(b, n, m * d) if mistake else o.transpose(0, 2, 1, 3).reshape(b, n, m * d)
    return weights, o, merged @ a["w_o"] if "w_o" in a else merged


def share(a, o, mistake=False):
    """Mean share of the norm of what each head adds, by adding what one head alone gives."""
    b, m, n, d = o.shape
    norms = []
    for head in range(m):
        alone = np.zeros_like(o)
        alone[:, head] = o[:, head]
        row = alone.reshape(b, n, m * d) if mistake else alone.transpose(0, 2, 1, 3).reshape(b, n, m * d)
        norms.append(np.linalg.norm(row @ a["w_o"] if "w_o" in a else row, axis=-1))
    norms = np.stack(norms, -1)  # (B, n, M)
    norms = norms[norms.sum(-1) > 0]
    return (norms / norms.sum(-1, keepdims=True)).mean(0)


def ablation(run, heads):
    whole = run(None)[2]
    return np.array([np.linalg.norm(whole - run(m)[2]) / np.linalg.norm(whole) for m in range(heads)])


def place(grid, i):
    frames, rows, columns = grid
    return np.array([i // (rows * columns), i // columns % rows, i % columns], float)


def measures(w, places):
    """A number a head, by name, from weights (B, M, n_q, n_k), query by query."""
    batches, heads, n_q, n_k = w.shape
    found = {}

    def add(name, m, value):
        found.setdefault(name, [[] for _ in range(heads)])[m].append(value)

    tq, tk, special, grid = (places.get(key) for key in ("tokens_q", "tokens_k", "special", "grid"))
    for b in range(batches):
        for m in range(heads):
            for i in range(n_q):
                row = w[b, m, i]
                if not row.any():
                    continue
                magnitude = np.abs(row)
                shares = row if (row >= 0).all() and abs(row.sum() - 1) < 1e-3 else magnitude / magnitude.sum()
                entropy = -sum(p * math.log(p) for p in shares if p > 0)
                add("entropy", m, entropy)
                add("effective_keys", m, math.exp(entropy))
                add("confidence", m, magnitude.max())
                if special:
                    add("special", m, sum(row[j] for j in special))
                if n_q != n_k:
                    continue
                far = [np.linalg.norm(place(grid, i) - place(grid, j)) if grid else abs(i - j) for j in range(n_k)]
                add("distance", m, magnitude @ far / magnitude.sum())
                add("self", m, row[i])
                if i > 0:
                    add("previous", m, row[i - 1])
                    add("first", m, row[0])
                if tq is None:
                    continue
                same = [j for j in range(n_k) if j != i and tk[j] == tq[i]]
                after = [j for j in range(1, i) if tk[j - 1] == tq[i]]
                if same:
                    add("same", m, row[same].sum())
                if after:
                    add("induction", m, row[after].sum())
    return {name: np.array([np.mean(v) if v else np.nan for v in lists]) for name, lists in found.items()}


def write(name, variant, params, arrays, places, w, more):
    folder = HERE / name
    expected = measures(w, places) | more
    files.write(folder, variant, params, arrays, expected)
    (folder / "places.json").write_text(json.dumps(places) + "\n")


def multi_head(name, seed, places, batches=2, heads=3, n=7, keys=None, causal=False, projection=True, mistake=False,
               mask=None):
    rng = np.random.default_rng(seed)
    d_model, d_head, d_out = 6, 4, 5
    shapes = {"x_q": (batches, n, d_model)} | {w: (heads, d_model, d_head) for w in ("w_q", "w_k", "w_v")}
    if keys:
        shapes["x_k"] = (batches, keys, d_model)
    if projection:
        shapes["w_o"] = (heads * d_head, d_out)
    a = {key: rng.normal(size=shape) for key, shape in shapes.items()}
    a["w_v"] = a["w_v"] * np.array([1, 3, 0.2, 2])[:heads, None, None]  # heads that matter more, and less
    a = files.rounded(a)
    if mask is not None:
        a["attn_mask"] = mask
    run = lambda off: attend(a, heads, causal, mistake, off)
    weights, o, _ = run(None)
    params = {"heads": heads, "d_head": d_head, "mask": "causal" if causal else "none"}
    if not projection:
        params["output_projection"] = False
    if mistake:
        params["mistake"] = "merge_without_transpose"
    write(name, "multi_head", params, a, places, weights,
          {"share": share(a, o, mistake), "ablation": ablation(run, heads)})


def dot_product(name, seed):
    """A non-local block on a signal whose weights are no shares: θ(x) · φ(x) / N, of either sign."""
    rng = np.random.default_rng(seed)
    c, inner, n, batches = 4, 3, 9, 2
    shapes = {"x": (batches, c, n), "w_theta": (inner, c), "w_phi": (inner, c), "w_g": (inner, c), "w_z": (c, inner)}
    shapes |= {b: (inner,) for b in ("b_theta", "b_phi", "b_g")} | {"b_z": (c,)}
    a = files.rounded({key: rng.normal(size=shape) for key, shape in shapes.items()})
    embed = lambda w, b: np.einsum("bcn,ic->bni", a["x"], a[w]) + a[b]
    weights = embed("w_theta", "b_theta") @ embed("w_phi", "b_phi").transpose(0, 2, 1) / n
    o = weights @ embed("w_g", "b_g")
    z = lambda y: np.einsum("bni,ci->bcn", y, a["w_z"]) + a["b_z"][None, :, None] + a["x"]
    change = np.linalg.norm(z(o) - z(0 * o)) / np.linalg.norm(z(o))
    write(name, "non_local", {"dimension": 1, "mode": "dot_product", "inter_channels": inner, "batch_norm": False}, a, {},
          weights[:, None], {"share": np.ones(1), "ablation": np.array([change])})


def main():
    words = [0, 1, 2, 3, 1, 2, 1]
    text = {"tokens_q": words, "tokens_k": words, "special": [0]}
    multi_head("causal", 1, text, causal=True)
    multi_head("one_head", 2, text, heads=1)
    multi_head("no_projection", 3, text, heads=4, projection=False)
    multi_head("cross", 4, {"tokens_q": [1, 2, 3, 4], "tokens_k": [0, 1, 5, 1, 2, 6], "special": [0]}, n=4, keys=6)
    multi_head("cross_as_long", 5, {"tokens_q": [1, 2, 2, 4, 5], "tokens_k": [2, 1, 2, 2, 4]}, n=5, keys=5)
    multi_head("grid", 6, {"grid": [1, 3, 4]}, n=12)
    multi_head("frames", 7, {"grid": [2, 3, 2]}, n=12, causal=True)
    multi_head("merged_without_transpose", 8, text, mistake=True)
    hidden = np.zeros((2, 1, 7, 7))
    hidden[0, 0, 3] = hidden[1, 0, 0] = -np.inf  # rows without a visible key
    hidden[1, 0, :, 5:] = -np.inf
    multi_head("hidden_rows", 9, text, mask=hidden)
    dot_product("no_softmax", 10)


if __name__ == "__main__":
    main()
