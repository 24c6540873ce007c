#!/usr/bin/python3
"""Runs the scripts that `headlight code` writes for networks that were trained here.

usage: run_networks.py numpy|pytorch PATH/TO/headlight

Some networks learn for a few steps each. Their scripts must say what Headlight says, to 1e-5 of the largest logit: of the
row that they come with, and of a part of it. Exit status 1 if anything fell short, 77 if the library is not installed, or 1
where every test must run (HEADLIGHT_EVERY_TEST).
"""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import libraries

LETTERS = 'what is "learned" by heart, letter by letter, is told again from its beginning to its very end. '
TASKS = [
    ("repeat", {}, {}),
    ("repeat", {"positions": "learned", "block": "bare", "d": 16}, {}),
    ("order", {"positions": "sinusoidal", "d": 8}, {}),
    ("order", {"kind": "sort", "block": "pre_norm", "positions": "none", "layers": 2}, {}),
    ("positions", {"positions": "alibi"}, {}),
    ("positions", {"layers": 2, "d": 16}, {"ffn": True, "relative": "t5", "qk_norm": "l2"}),
    ("text", {"text": 7 * LETTERS, "d": 16, "ffn": True}, {}),
]


def complaints(program, language, task, options, params):
    """Lets a network learn, and yields what is wrong with its script, one line each."""
    pathlib.Path("task.json").write_text(json.dumps({"train": {"task": task, "options": options, "params": params, "steps": 10}}))

    def call(*words):
        ran = subprocess.run([program, *words, "-q"], text=True, capture_output=True)
        return f"headlight {' '.join(words)}: {ran.stderr.strip()}" if ran.returncode else None

    pathlib.Path("scripts").mkdir(exist_ok=True)
    failed = call("train", "task.json", "-o", "learned", "--force") or call("code", "learned", "--as", language, "-o", "scripts/network.py")
    if failed:
        yield failed
        return
    ran = {"__file__": "scripts/network.py", "__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(pathlib.Path("scripts/network.py").read_text(), "network.py", "exec"), ran)
    ids = [ran["symbols"].index(symbol) for symbol in ran["row"]]
    for row in ids, ids[2:]:
        failed = call("trace", "learned", "--ids", ",".join(map(str, row)), "-o", "steps.npz")
        if failed:
            yield failed
            return
        with np.load("steps.npz") as steps:
            wanted = steps["logits"][0].astype(np.float64)
        found = np.asarray(ran["network"](row))
        if found.shape != wanted.shape or not np.abs(found - wanted).max() < 1e-5 * np.abs(wanted).max():
            yield f"of {len(row)} symbols the script says something else"


def main():
    language, program = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for task, options, params in TASKS:
            for complaint in complaints(program, language, task, options, params):
                failed += 1
                print(f"{task} {options} {params}: {complaint}")
    print(f"{len(TASKS)} networks in {language}, {failed} complaints")
    return 1 if failed else 0


if __name__ == "__main__":
    libraries.need(sys.argv[1])
    import numpy as np

    sys.exit(main())
