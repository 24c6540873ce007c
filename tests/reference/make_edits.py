#!/usr/bin/python3
"""Writes the reference cases of edited runs: tests/reference/multi_head/edited_NAME/{experiment.json,arrays.npz,expect.npz}.

An implementation of its own, in PyTorch and float64, with nothing shared with the engine: causal self-attention of two
heads in which a line of the mechanism is followed by what is done to its result. Run it from anywhere; the same files
come out each time.
"""
import json
import math
import pathlib

import numpy as np
import torch

import cases as files

HERE = pathlib.Path(__file__).parent / "multi_head"
PARAMS = {"heads": 2, "d_head": 3, "mask": "causal"}


def run(a, done_to):
    """Every step by its id; `done_to` maps ids to functions that change a result in place."""
    out = {}

    def step(name, result):
        result = result.clone()
        done_to.get(name, lambda _: None)(result)
        out[name] = result
        return result

    x = a["x_q"].clone()
    done_to.get("x_q", lambda _: None)(x)
    w_k = a["w_k"].clone()
    done_to.get("w_k", lambda _: None)(w_k)
    q = step("q", torch.einsum("bnd,mde->bmne", x, a["w_q"]))
    k = step("k", torch.einsum("bnd,mde->bmne", x, w_k))
    v = step("v", torch.einsum("bnd,mde->bmne", x, a["w_v"]))
    scores = step("scores", q @ k.transpose(-1, -2))
    scaled = step("scaled_scores", scores / math.sqrt(q.shape[-1]))
    n = x.shape[1]
    mask = torch.zeros(1, 1, n, n, dtype=torch.float64).masked_fill(torch.ones(n, n).triu(1) == 1, -torch.inf)
    done_to.get("mask", lambda _: None)(mask)
    masked = step("masked_scores", scaled + mask)
    weights = step("weights", torch.nan_to_num(torch.softmax(masked, -1), nan=0.0))  # a row without keys is 0 / 0
    heads = step("head_outputs", weights @ v)
    concat = step("concat", torch.cat(list(heads.unbind(1)), -1))
    step("output", concat @ a["w_o"])
    return out


def put(*place, to):
    """A function that writes a number, or numbers, at a place of an array."""
    def write(array):
        array[place] = torch.as_tensor(to, dtype=torch.float64)
    return write


def uniform_head(weights):
    for i in range(weights.shape[2]):
        weights[:, 1, i, : i + 1] = 1 / (i + 1)


def one_hot_row(weights):
    weights[1, 0, 3] = torch.tensor([0, 0, 1, 0, 0.0])


def cases():
    """(name, edits as the file lists them, what is done to which array)."""
    every = slice(None)
    minus = -math.inf
    yield ("head_off", [{"array": "head_outputs", "at": [None, 0, None, None], "make": "zero"}],
           {"head_outputs": put(every, 0, to=0)})
    yield ("uniform_head", [{"array": "weights", "at": [None, 1, None, None], "make": "uniform"}],
           {"weights": uniform_head})
    yield ("edge_cut", [{"array": "masked_scores", "at": [0, 1, 3, 1], "set": "-inf"}],
           {"masked_scores": put(0, 1, 3, 1, to=minus)})
    yield ("row_cut", [{"array": "mask", "at": [0, 0, 2, [0, 2]], "set": "-inf"}],
           {"mask": put(0, 0, 2, slice(0, 3), to=minus)})
    yield ("mask_opened", [{"array": "mask", "at": [0, 0, 1, 4], "set": 0}], {"mask": put(0, 0, 1, 4, to=0)})
    yield ("weight_set", [{"array": "weights", "at": [1, 0, 4, 2], "set": 0}], {"weights": put(1, 0, 4, 2, to=0)})
    yield ("score_set", [{"array": "scores", "at": [0, 0, 3, 1], "set": 2.5}], {"scores": put(0, 0, 3, 1, to=2.5)})
    yield ("input_and_weight", [{"array": "x_q", "at": [1, [1, 2], 0], "set": [0.5, -1.5]},
                                {"array": "w_k", "at": [1, None, 2], "make": "zero"}],
           {"x_q": put(1, slice(1, 3), 0, to=[0.5, -1.5]), "w_k": put(1, every, 2, to=0)})
    yield ("one_hot_and_off", [{"array": "weights", "at": [1, 0, 3, None], "make": "one_hot", "key": 2},
                               {"array": "weights", "make": "uniform", "on": False},
                               {"array": "output", "at": [0, 0, 0], "set": 9}],
           {"weights": one_hot_row, "output": put(0, 0, 0, to=9)})


def main():
    for number, (name, edits, done_to) in enumerate(cases()):
        rng = np.random.Generator(np.random.PCG64(1000 + number))
        shapes = {"x_q": (2, 5, 6), "w_q": (2, 6, 3), "w_k": (2, 6, 3), "w_v": (2, 6, 3), "w_o": (6, 6)}
        a = files.rounded({key: rng.standard_normal(shape) for key, shape in shapes.items()})
        expected = run({key: torch.from_numpy(value) for key, value in a.items()}, done_to)
        folder = HERE / f"edited_{name}"
        files.write(folder, "multi_head", PARAMS, a, {key: value.numpy() for key, value in expected.items()})
        experiment = json.loads((folder / "experiment.json").read_text())
        (folder / "experiment.json").write_text(json.dumps({**experiment, "edits": edits}, indent=2) + "\n")


if __name__ == "__main__":
    main()
