#!/usr/bin/env python3
"""Writes tests/data/arrays: files as NumPy makes them, and what must be read from them.

expected.txt has a line for each array: file, name, dtype, shape and the values as hexadecimal floats in C order, as
NumPy converts them to float32; the fields are parted by tabs. The files in refused/ must not load.
Running it again gives the same bytes with the same NumPy (written with 1.24).
"""

import io
import json
import os
import struct
import time
import zipfile
import zlib

import numpy as np
from numpy.lib import format as npy

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "arrays")
os.makedirs(os.path.join(folder, "refused"), exist_ok=True)
os.environ["TZ"] = "UTC"
time.tzset()
time.time = lambda: 946684800.0  # zipfile puts the date into its members
expected = []

half_bits = [0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x3555, 0x3C00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00]


def expect(file, name, dtype, values):
    with np.errstate(over="ignore"):
        flat = np.asarray(values).astype(np.float32).ravel(order="C")
    shape = ",".join(str(extent) for extent in np.shape(values))
    expected.append("\t".join([file, name, dtype, shape] + [float(value).hex() for value in flat]))


def sample(dtype):
    """Twelve values in two blocks of three rows, the type's extremes among them."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        values = [0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1]
    elif kind == "f":
        values = [0, -0.0, 1, -2.5, 1 / 3, 65504, -6e-8, 1e-5, np.inf, -np.inf, np.nan, 7]
        if dtype == "f8":
            values[5:8] = [3.4028235e38, -1e-45, 1e-300]
    else:
        limits = np.iinfo(dtype)
        values = [limits.min, limits.max, 0, 1, 2, 3, 100, 101, limits.max - 1, limits.min + 1, 64, 5]
    return np.array(values, dtype=dtype).reshape(2, 3, 2)


def save_npy(name, array, version=None):
    with open(os.path.join(folder, name + ".npy"), "wb") as file:
        npy.write_array(file, array, version=version)
    expect(name + ".npy", name, array.dtype.name, array)


def save_npz(name, arrays, compressed=False, comment=b""):
    path = os.path.join(folder, name)
    (np.savez_compressed if compressed else np.savez)(path, **arrays)
    if comment:
        with zipfile.ZipFile(path, "a") as archive:
            archive.comment = comment
    for key, array in arrays.items():
        expect(name, key, array.dtype.name, array)


def every_type():
    arrays = {}
    for dtype in ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]:
        for order in "CF":
            for endian in "<>":
                array = np.array(sample(dtype), dtype=endian + dtype, order=order)
                arrays[f"{dtype}_{'little' if endian == '<' else 'big'}_{order}"] = array
    return arrays


def npy_bytes(array):
    buffer = io.BytesIO()
    npy.write_array(buffer, array)
    return buffer.getvalue()


class Pipe(io.RawIOBase):
    """A file that cannot seek, so that zipfile puts sizes and sums after the data."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def save_unusual_zips(arrays):
    # Directory with zip64 everywhere: what zipfile does beyond 4 GiB, done from the first byte.
    limits = zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT
    zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = 1, 1
    save_npz("zip64.npz", arrays)
    zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = limits
    for name, method in [("streamed.npz", zipfile.ZIP_STORED), ("streamed_deflated.npz", zipfile.ZIP_DEFLATED)]:
        with open(os.path.join(folder, name), "wb") as file, zipfile.ZipFile(Pipe(file), "w", method) as archive:
            for key, array in arrays.items():
                archive.writestr(zipfile.ZipInfo(key + ".npy"), npy_bytes(array), method)
                expect(name, key, array.dtype.name, array)


