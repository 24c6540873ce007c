#!/usr/bin/env python3
"""Makes the trained weights in assets/trained and the examples of them in assets/examples: the same bytes every time.

    tools/make_trained/make_trained.py HEADLIGHT [--check] [SET...]

HEADLIGHT, the program, learns each SET anew, or all of them, with its baseline kernels. With --check nothing is written: files that
are not what is made are named, and the exit status is 1.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

ASSETS = pathlib.Path(__file__).resolve().parents[2] / "assets"
SORT = {"kind": "sort", "positions": "none", "block": "pre_norm", "residual": True, "d": 64, "lr": 0.01}
LEARNED_LESS_AND_LESS = {"decay": "cosine"}

# What is learned, which of the examples that nobody learned from is shown, where it is looked at, and what to say of it.
# "inputs" stand in the place of that example's.
SETS = {
    "induction": {
        "train": {"task": "repeat", "steps": 300, "seed": 1},
        "example": 0,
        "view": {"step": "weights", "head": 0, "query": 17, "key": 8},
        "notes": "An induction head, learned. Ten symbols come, then the same again: each looks at what came after its earlier twin. "
                 "x is what the layer before has made of them.",
    },
    "sorter": {
        "train": {"task": "order", "options": SORT, "optimizer": LEARNED_LESS_AND_LESS, "steps": 400, "seed": 2},
        "example": 14,
        "view": {"step": "weights", "head": 0, "query": 12, "key": 7},
        "notes": "A sorter, learned. From the bar on, each symbol looks at the next larger one, which is to be said.",
    },
    "dates": {
        "train": {"task": "dates", "optimizer": LEARNED_LESS_AND_LESS, "steps": 800, "seed": 1},
        "example": 0,
        "view": {"step": "weights", "head": 0, "query": 6, "key": 3},
        "notes": "A date aligner, learned. Each character of the answer looks at the letters of the date that say it.",
    },
    "blur": {
        "train": {"task": "picture", "options": {"task": "blur", "size": 16}, "steps": 300, "seed": 1},
        "example": 0,
        "inputs": {"x": {"image": "scene.png", "size": [16, 16], "features": "rgb"}},
        "view": {"step": "weights", "head": 0, "query": 104, "key": 104},
        "notes": "A blur, learned. Each pixel looks at the nine round it alike, in a picture that nobody learned from: tables of offsets "
                 "tell where they lie.",
    },
    "dots": {
        "train": {"task": "frames", "steps": 300, "seed": 1},
        "example": 0,
        "view": {"step": "weights", "head": 0, "query": 57, "key": 4},
        "notes": "A mover of dots, learned. Each dot of the last frame looks at itself in the first, and finds it by its colour.",
    },
}


def learned(program, train, example):
    """The part of the network whose attention is shown, on one of the examples that it has not learned from: an experiment."""
    with tempfile.TemporaryDirectory() as folder:
        task, network, part = (pathlib.Path(folder) / name for name in ("task.json", "network", "part.headlight"))
        task.write_text(json.dumps({"headlight": 1, "train": train}))
        baseline = ["--kernels", "baseline"]
        subprocess.run([program, "train", task, "-o", network, "-q", *baseline], check=True)
        subprocess.run([program, "train", "--from", network, "--explore", part, "--example", str(example), *baseline], check=True)
        return json.loads(part.read_text())


def numbers_of(array):
    return [number for part in array for number in numbers_of(part)] if isinstance(array, list) else [array]


def shape_of(array):
    return [len(array), *shape_of(array[0])] if isinstance(array, list) else []


def safetensors(arrays):
    header, data = {}, b""
    for name, array in sorted(arrays.items()):
        numbers = numbers_of(array)
        begin = len(data)
        data += struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {"dtype": "F32", "shape": shape_of(array), "data_offsets": [begin, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def float32(number):
    """In as few digits as say it."""
    stored = struct.pack("<f", number)
    return next(short for digits in range(1, 10) if struct.pack("<f", short := float(f"{number:.{digits}g}")) == stored)


def shortened(array):
    return [shortened(part) for part in array] if isinstance(array, list) else float32(array)


def example_of(name, spec, experiment):
    inputs = {}
    for array, given in experiment["inputs"].items():
        if is_weight(array):
            continue
        inputs[array] = {**given, "array": shortened(given["array"])} if isinstance(given, dict) else shortened(given)
    fields = {"headlight": 1, "variant": experiment["variant"], "params": experiment["params"],
              "inputs": spec.get("inputs", inputs), "weights": {"init": "trained", "set": name},
              "view": spec["view"], "notes": spec["notes"]}
    lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return ("{ " + ",\n  ".join(lines) + " }\n").replace("], [", "],\n   [")


def is_weight(array):
    return not array.startswith("x")


def files_of(program, name):
    spec = SETS[name]
    experiment = learned(program, spec["train"], spec["example"])
    weights = {array: given for array, given in experiment["inputs"].items() if is_weight(array)}
    return {ASSETS / f"trained/{name}.safetensors": safetensors(weights),
            ASSETS / f"examples/trained-{name}.headlight": example_of(name, spec, experiment).encode()}


def main(program, *names):
    check = "--check" in names
    names = [name for name in names if name != "--check"] or list(SETS)
    wrong = []
    for name in names:
        for path, content in files_of(program, name).items():
            if not check:
                path.write_bytes(content)
            elif not path.is_file() or path.read_bytes() != content:
                wrong.append(f"{path.relative_to(ASSETS)} is not what {pathlib.Path(__file__).name} makes")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    unknown = [name for name in sys.argv[2:] if name != "--check" and name not in SETS]
    if len(sys.argv) < 2 or unknown:
        sys.exit(__doc__ + (f"\nThere is no set {unknown[0]}: {', '.join(SETS)}" if unknown else ""))
    sys.exit(main(*sys.argv[1:]))
