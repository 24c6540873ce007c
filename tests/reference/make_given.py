#!/usr/bin/env python3
"""Reference cases of attention that is given: what must come out of arrays of every rank and order, in NumPy.

Writes tests/reference/given/NAME/{experiment.json,attn.npy|attn.npz,expect.npz}. Running it again gives the same bytes.
"""
import json
import pathlib

import numpy as np

from cases import save

root = pathlib.Path(__file__).parent / "given"
rng = np.random.default_rng(20)


def softmax(scores):
    most = scores.max(axis=-1, keepdims=True)
    powers = np.where(np.isinf(scores), 0, np.exp(scores - np.where(np.isinf(most), 0, most)))
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def attention(*shape):
    return softmax(rng.normal(size=shape)).astype(np.float32)


def case(name, values, expected, params=None, **beside):
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(values, dict):
        save(folder / "attn.npz", values)
        spec = {"npy": "attn.npz", **beside}
    else:
        np.save(folder / "attn.npy", values)
        spec = {"npy": "attn.npy", **beside}
    experiment = {"headlight": 1, "variant": "given", "params": params or {}, "inputs": {"weights": spec}}
    (folder / "experiment.json").write_text(json.dumps(experiment, indent=2) + "\n")
    save(folder / "expect.npz", expected)


one = attention(4, 4)
case("one_map", one, {"weights": one[None, None]}, tokens=["a", "b", "a", "c"])
heads = attention(3, 4, 5)
case("heads_across", heads, {"weights": heads[None]}, tokens=list("abcd"), key_tokens=list("vwxyz"))
layers = attention(3, 2, 4, 4)
case("layers", layers, {f"layer{l}/weights": layers[l][None] for l in range(3)})
batch = attention(1, 2, 4, 4)
case("batch_of_one", batch, {"weights": batch})
five = attention(2, 3, 2, 4, 6)
case("layers_of_batches", five, {f"layer{l}/weights": five[l] for l in range(2)})
turned = attention(2, 3, 4, 5)  # l h q k
case("turned", np.ascontiguousarray(turned.transpose(2, 1, 3, 0)), {f"layer{l}/weights": turned[l][None] for l in range(2)},
     axes="qhkl")
several = {f"arr_{l}": attention(2, 3, 3) for l in range(11)}
case("several", several, {f"layer{l}/weights": several[f"arr_{l}"][None] for l in range(11)})
case("chosen", {"x_1": several["arr_1"], "x_2": several["arr_2"], "other": np.zeros(3)},
     {"layer0/weights": several["arr_1"][None], "layer1/weights": several["arr_2"][None]}, member="x_*")
scores = rng.normal(size=(2, 2, 3, 3)).astype(np.float32)
scores[:, :, np.triu_indices(3, 1)[0], np.triu_indices(3, 1)[1]] = -np.inf
scores[1, 0, 2] = -np.inf
case("scores", scores, {f"layer{l}/{what}": values[l][None] for l in range(2) for what, values in
                        (("scores", scores), ("weights", softmax(scores.astype(float))))}, params={"normalize": "softmax"})
counts = rng.integers(0, 9, size=(2, 3, 4)).astype(np.float32)
counts[0, 1] = 0
total = counts.sum(axis=-1, keepdims=True)
case("rows", counts, {"weights": (counts / np.where(total == 0, 1, total))[None]}, params={"normalize": "rows"})
