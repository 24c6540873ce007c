#!/usr/bin/python3
"""Runs the lines of PyTorch that the mask laboratory shows, as write_masks prints them.

usage: run_masks.py PATH/TO/write_masks

Each must make the mask that the run has, of the shape and type that are said; what hides for nn.MultiheadAttention must
leave exactly those keys without weight there. A negative control: the opposite polarity must be told apart. Exit status 1
if anything fell short, 77 if PyTorch is not installed, or 1 where every test must run (HEADLIGHT_EVERY_TEST).
"""
import json
import subprocess
import sys

import libraries

libraries.need("pytorch")

import torch
from torch import nn


def complaints(case, invert=False):
    names = {"torch": torch}
    exec(case["lines"], names)
    mask = names["attn_mask"]
    if invert:
        mask = ~mask
    kind = {torch.bool: "bool", torch.float32: "float"}.get(mask.dtype, str(mask.dtype))
    shape = "(" + ", ".join(str(size) for size in mask.shape) + "), " + kind
    if shape != case["shape"]:
        yield f"is {shape}, said to be {case['shape']}"
    expected = torch.tensor(case["numbers"])
    found = mask.reshape(-1).to(torch.float32)
    found = torch.where(found == float("-inf"), torch.tensor(-1e9), found)
    if expected.shape != found.shape or not torch.equal(expected, found):
        return (yield "is another mask than the run's")
    if not case["call"].startswith("nn.MultiheadAttention"):
        return
    heads = mask.shape[0] if mask.dim() == 3 else 2
    torch.manual_seed(1)
    queries, keys = (torch.randn(1, n, 4 * heads) for n in mask.shape[-2:])
    layer = nn.MultiheadAttention(4 * heads, heads, batch_first=True)
    weights = layer(queries, keys, keys, attn_mask=mask, average_attn_weights=False)[1][0]
    hidden = mask.expand(heads, *mask.shape[-2:])
    rows = ~hidden.all(-1)  # a row without a key is NaN there
    if not torch.equal((weights == 0)[rows], hidden[rows]):
        yield "hides other keys in nn.MultiheadAttention"


cases = json.loads(subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout)
failed = [f"{case['name']}: {why}:\n{case['lines']}" for case in cases for why in complaints(case)]
if not any(any(complaints(case, invert=True)) for case in cases[:3]):
    failed.append("the opposite polarity was not told apart")
print("\n".join(failed) or f"{len(cases)} masks")
sys.exit(1 if failed else 0)
