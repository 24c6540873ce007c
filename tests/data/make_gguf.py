#!/usr/bin/python3
"""Writes arrays/gguf/tiny.gguf: one array of each type of numbers that is read, and a fact of each kind.

Format: ggml-org/ggml, docs/gguf.md. Blocks hold random bits, with sound half-precision scales.
"""
import pathlib
import struct

import numpy as np

HERE = pathlib.Path(__file__).parent / "arrays" / "gguf"
rng = np.random.default_rng(3)


def text(words):
    data = words.encode()
    return struct.pack("<Q", len(data)) + data


def half():
    return np.float16(rng.uniform(0.01, 0.1)).tobytes()


def block(number):
    """One block of a type: its bytes."""
    bits = lambda count: rng.integers(0, 256, count, dtype=np.uint8).tobytes()
    return {0: lambda: np.float32(rng.standard_normal()).tobytes(), 1: half, 30: lambda: np.float32(0.5).tobytes()[2:],
            8: lambda: half() + bits(32), 2: lambda: half() + bits(16), 12: lambda: half() + half() + bits(140),
            14: lambda: bits(208) + half()}[number]()


def main():
    HERE.mkdir(parents=True, exist_ok=True)
    facts = [("general.architecture", 8, text("llama")), ("llama.block_count", 4, struct.pack("<I", 1)), ("llama.eps", 6, struct.pack("<f", 0.5)),
             ("llama.flag", 7, b"\1"), ("llama.wide", 12, struct.pack("<d", 2.5)), ("llama.least", 11, struct.pack("<q", -3)),
             ("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 3) + text("a") + text("▁cat") + text("")),
             ("scores", 9, struct.pack("<IQff", 6, 2, 0.5, -1.0)), ("kinds", 9, struct.pack("<IQ", 0, 4) + b"\0\1\2\3")]
    arrays = [("f32", (3, 2), 0, 6), ("f16", (4,), 1, 4), ("bf16", (4,), 30, 4), ("q8_0", (64,), 8, 2), ("q4_0", (32, 2), 2, 2),
              ("q4_k", (256,), 12, 1), ("q6_k", (256,), 14, 1)]
    header, data = b"GGUF" + struct.pack("<IQQ", 3, len(arrays), len(facts)), b""
    for key, kind, value in facts:
        header += text(key) + struct.pack("<I", kind) + value
    for name, extents, kind, blocks in arrays:
        data += b"\0" * (-len(data) % 32)
        header += text(name) + struct.pack("<I", len(extents)) + b"".join(struct.pack("<Q", e) for e in extents)
        header += struct.pack("<IQ", kind, len(data))
        data += b"".join(block(kind) for _ in range(blocks))
    (HERE / "tiny.gguf").write_bytes(header + b"\0" * (-len(header) % 32) + data)


if __name__ == "__main__":
    main()
