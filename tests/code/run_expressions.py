"""Holds the expressions of lessons to NumPy: run_expressions.py PROGRAM

Random runs are traced, random expressions over their steps are computed here, and lessons claim what came out: the program
must find that all of it holds, and must find each claim that was spoiled.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import libraries

libraries.need("numpy")
import numpy as np  # noqa: E402

WORDS = ["ash", "birch", "cedar", "elm", "fir", "hazel", "larch"]


def experiment(rng):
    heads, width, queries, keys = rng.randint(1, 3), rng.randint(1, 4), rng.randint(1, 5), rng.randint(2, 7)
    numbers = lambda n: [[[round(rng.gauss(0, 1), 2) for _ in range(4)] for _ in range(n)]]
    return {"variant": "multi_head", "params": {"heads": heads, "d_head": width},
            "inputs": {"x_q": {"array": numbers(queries), "tokens": WORDS[:queries]},
                       "x_k": {"array": numbers(keys), "tokens": WORDS[:keys]}},
            "weights": {"init": "normal", "seed": rng.randint(0, 99)}}


class Maker:
    """Random expressions with what NumPy says of them."""

    def __init__(self, rng, arrays):
        self.rng, self.arrays = rng, arrays

    def index(self, axis, size, letter):
        """(text, index) of one axis: a place, or several."""
        rng, at = self.rng, self.rng.randrange(size)
        end = rng.randint(at, size - 1)
        token = letter in "qk" and size <= len(WORDS)
        kinds = [(":", slice(None)), (f"{letter}{at}", at), (f"{letter}{at}:{letter}{end}", slice(at, end + 1)),
                 (f"{at}:{end + 1}", slice(at, end + 1))]
        if token:
            kinds += [(WORDS[at], at), (f'"{WORDS[at]}"#1', at), (f"{WORDS[at]}:{WORDS[end]}", slice(at, end + 1))]
        return rng.choice(kinds)

    def part(self):
        """(text, numbers) of a part of a step."""
        name = self.rng.choice(["scores", "weights", "q", "k", "v", "head_outputs"])
        array = self.arrays[name][0]
        letters = {"scores": "hqk", "weights": "hqk", "q": "hqc", "k": "hkc", "v": "hkc", "head_outputs": "hqc"}[name]
        places = [self.index(axis, size, letter) for axis, (size, letter) in enumerate(zip(array.shape, letters))]
        texts = [text for text, _ in places]
        return f"{name}[{', '.join(texts)}]", np.asarray(array[tuple(place for _, place in places)], dtype=np.float64)

    def number(self, depth=0):
        """(text, number)."""
        rng = self.rng
        if depth < 2 and rng.random() < 0.4:
            (a, x), (b, y) = self.number(depth + 1), self.number(depth + 1)
            sign = rng.choice("+-*")
            return f"({a}) {sign} ({b})", {"+": x + y, "-": x - y, "*": x * y}[sign]
        text, numbers = self.part()
        if rng.random() < 0.3:
            text, numbers = rng.choice([(f"abs ({text})", np.abs(numbers)), (f"exp ({text} / 8)", np.exp(numbers / 8)),
                                        (f"({text} - 1.5)", numbers - 1.5), (f"sqrt abs {text}", np.sqrt(np.abs(numbers)))])
        if numbers.ndim == 0:
            return text, float(numbers)
        name, function = rng.choice([("max", np.max), ("min", np.min), ("sum", np.sum), ("mean", np.mean)])
        if numbers.ndim == 1 and rng.random() < 0.2:
            return f"norm {text}", float(np.sqrt(np.sum(numbers ** 2)))
        return f"{name} {text}", float(function(numbers))


def lesson(experiment, claims):
    lines = ["# Claims", "", "``` experiment", json.dumps(experiment), "```", ""]
    return "\n".join(["---", "title: Claims", "---", ""] + lines[2:] + lines[:2] + [f"{{{typed} = {text}}}\n" for typed, text in claims])


def check(program, folder, text):
    file = pathlib.Path(folder, "claims.lesson.md")
    file.write_text(text)
    ran = subprocess.run([program, "lesson", "check", str(file)], capture_output=True, text=True)
    return ran.returncode, ran.stderr.splitlines()


def main():
    program = sys.argv[1]
    rng = random.Random(5)
    count = spoiled_count = 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(25):
            one = experiment(rng)
            file, traced = pathlib.Path(folder, "e.headlight"), pathlib.Path(folder, "e.npz")
            file.write_text(json.dumps(one))
            subprocess.run([program, "trace", str(file), "-o", str(traced), "-q"], check=True)
            arrays = dict(np.load(traced))
            maker = Maker(rng, arrays)
            claims = []
            while len(claims) < 16:
                text, number = maker.number()
                # What lies between two ways to round is no claim.
                if abs(number) > 1e5 or abs(abs(number * 1e4) % 1 - 0.5) < 0.05:
                    continue
                claims.append((f"{number:.4f}", text))
            row = arrays["weights"][0, 0, 0]
            if np.sort(row)[-1] - np.sort(row)[-2] > 1e-4:
                claims.append((f'"{WORDS[int(np.argmax(row))]}"', "argmax weights[h0, q0, :]"))
            entropy = float(-np.sum(row.astype(np.float64) * np.log(row.astype(np.float64))))
            claims.append((f"{entropy:.3f}", "entropy weights[h0, q0, :]"))
            code, lines = check(program, folder, lesson(one, claims))
            if code != 0:
                sys.exit("these hold in NumPy:\n  " + "\n  ".join(lines))
            count += len(claims)
            at = rng.randrange(16)
            spoiled = claims[:at] + [(f"{float(claims[at][0]) + 0.001:.4f}", claims[at][1])] + claims[at + 1:]
            code, lines = check(program, folder, lesson(one, spoiled))
            if code != 1 or len(lines) != 1 or "this says" not in lines[0]:
                sys.exit(f"a spoiled claim was not found: {spoiled[at]}\n  " + "\n  ".join(lines))
            spoiled_count += 1
    print(f"{count} claims hold, {spoiled_count} that were spoiled were found")


main()
