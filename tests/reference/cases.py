"""Writes one reference case: NAME/{experiment.json,arrays.npz,expect.npz}, the layout of the acceptance cases.

For the scripts beside it; the formulas are theirs.
"""
import io
import json
import zipfile

import numpy as np


def rounded(arrays):
    """The same in float64, rounded to float32 first, so that both sides start from the same numbers."""
    return {name: np.asarray(values, np.float32).astype(float) for name, values in arrays.items()}


def save(path, arrays):
    """An .npz of float32 that is the same, byte for byte, each time it is made."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(arrays):
            data = io.BytesIO()
            np.save(data, np.asarray(arrays[name], np.float32))
            member = zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0))
            archive.writestr(member, data.getvalue(), zipfile.ZIP_DEFLATED)


def write(folder, variant, params, arrays, expected):
    """Writes the three files; `arrays` holds inputs and weights, `expected` every step by its id."""
    folder.mkdir(parents=True, exist_ok=True)
    experiment = {"headlight": 1, "variant": variant, "params": params, "arrays": "arrays.npz"}
    (folder / "experiment.json").write_text(json.dumps(experiment, indent=2) + "\n")
    save(folder / "arrays.npz", arrays)
    save(folder / "expect.npz", expected)
