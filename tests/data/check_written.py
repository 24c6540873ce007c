#!/usr/bin/env python3
"""Checks with NumPy what the test "what Headlight writes, NumPy reads" has written into the folder given."""

import json
import os
import struct
import sys
import zipfile

import numpy as np

expected = {"z": np.array([[1, -0.0, np.inf], [np.nan, 0.1, 1e-45]], "f4"), "größe": np.array(7, "f4"),
            "empty": np.zeros((0, 3), "f4")}


def check(name, array):
    wanted = expected[name]
    assert array.dtype == np.dtype("<f4") and array.flags["C_CONTIGUOUS"], name
    assert array.shape == wanted.shape and array.tobytes() == wanted.tobytes(), (name, array)


folder = sys.argv[1]
check("z", np.load(os.path.join(folder, "z.npy")))

with zipfile.ZipFile(os.path.join(folder, "all.npz")) as archive:
    assert archive.testzip() is None
with np.load(os.path.join(folder, "all.npz")) as archive:
    assert archive.files == list(expected), archive.files
    for name in archive.files:
        check(name, archive[name])

with open(os.path.join(folder, "all.safetensors"), "rb") as file:
    data = file.read()
length = struct.unpack("<Q", data[:8])[0]
assert length % 8 == 0
header, data = json.loads(data[8:8 + length]), data[8 + length:]
assert list(header) == list(expected)
for name, entry in header.items():
    begin, end = entry["data_offsets"]
    assert entry["dtype"] == "F32"
    check(name, np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"]))
