#!/usr/bin/python3
"""Runs the scripts that `headlight code` writes, for every experiment that write_experiments makes.

usage: run_scripts.py numpy|pytorch PATH/TO/headlight PATH/TO/write_experiments [EXPERIMENT...]

Each script must recompute every step, run from another folder than its own, and say where float32 overflowed. Then, for
each step, one number of the saved one is altered, and the script must stop there and say where and what it found; then
arrays are missing, and the script must say which. Experiments that are named are tried too. Exit status 1 if anything
fell short, 77 if the library is not installed, or 1 where every test must run (HEADLIGHT_EVERY_TEST).
"""
import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from unittest import mock

import libraries

SCRIPT, ARRAYS = "elsewhere/script.py", "elsewhere/script.npz"


def altered(array, number=None):
    """The same with another number at its end."""
    array = array.copy()
    last = array.reshape(-1)[-1:]
    last[0] = number or (last[0] + 0.01 + abs(last[0]) if np.isfinite(last[0]) else 0)
    return array


def run(code, arrays=None):
    """What the script prints, or the one line that it ends with; with `arrays`, as if its file held those."""
    printed = io.StringIO()
    loading = mock.patch.object(np, "load", return_value=arrays) if arrays else contextlib.nullcontext()
    try:
        with contextlib.redirect_stdout(printed), loading:
            exec(code, {"__name__": "__main__", "__file__": SCRIPT})
    except SystemExit as end:
        return f"exit: {end}"
    except Exception as error:  # whatever else a script may stumble over
        return f"{type(error).__name__}: {error}"
    return printed.getvalue().strip()


def size_of(array, said):
    """How large a step's numbers are to its script: weights 1/n, what is normalised 1, others their largest and at most 1."""
    if said:
        return 1 if said == ", size=1" else 1 / array.shape[-1]
    return min(1.0, float(np.abs(array[np.isfinite(array)]).max(initial=0.0)))


def difference(step, array, size_said, number=None):
    """What the script says where altered() was saved, but for what it found."""
    cell = [size - 1 for size in array.shape]
    array = altered(array, number)
    expected = float(array.reshape(-1)[-1])
    allowed = 2e-5 * size_of(array.astype(np.float64), size_said) + 1e-4 * abs(expected)
    return (rf"exit: {step} differs from the saved step, first at {re.escape(str(cell))}: found [-\d.einfa+]+, "
            rf"expected {re.escape(f'{expected:.9g}')}, allowed difference {re.escape(f'{allowed:.2g}')}")


def complaints(program, language, experiment):
    """Writes the script of an experiment and yields what is wrong with it, one line each."""
    written = subprocess.run([program, "code", "-q", experiment, "--as", language, "-o", SCRIPT], text=True, capture_output=True)
    if written.returncode != 0:
        yield f"headlight code: {written.stderr.strip()}"
        return
    text = pathlib.Path(SCRIPT).read_text()
    code = compile(text, SCRIPT, "exec")
    checks = re.findall(r'^(\w+) = checked\(\1, "([\w/]+)"(, size=1(?: / \1\.shape\[-1\])?)?\)$', text, re.MULTILINE)
    # A word of Python has a line under it there, and a layer's step one for its stroke.
    sizes = {step: size for name, step, size in checks if name.removesuffix("_") == step.replace("/", "_")}
    steps = list(sizes)
    made = {"mask", "tempered_scales", "ignored_keys", "lambda_1", "lambda_2"}  # what a run makes for itself from what is given: checked, and not a step
    counted = [step for step in steps if step not in made]
    said = run(code)
    all_equal = f"{len(counted)} step{'' if len(counted) == 1 else 's'} recomputed: equal to the saved numbers"
    if experiment.parent.name.startswith("overflow"):
        if not re.match(rf"{all_equal} where those are finite\n\w+: [1-9]\d* saved numbers overflowed", said):
            yield f"where float32 overflows it said {said!r}"
        return
    if said != all_equal:
        yield f"said {said!r}"
        return
    with np.load(ARRAYS) as file:
        saved = dict(file.items())
    yield from (f"{name} is saved and never read" for name in saved if not re.search(rf"\b{name}\b", text))
    for place, step in enumerate(steps):
        last = saved[step].reshape(-1)[-1]
        if np.isfinite(last) and saved[step].any():  # a number that is off by little beside the others, however small they are
            number = np.float32(last + 2e-4 * abs(last) + 1e-3 * size_of(saved[step], sizes[step]))
        else:
            number = None
        said = run(code, {**saved, step: altered(saved[step], number)})
        if not re.fullmatch(difference(step, saved[step], sizes[step], number), said):
            yield f"with a wrong number in {step} it said {said!r}"
        if np.isfinite(last) and place % 3 == 0:  # not what float32 makes of numbers too large for it
            said = run(code, {**saved, step: altered(saved[step], np.nan)})
            if not said.startswith(f"exit: {step} differs from the saved step"):
                yield f"with a NaN in {step} it said {said!r}"
    for name in [*saved][:: max(1, len(saved) - 1)]:  # the first and the last: an input and a step
        said = run(code, {other: saved[other] for other in saved if other != name})
        if said != f"exit: {ARRAYS} has no array {name}: write it again with headlight code":
            yield f"without {name} it said {said!r}"


def main():
    language, program, writer, *named = sys.argv[1:]
    program, writer = pathlib.Path(program).resolve(), pathlib.Path(writer).resolve()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([writer, folder], check=True)
        experiments = sorted(pathlib.Path(folder).glob("*/experiment.json")) + [pathlib.Path(n).resolve() for n in named]
        failed = 0
        os.chdir(folder)
        pathlib.Path(SCRIPT).parent.mkdir()
        for experiment in experiments:
            for complaint in complaints(program, language, experiment):
                failed += 1
                print(f"{experiment.parent.name}/{experiment.name}: {complaint}")
    print(f"{len(experiments)} experiments in {language}, {failed} complaints")
    return 1 if failed or not experiments else 0


if __name__ == "__main__":
    libraries.need(sys.argv[1])
    import numpy as np

    sys.exit(main())