def save_safetensors(name, arrays, padding=0, metadata=None):
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for key, (dtype, stored, values, numpy_name) in arrays.items():
        raw = stored.tobytes()
        header[key] = {"dtype": dtype, "shape": list(stored.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
        expect(name, key, numpy_name, values)
    text = json.dumps(header).encode() + b" " * padding
    with open(os.path.join(folder, name), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def safetensors_arrays():
    arrays = {}
    names = {"BOOL": "b1", "I8": "i1", "I16": "i2", "I32": "i4", "I64": "i8", "U8": "u1", "U16": "u2", "U32": "u4",
             "U64": "u8", "F16": "f2", "F32": "f4", "F64": "f8"}
    for dtype, short in names.items():
        array = sample(short)
        arrays["t." + short] = (dtype, array, array, array.dtype.name)
    bits = np.array([0x0000, 0x8000, 0x0001, 0x807F, 0x0080, 0x3F80, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0], "u2")
    arrays["t.bf16"] = ("BF16", bits, (bits.astype("u4") << 16).view("f4"), "bfloat16")
    scalar = np.array(2.5, "f4")
    arrays["scalar"] = ("F32", scalar, scalar, "float32")
    empty = np.zeros((0, 3), "f4")
    arrays["empty"] = ("F32", empty, empty, "float32")
    return arrays


def save_refused():
    record = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")])
    refused = {"complex": np.array([1 + 2j]), "objects": np.array([None, "x"], dtype=object),
               "text": np.array(["abc"]), "bytes": np.array([b"abc"]), "records": record,
               "dates": np.array(["2020-01-01"], dtype="M8[D]"), "raw": np.zeros(2, "V2"),
               "long_double": np.zeros(2, np.longdouble), "beyond": np.array([[0, 1], [1e39, 2]]),
               "beyond_fortran": np.array([[0, 1], [1e39, 2]], dtype=">f8", order="F")}
    for name, array in refused.items():
        np.save(os.path.join(folder, "refused", name + ".npy"), array, allow_pickle=True)


def record(signature, layout, *fields):
    return signature + struct.pack("<" + layout, *fields)


def zip_bytes(members):
    """A zip of (name, method, size, header place, packed data, content if other) as it says, true or not."""
    body, directory = b"", b""
    for name, method, size, place, data, *content in members:
        common = (20, 0, method, 0, 33, zlib.crc32(*(content or [data])), len(data), min(size, 0xFFFFFFFF), len(name))
        extra = struct.pack("<HHQ", 1, 8, size) if size > 0xFFFFFFFF else b""
        if place == len(body):
            body += record(b"PK\x03\x04", "HHHHHLLLHH", *common, 0) + name + data
        directory += record(b"PK\x01\x02", "HHHHHHLLLHHHHHLL", 20, *common, len(extra), 0, 0, 0, 0, place) + name + extra
    end = record(b"PK\x05\x06", "HHHHLLH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    return body + directory + end


def deflated(data):
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflate.compress(data) + deflate.flush()


def save_refused_zips():
    array = npy_bytes(np.zeros(2, "f4"))
    huge = b"\x93NUMPY\x01\x00\x76\x00" + b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000)}".ljust(118)
    inner = record(b"PK\x03\x04", "HHHHHLLLHH", 20, 0, 0, 0, 33, zlib.crc32(array), len(array), len(array), 9, 0)
    inner += b"inner.npy" + array
    files = {
        "twice": [(b"x.npy", 0, len(array), 0, array), (b"x.npy", 0, len(array), 35 + len(array), array)],
        "twice_stripped": [(b"x.npy", 0, len(array), 0, array), (b"x", 0, len(array), 35 + len(array), array)],
        "overlapping": [(b"outer.npy", 0, len(inner), 0, inner), (b"inner.npy", 0, len(array), 39, array)],
        "huge": [(b"x.npy", 0, len(huge), 0, huge)],
        "huge_claim": [(b"x.npy", 8, 4 * 10**12 + 128, 0, deflated(huge))],
        "too_long": [(b"x.npy", 8, len(array), 0, deflated(array + b"more"), array)],
        "more_after": [(b"x.npy", 8, len(array), 0, deflated(array) + b"more", array)],
        "ends_early": [(b"x.npy", 8, len(array), 0, deflated(array)[:-9], array)],
    }
    for name, members in files.items():
        with open(os.path.join(folder, "refused", name + ".npz"), "wb") as file:
            file.write(zip_bytes(members))
    for name, member, method in [("lzma", "x.npy", zipfile.ZIP_LZMA), ("foreign", "notes.txt", zipfile.ZIP_STORED)]:
        with zipfile.ZipFile(os.path.join(folder, "refused", name + ".npz"), "w", method) as archive:
            archive.writestr(member, array if method else b"not an array")


def main():
    save_npz("every_type.npz", every_type())
    save_npz("every_type_deflated.npz", every_type(), compressed=True)
    save_npz("commented.npz", {"x": sample("f4")}, comment=b"PK\x05\x06 is not the end " * 4)
    save_npz("no_members.npz", {})
    # 100 000 values i % 97 at position i, too many for expected.txt: several pieces of every buffer.
    large = (np.arange(100000) % 97).astype("i4").reshape(4, 250, 100)
    np.savez_compressed(os.path.join(folder, "large.npz"), c=large, fortran=np.asfortranarray(large))
    few = {"w_q": sample("f4"), "mask": sample("b1"), "x": np.array(sample("f8"), order="F"), "größe": sample("i4")}
    save_unusual_zips(few)
    for version in [(1, 0), (2, 0), (3, 0)]:
        save_npy(f"version_{version[0]}", sample("f4"), version)
    save_npy("scalar", np.array(2.5))
    save_npy("empty", np.zeros((0, 3), "f4"))
    save_npy("vector_fortran", np.asfortranarray(np.arange(5, dtype=">i2")))
    save_npy("matrix_fortran", np.asfortranarray(np.arange(6, dtype="f4").reshape(2, 3)))
    save_npy("halves", np.array(half_bits, "u2").view("f2"))
    save_safetensors("every_type.safetensors", safetensors_arrays())
    save_safetensors("metadata.safetensors", {"x": ("F32", sample("f4"), sample("f4"), "float32")}, 7, {"format": "pt"})
    save_refused()
    save_refused_zips()
    with open(os.path.join(folder, "expected.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(expected) + "\n")


main()
